// Payloads that are not stored but built from other records when they are read (architecture
// section 1.3): the output of a JOIN and of a DO_WHILE from the outputs of their members, the input
// of a dynamic fork from its evaluated parameters. So a fork of 10,000 branches or a loop of 10,000
// iterations stores each output once. A result reported from outside replaces the derived output
// for good (the mark in the task notes is removed). The task type says how its payload is built.
import type { Task } from '../model/execution.js';
import type { Json } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { isTerminalTask } from '../model/status.js';
import { isDerived } from './notes.js';
import type { OpenExecution } from './open-execution.js';

/** The visible output of a task. Treat it as frozen. */
export function outputOf(open: OpenExecution, task: Task): Payload {
  if (!isDerived(task)) return task.output;
  const cached = open.derivedOutputs.get(task);
  if (cached !== undefined) return cached;
  const { derivedOutput } = open.types.of(task);
  const output =
    derivedOutput === undefined ? task.output : Payload.of(derivedOutput.of(open, task));
  if (isTerminalTask(task.status)) open.derivedOutputs.set(task, output);
  return output;
}

/** The visible input of a task. Treat it as frozen. */
export function inputOf(open: OpenExecution, task: Task): Payload {
  const { derivedInput } = open.types.of(task);
  // The other server has shown what is stored of an imported one.
  if (derivedInput === undefined || open.execution.attributes.imported !== undefined) {
    return task.input;
  }
  let input = open.derivedInputs.get(task);
  if (input === undefined) {
    input = derivedInput(task);
    open.derivedInputs.set(task, input);
  }
  return input;
}

/**
 * One key of a task's output without building the rest: what a running loop's members read
 * (`${loop.output.iteration}`) must not cost the length of the loop. undefined: ask `outputOf`.
 */
export function outputMember(open: OpenExecution, task: Task, key: string): Json | undefined {
  if (!isDerived(task)) return undefined;
  return open.types.of(task).derivedOutput?.member(task, key);
}
