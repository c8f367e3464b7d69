// The short forms of executions and tasks in search answers (contract-core 7.4, 7.5). Input and
// output are JSON text. Type and schema of each come from one declaration.
import { taskIdOf } from '../std/ids.js';
import type { Execution, Task } from './execution.js';
import { importedFrom, shownMark } from './imported-id.js';
import { maskedPayload } from './masking.js';
import type { Payload } from './payload.js';
import type { Mutable } from './record.js';
import { integer, list, mapOf, object, oneOf, text, type Schema, type ValueOf } from './schema.js';
import { taskStatuses, workflowStatuses } from './status.js';
import { queueWaitTime } from './task-json.js';
import type { WorkflowDef } from './workflow-def.js';
import { withPlainIds } from './subject.js';

const moment = (
  description = 'Such as 2025-10-09T08:53:20.000Z; 1970 when unset',
): Schema<string> => text(description, { format: 'date-time' });

export const classifiers = ['workflow', 'agent'] as const;
export type Classifier = (typeof classifiers)[number];

export const workflowSummarySchema = object(
  'WorkflowSummary',
  {
    workflowType: text('Name of the definition'),
    version: integer('Version of the definition'),
    workflowId: text('Id of the execution'),
    correlationId: text('Correlation id'),
    startTime: moment(),
    updateTime: moment(),
    endTime: moment('Such as 2025-10-09T08:53:20.000Z; absent while it runs'),
    status: oneOf(workflowStatuses),
    input: text('JSON text; absent without payloads'),
    output: text('JSON text; absent without payloads'),
    inputSize: integer('Characters of the input; absent without payloads'),
    outputSize: integer('Characters of the output; absent without payloads'),
    executionTime: integer('Milliseconds; 0 while it runs'),
    reasonForIncompletion: text('Why it did not complete'),
    event: text('Event that started it'),
    createdBy: text('Who started it'),
    idempotencyKey: text('Key of its start'),
    failedReferenceTaskNames: text('Reference names of failed tasks, with commas between'),
    failedTaskNames: list(text(), 'Names of failed tasks'),
    externalInputPayloadStoragePath: text('Where a large input is kept'),
    priority: integer('From 0 to 99'),
    taskToDomain: mapOf(text(), 'Domains of its tasks'),
    parentWorkflowId: text('Execution that started it as a child; empty for none'),
    classifier: oneOf(classifiers, 'What the definition describes'),
    imported: importedFrom,
  },
  [
    ...(['workflowType', 'version', 'workflowId', 'startTime', 'updateTime', 'status'] as const),
    ...(['executionTime', 'failedReferenceTaskNames', 'failedTaskNames', 'priority'] as const),
    ...(['taskToDomain', 'parentWorkflowId', 'classifier'] as const),
  ],
);
/** Its payloads may not have been read. */
type WorkflowHeading = ValueOf<typeof workflowSummarySchema>;
/** With its payloads and their sizes. */
export type WorkflowSummary = WorkflowHeading &
  Required<Pick<WorkflowHeading, 'input' | 'output' | 'inputSize' | 'outputSize'>>;

export const taskSummarySchema = object(
  'TaskSummary',
  {
    workflowId: text('Id of the execution'),
    workflowType: text('Name of the workflow definition'),
    taskId: text('Id of the task'),
    taskDefName: text('Name of the task definition'),
    taskType: text('Task type'),
    referenceTaskName: text('Name within the workflow'),
    taskReferenceName: text('The same under its other name'),
    correlationId: text('Correlation id of the execution'),
    scheduledTime: moment(),
    startTime: moment(),
    updateTime: moment(),
    endTime: moment(),
    status: oneOf(taskStatuses),
    reasonForIncompletion: text('Why it failed'),
    executionTime: integer('Milliseconds; 0 until it has ended'),
    queueWaitTime: integer('Milliseconds between schedule and start'),
    input: text('JSON text'),
    output: text('JSON text'),
    externalOutputPayloadStoragePath: text('Where a large output is kept'),
    workflowPriority: integer('Priority of the execution'),
    domain: text('Domain of its queue'),
  },
  [
    ...(['workflowId', 'workflowType', 'taskId', 'taskDefName', 'taskType', 'status'] as const),
    ...(['referenceTaskName', 'taskReferenceName', 'scheduledTime', 'startTime'] as const),
    ...(['updateTime', 'endTime', 'executionTime', 'queueWaitTime', 'input', 'output'] as const),
    'workflowPriority',
  ],
);
export type TaskSummary = ValueOf<typeof taskSummarySchema>;

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

/** The summary of an execution whose payloads have not been read. */
export function toWorkflowHeading(
  execution: Omit<Summarized, 'input' | 'output'>,
): WorkflowHeading {
  const { attributes, state, snapshot } = execution;
  const summary: Mutable<WorkflowHeading> = {
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
  return withPlainIds(summary);
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
  const summary: Mutable<TaskSummary> = {
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
export function classifierOf(def: WorkflowDef): Classifier {
  const { metadata } = def;
  const isAgent =
    metadata['classifier'] === 'agent' ||
    Object.hasOwn(metadata, 'agent_sdk') ||
    Object.hasOwn(metadata, 'agentDef');
  return isAgent ? 'agent' : 'workflow';
}
