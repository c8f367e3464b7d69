// Payloads that are not stored but derived from other records when they are read (architecture
// section 1.3): the output of a JOIN and of a DO_WHILE from the outputs of their members, the input
// of a dynamic fork from its evaluated parameters. So a fork of 10,000 branches or a loop of 10,000
// iterations stores each output once. A result reported from outside replaces the derived output
// for good (the mark in the task notes is removed).
import type { Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { isTerminalTask } from '../model/status.js';
import { branchConfigsOf, toWireTask } from './fork-branches.js';
import { isDerived, joinRefsOf, type OpenExecution } from './open-execution.js';
import { plainRefOf } from './references.js';
import { notesOf } from './task-kinds.js';

/** The visible output of a task. Treat it as frozen. */
export function outputOf(open: OpenExecution, task: Task): Payload {
  if (!isDerived(task)) return task.output;
  const cached = open.derivedOutputs.get(task);
  if (cached !== undefined) return cached;
  const value = task.taskType === 'DO_WHILE' ? loopOutput(open, task) : joinOutput(open, task);
  const output = Payload.of(value);
  if (isTerminalTask(task.status)) open.derivedOutputs.set(task, output);
  return output;
}

/** The visible input of a task. Treat it as frozen. */
export function inputOf(open: OpenExecution, task: Task): Payload {
  if (task.config.type !== 'FORK_JOIN_DYNAMIC' || task.taskType !== 'FORK') return task.input;
  let input = open.derivedInputs.get(task);
  if (input === undefined) {
    const configs = branchConfigsOf(task);
    input = Payload.of({
      ...task.input.value,
      forkedTasks: configs.map((config) => config.taskReferenceName),
      forkedTaskDefs: configs.map(toWireTask),
    });
    open.derivedInputs.set(task, input);
  }
  return input;
}

/**
 * Outputs of the joined references that have one (semantics 4.4.3); in loops the keys carry the
 * suffix.
 */
function joinOutput(open: OpenExecution, join: Task): JsonMap {
  const output: JsonMap = {};
  for (const ref of joinRefsOf(join)) {
    const last = open.lastByRef(ref);
    // Nobody looks at a JOIN after a TERMINATE (observed).
    if (last === undefined || last.taskType === 'TERMINATE') continue;
    const branch = outputOf(open, last);
    if (!branch.isEmpty) output[ref] = branch.value;
  }
  return output;
}

/** `{"1": {ref: output}, ..., iteration, loopIndex, loopItem}` (semantics 4.9.5). */
function loopOutput(open: OpenExecution, loop: Task): JsonMap {
  const output: JsonMap = {};
  if (loop.input.value['captureOutput'] !== false) {
    const node = open.nodeOf(loop);
    for (const task of open.execution.tasks) {
      if (task.iteration === 0 || task.status === 'SKIPPED' || task === loop) continue;
      if (open.nodeOf(task)?.loop !== node) continue;
      const members = (output[task.iteration] ??= {}) as JsonMap;
      // A TERMINATE ends the loop before anybody looks at its output (observed).
      members[plainRefOf(task)] = task.taskType === 'TERMINATE' ? {} : outputOf(open, task).value;
    }
  }
  for (const key of loopCounters) {
    const value = loopCounter(loop, key);
    if (value !== undefined) output[key] = value;
  }
  return output;
}

const loopCounters = ['iteration', 'loopIndex', 'loopItem'] as const;

function loopCounter(loop: Task, key: string): Json | undefined {
  switch (key) {
    case 'iteration':
      return loop.iteration;
    case 'loopIndex':
      return notesOf(loop)['item'] === undefined ? undefined : loop.iteration - 1;
    case 'loopItem':
      return notesOf(loop)['item'];
    default:
      return undefined;
  }
}

/**
 * One key of a task's output without building the rest: what a running loop's members read
 * (`${loop.output.iteration}`) must not cost the length of the loop. undefined: ask `outputOf`.
 */
export function outputMember(task: Task, key: string): Json | undefined {
  return isDerived(task) && task.taskType === 'DO_WHILE' ? loopCounter(task, key) : undefined;
}
