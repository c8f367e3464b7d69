// The short forms of executions and tasks in search answers (contract-core 7.4, 7.5). Input and
// output are JSON text.
import { taskIdOf } from '../std/ids.js';
import type { Execution, Task } from './execution.js';
import { shownMark, type ShownMark } from './imported-id.js';
import { maskedPayload } from './masking.js';
import type { Payload } from './payload.js';
import type { TaskStatus, WorkflowStatus } from './status.js';
import { queueWaitTime } from './task-json.js';
import type { WorkflowDef } from './workflow-def.js';

export type WorkflowSummary = {
  workflowType: string;
  version: number;
  workflowId: string;
  correlationId?: string;
  /** Times are texts such as 2025-10-09T08:53:20.000Z; 1970 when unset. */
  startTime: string;
  updateTime: string;
  endTime?: string;
  status: WorkflowStatus;
  input: string;
  output: string;
  /** Characters of the two texts. */
  inputSize: number;
  outputSize: number;
  /** Milliseconds; 0 while it runs. */
  executionTime: number;
  reasonForIncompletion?: string;
  event?: string;
  createdBy?: string;
  idempotencyKey?: string;
  /** Joined with commas. */
  failedReferenceTaskNames: string;
  failedTaskNames: string[];
  externalInputPayloadStoragePath?: string;
  priority: number;
  taskToDomain: { [taskType: string]: string };
  /** Empty for a top-level execution. */
  parentWorkflowId: string;
  classifier: 'workflow' | 'agent';
  /** Of one that ended at another server. */
  imported?: ShownMark;
};

export type TaskSummary = {
  workflowId: string;
  workflowType: string;
  taskId: string;
  taskDefName: string;
  taskType: string;
  /** The same value under both names that clients know. */
  referenceTaskName: string;
  taskReferenceName: string;
  correlationId?: string;
  scheduledTime: string;
  startTime: string;
  updateTime: string;
  endTime: string;
  status: TaskStatus;
  reasonForIncompletion?: string;
  /** Milliseconds; 0 when it has not ended. */
  executionTime: number;
  queueWaitTime: number;
  input: string;
  output: string;
  externalOutputPayloadStoragePath?: string;
  workflowPriority: number;
  domain?: string;
};

/** The parts that a summary is made of. */
export type Summarized = Pick<
  Execution,
  'id' | 'snapshot' | 'attributes' | 'state' | 'input' | 'output'
>;

/** Contract-core 7.4. */
export function toWorkflowSummary(execution: Summarized): WorkflowSummary {
  const { attributes, snapshot } = execution;
  const { maskedFields } = snapshot.def;
  const input =
    attributes.externalInputPayloadStoragePath === undefined
      ? maskedPayload(execution.input, maskedFields).text
      : '{}';
  const output = maskedPayload(execution.output, maskedFields).text;
  const sizes = { inputSize: input.length, outputSize: output.length };
  return { ...toWorkflowHeading(execution), input, output, ...sizes };
}

/** A summary without payloads and their sizes. */
export type WorkflowHeading = Omit<
  WorkflowSummary,
  'input' | 'output' | 'inputSize' | 'outputSize'
>;

/** The summary of an execution whose payloads have not been read. */
export function toWorkflowHeading(
  execution: Omit<Summarized, 'input' | 'output'>,
): WorkflowHeading {
  const { attributes, state, snapshot } = execution;
  const summary: WorkflowHeading = {
    workflowType: snapshot.def.name,
    version: snapshot.def.version,
    workflowId: execution.id,
    startTime: toTimeText(state.createTime),
    updateTime: toTimeText(state.updateTime),
    status: state.status,
    executionTime: state.endTime === 0 ? 0 : state.endTime - state.createTime,
    failedReferenceTaskNames: state.failedReferenceTaskNames.join(','),
    failedTaskNames: state.failedTaskNames,
    priority: attributes.priority,
    taskToDomain: attributes.taskToDomain,
    parentWorkflowId: attributes.parentWorkflowId ?? '',
    classifier: classifierOf(snapshot.def),
  };
  if (state.endTime !== 0) summary.endTime = toTimeText(state.endTime);
  if (state.reasonForIncompletion !== undefined) {
    summary.reasonForIncompletion = state.reasonForIncompletion;
  }
  if (attributes.imported !== undefined) summary.imported = shownMark(attributes.imported);
  for (const name of optionalAttributes) {
    const value = attributes[name];
    if (value !== undefined) summary[name] = value;
  }
  return summary;
}

const optionalAttributes = [
  'correlationId',
  'event',
  'createdBy',
  'idempotencyKey',
  'externalInputPayloadStoragePath',
] as const;

/** Contract-core 7.5. `input` and `output` are the visible payloads; `now` in epoch ms. */
export function toTaskSummary(
  execution: Execution,
  task: Task,
  payloads: { readonly input: Payload; readonly output: Payload },
  now: number,
): TaskSummary {
  const { attributes } = execution;
  const stored = task.externalOutputPayloadStoragePath;
  const { maskedFields } = execution.snapshot.def;
  const summary: TaskSummary = {
    workflowId: execution.id,
    workflowType: execution.snapshot.def.name,
    taskId: taskIdOf(execution.id, task.number),
    taskDefName: task.defName === '' ? task.taskType : task.defName,
    taskType: task.taskType,
    referenceTaskName: task.ref,
    taskReferenceName: task.ref,
    scheduledTime: toTimeText(task.scheduledAt),
    startTime: toTimeText(task.startAt),
    updateTime: toTimeText(task.updateAt),
    endTime: toTimeText(task.endAt),
    status: task.status,
    executionTime: task.endAt === 0 || task.startAt === 0 ? 0 : task.endAt - task.startAt,
    queueWaitTime: queueWaitTime(task, now),
    input: maskedPayload(payloads.input, maskedFields).text,
    output: stored === undefined ? maskedPayload(payloads.output, maskedFields).text : '{}',
    workflowPriority: attributes.priority,
  };
  if (attributes.correlationId !== undefined) summary.correlationId = attributes.correlationId;
  if (task.reason !== undefined) summary.reasonForIncompletion = task.reason;
  if (stored !== undefined) summary.externalOutputPayloadStoragePath = stored;
  if (task.domain !== undefined) summary.domain = task.domain;
  return summary;
}

/** Text of an epoch ms moment with three fraction digits in UTC (contract-core 1.5). */
function toTimeText(moment: number): string {
  return new Date(moment).toISOString();
}

/** Whether the definition describes an agent (contract-core 6.1, metadata). */
export function classifierOf(def: WorkflowDef): 'workflow' | 'agent' {
  const { metadata } = def;
  const isAgent =
    metadata['classifier'] === 'agent' ||
    Object.hasOwn(metadata, 'agent_sdk') ||
    Object.hasOwn(metadata, 'agentDef');
  return isAgent ? 'agent' : 'workflow';
}
