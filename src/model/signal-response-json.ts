// JSON text of synchronous answers (contract-core 16.3): SignalResponse in its workflow and task
// form.
import { taskIdOf } from '../std/ids.js';
import type { Execution, Task } from './execution.js';
import type { Payload } from './payload.js';
import type { WorkflowStatus } from './status.js';
import { plainId } from './subject.js';

export type ReturnStrategy =
  'TARGET_WORKFLOW' | 'BLOCKING_WORKFLOW' | 'BLOCKING_TASK' | 'BLOCKING_TASK_INPUT';

export const returnStrategies: readonly ReturnStrategy[] = [
  'TARGET_WORKFLOW',
  'BLOCKING_WORKFLOW',
  'BLOCKING_TASK',
  'BLOCKING_TASK_INPUT',
];

/** The facts of the call itself that every form has. */
export interface SignalHeader {
  readonly responseType: ReturnStrategy;
  /** The started or signalled execution. */
  readonly targetWorkflowId: string;
  readonly targetWorkflowStatus: WorkflowStatus;
  readonly requestId: string;
  /** The time was over before anything was reached. */
  readonly signalTimeout: boolean;
}

const quoted = JSON.stringify as (text: string) => string;

/**
 * Workflow form: the target, or the execution that holds the blocking task. `tasks` are texts of
 * `toTaskJson`.
 */
export function toSignalWorkflowJson(
  header: SignalHeader,
  execution: Execution,
  tasks: readonly string[],
): string {
  return `{${headerFields(header)},${runFields(execution, tasks)}}`;
}

/** Task form: the blocking task of `execution` with its visible payloads. */
export function toSignalTaskJson(
  header: SignalHeader,
  execution: Execution,
  task: Task,
  payloads: { readonly input: Payload; readonly output: Payload },
): string {
  const { attributes } = execution;
  let text =
    `${headerFields(header)},"workflowId":"${execution.id}"` +
    `,"input":${payloads.input.text},"output":${payloads.output.text}` +
    `,"taskType":${quoted(task.taskType)},"taskId":"${taskIdOf(execution.id, task.number)}"` +
    `,"referenceTaskName":${quoted(task.ref)},"retryCount":${task.retryCount}` +
    `,"taskDefName":${quoted(task.defName === '' ? task.taskType : task.defName)}` +
    `,"workflowType":${quoted(execution.snapshot.def.name)},"priority":${attributes.priority}` +
    `,"status":"${task.status}","createTime":${task.startAt},"updateTime":${task.updateAt}`;
  if (attributes.correlationId !== undefined) {
    text += `,"correlationId":${quoted(attributes.correlationId)}`;
  }
  if (task.retriedTaskNumber !== undefined) {
    text += `,"retriedTaskId":"${taskIdOf(execution.id, task.retriedTaskNumber)}"`;
  }
  if (task.reason !== undefined) text += `,"reasonForIncompletion":${quoted(task.reason)}`;
  if (task.workerId !== undefined) text += `,"createdBy":${quoted(task.workerId)}`;
  return `{${text}}`;
}

function headerFields(header: SignalHeader): string {
  return (
    `"responseType":"${header.responseType}"` +
    `,"targetWorkflowId":${quoted(header.targetWorkflowId)}` +
    `,"targetWorkflowStatus":"${header.targetWorkflowStatus}"` +
    `,"requestId":${quoted(header.requestId)},"signalTimeout":${header.signalTimeout}`
  );
}

function runFields(execution: Execution, tasks: readonly string[]): string {
  const { attributes, state } = execution;
  return (
    `"workflowId":"${execution.id}"` +
    (attributes.correlationId === undefined
      ? ''
      : `,"correlationId":${quoted(attributes.correlationId)}`) +
    `,"input":${execution.input.text},"output":${execution.output.text}` +
    `,"priority":${attributes.priority},"variables":${execution.variables.text}` +
    `,"tasks":[${tasks.join(',')}]` +
    (attributes.createdBy === undefined
      ? ''
      : `,"createdBy":${quoted(plainId(attributes.createdBy))}`) +
    `,"createTime":${state.createTime},"status":"${state.status}"` +
    `,"updateTime":${state.updateTime}`
  );
}
