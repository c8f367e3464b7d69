// JSON texts of executions and tasks as callers see them (contract-core 7.1, 7.2), made inside the
// view of a read. Payloads that a task type derives instead of storing (JOIN, FORK, DO_WHILE) are
// filled in here.
import { AppError } from '../model/errors.js';
import type { Execution, Task } from '../model/execution.js';
import { maskedPayload } from '../model/masking.js';
import { toTaskJson } from '../model/task-json.js';
import type { JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { toFailedWorkflowJson, toWorkflowJson } from '../model/workflow-json.js';
import { failureWorkflowKey } from '../engine/ending.js';
import { inputOf, outputOf } from '../engine/derived-payloads.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { AnswerSize } from './answer-size.js';

/** A Task. `now`: epoch ms, for the computed wait time. */
export function taskText(open: OpenExecution, task: Task, now: number): string {
  const { input, output } = shownPayloads(open, task);
  return toTaskJson(open.execution, task, input, output, now);
}

/** Derived ones filled in, and masked. */
export function shownPayloads(
  open: OpenExecution,
  task: Task,
): { readonly input: Payload; readonly output: Payload } {
  const { maskedFields } = open.execution.snapshot.def;
  return {
    input: maskedPayload(inputOf(open, task), maskedFields),
    output: maskedPayload(outputOf(open, task), maskedFields),
  };
}

/** Characters of the tasks of one execution in an answer; half of what a string can hold. */
const tasksCharsMax = 256 * 1024 * 1024;

/** All tasks in list order. Throws AppError 'bad-request' when they are too long for one answer. */
export function taskTexts(open: OpenExecution, now: number, charsMax = tasksCharsMax): string[] {
  const size = new AnswerSize(charsMax);
  return open.execution.tasks.map((task) => size.add(taskText(open, task, now)));
}

/** As readers see it (semantics 3.7); the execution itself when there is nothing to mask. */
function masked(execution: Execution): Execution {
  const { maskedFields } = execution.snapshot.def;
  const input = maskedPayload(execution.input, maskedFields);
  const output = maskedPayload(execution.output, maskedFields);
  const variables = maskedPayload(execution.variables, maskedFields);
  const isAsItWas =
    input === execution.input && output === execution.output && variables === execution.variables;
  return isAsItWas ? execution : { ...execution, input, output, variables };
}

/** A Workflow; without tasks its list is empty. */
export function workflowText(open: OpenExecution, includeTasks: boolean, now: number): string {
  return toWorkflowJson(masked(open.execution), includeTasks ? taskTexts(open, now) : undefined);
}

/**
 * Characters of JSON that an execution may have in the input of its failure workflow; a larger one
 * is passed without its tasks.
 */
const failedWorkflowCharsMax = 4 * 1024 * 1024;

/**
 * The value of `failedWorkflow` for a failure workflow: the execution as it was when it failed,
 * without the id of the failure workflow (contract-core 10.4). undefined when it is too large even
 * without tasks.
 */
export function failedWorkflow(open: OpenExecution): JsonMap | undefined {
  const { execution } = open;
  const { [failureWorkflowKey]: _started, ...output } = execution.output.value;
  const failed = { ...execution, output: Payload.of(output) };
  const whole = toFailedWorkflowJson(failed, failedTasks(open));
  const text = whole.length > failedWorkflowCharsMax ? toFailedWorkflowJson(failed) : whole;
  return text.length > failedWorkflowCharsMax ? undefined : Payload.ofText(text).value;
}

/** undefined when they are too long. */
function failedTasks(open: OpenExecution): string[] | undefined {
  try {
    return taskTexts(open, open.execution.state.updateTime, failedWorkflowCharsMax);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
