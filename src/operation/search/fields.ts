// Fields that a search may name, of executions and of tasks (contract-core 12.2, semantics 8.5):
// name, kind and value of every field, and the texts that are searched for a bare word of free
// text. Moments that are not set count as missing.
import { taskIdOf } from '../../std/ids.js';
import { maskedPayload } from '../../model/masking.js';
import { classifierOf } from '../../model/summaries.js';
import { queueWaitTime } from '../../model/task-json.js';
import type { Task } from '../../model/execution.js';
import { personIdOf } from '../../model/person-id.js';
import { inputOf, outputOf } from '../../engine/derived-payloads.js';
import type { OpenExecution } from '../../engine/open-execution.js';
import type { ExecutionHeader, ExecutionSummary } from '../../store/search-store.js';
import type { FieldKind } from './expression.js';
import { plainId } from '../../model/subject.js';

export type FieldValue = string | number | readonly string[] | undefined;

export interface Field<Item> {
  readonly kind: FieldKind;
  /** `unread`: it takes a full read to know. */
  readonly get: (item: Item) => FieldValue | typeof unread;
  /** It holds ids of persons, which compare without case. */
  readonly isPerson?: true;
}

/** The value stands in a part of the execution that has not been read. */
export const unread: unique symbol = Symbol('unread');

export interface SearchedKind<Item> {
  readonly fields: ReadonlyMap<string, Field<Item>>;
  /** Texts for bare words; `unread` when more would come with a full read. */
  readonly texts: (item: Item) => readonly (string | typeof unread | undefined)[];
}

/** An execution under search: its header, and its payloads once they have been read. */
export type WorkflowItem = ExecutionHeader | ExecutionSummary;

export interface TaskItem {
  readonly open: OpenExecution;
  readonly task: Task;
  /** Epoch ms. */
  readonly now: number;
}

function keyword<Item>(get: Field<Item>['get']): Field<Item> {
  return { kind: 'keyword', get };
}

function person<Item>(get: (item: Item) => string | undefined): Field<Item> {
  const lowered = (id: string | undefined): FieldValue => id && personIdOf(id);
  return { kind: 'keyword', isPerson: true, get: (item) => lowered(get(item)) };
}

function number<Item>(get: Field<Item>['get']): Field<Item> {
  return { kind: 'number', get };
}

function longText<Item>(get: Field<Item>['get']): Field<Item> {
  return { kind: 'text', get };
}

function moment(at: number): number | undefined {
  return at === 0 ? undefined : at;
}

const inputText = (item: WorkflowItem): string | typeof unread =>
  'input' in item ? maskedPayload(item.input, item.snapshot.def.maskedFields).text : unread;
const outputText = (item: WorkflowItem): string | typeof unread =>
  'output' in item ? maskedPayload(item.output, item.snapshot.def.maskedFields).text : unread;
const workflowUpdateTime = number<WorkflowItem>(({ state }) => moment(state.updateTime));

export const searchedWorkflows: SearchedKind<WorkflowItem> = {
  fields: new Map<string, Field<WorkflowItem>>([
    ['workflowId', keyword(({ id }) => id)],
    ['workflowType', keyword(({ snapshot }) => snapshot.def.name)],
    ['version', number(({ snapshot }) => snapshot.def.version)],
    ['status', keyword(({ state }) => state.status)],
    ['correlationId', keyword(({ attributes }) => attributes.correlationId)],
    ['startTime', number(({ state }) => moment(state.createTime))],
    ['updateTime', workflowUpdateTime],
    ['modifiedTime', workflowUpdateTime],
    ['endTime', number(({ state }) => moment(state.endTime))],
    [
      'executionTime',
      number(({ state: { createTime, endTime } }) => (endTime === 0 ? 0 : endTime - createTime)),
    ],
    ['priority', number(({ attributes }) => attributes.priority)],
    ['event', keyword(({ attributes }) => attributes.event)],
    ['createdBy', person(({ attributes }) => plainId(attributes.createdBy ?? '') || undefined)],
    ['idempotencyKey', keyword(({ attributes }) => attributes.idempotencyKey)],
    ['parentWorkflowId', keyword(({ attributes }) => attributes.parentWorkflowId)],
    ['failedReferenceTaskNames', keyword(({ state }) => state.failedReferenceTaskNames)],
    ['failedTaskNames', keyword(({ state }) => state.failedTaskNames)],
    ['classifier', keyword(({ snapshot }) => classifierOf(snapshot.def))],
    ['reasonForIncompletion', longText(({ state }) => state.reasonForIncompletion)],
    ['input', longText(inputText)],
    ['output', longText(outputText)],
  ]),
  texts: (item) => [
    item.id,
    item.snapshot.def.name,
    item.state.status,
    item.attributes.correlationId,
    item.state.reasonForIncompletion,
    item.attributes.event,
    item.attributes.idempotencyKey,
    ...item.state.failedReferenceTaskNames,
    inputText(item),
    outputText(item),
  ],
};

const taskRef = keyword<TaskItem>(({ task }) => task.ref);
const taskInput = ({ open, task }: TaskItem): string =>
  maskedPayload(inputOf(open, task), open.execution.snapshot.def.maskedFields).text;
const taskOutput = ({ open, task }: TaskItem): string =>
  maskedPayload(outputOf(open, task), open.execution.snapshot.def.maskedFields).text;

export const searchedTasks: SearchedKind<TaskItem> = {
  fields: new Map<string, Field<TaskItem>>([
    ['taskId', keyword(({ open, task }) => taskIdOf(open.execution.id, task.number))],
    ['taskType', keyword(({ task }) => task.taskType)],
    ['taskDefName', keyword(({ task }) => (task.defName === '' ? task.taskType : task.defName))],
    ['referenceTaskName', taskRef],
    ['taskReferenceName', taskRef],
    ['status', keyword(({ task }) => task.status)],
    ['workflowId', keyword(({ open }) => open.execution.id)],
    ['workflowType', keyword(({ open }) => open.execution.snapshot.def.name)],
    ['correlationId', keyword(({ open }) => open.execution.attributes.correlationId)],
    ['scheduledTime', number(({ task }) => moment(task.scheduledAt))],
    ['startTime', number(({ task }) => moment(task.startAt))],
    ['updateTime', number(({ task }) => moment(task.updateAt))],
    ['endTime', number(({ task }) => moment(task.endAt))],
    [
      'executionTime',
      number(({ task: { startAt, endAt } }) =>
        startAt === 0 || endAt === 0 ? 0 : endAt - startAt,
      ),
    ],
    ['queueWaitTime', number(({ task, now }) => queueWaitTime(task, now))],
    ['domain', keyword(({ task }) => task.domain)],
    ['workflowPriority', number(({ open }) => open.execution.attributes.priority)],
    ['reasonForIncompletion', longText(({ task }) => task.reason)],
    ['input', longText(taskInput)],
    ['output', longText(taskOutput)],
  ]),
  texts: (item) => [
    taskIdOf(item.open.execution.id, item.task.number),
    item.task.taskType,
    item.task.defName,
    item.task.ref,
    item.task.status,
    item.task.reason,
    item.open.execution.id,
    item.open.execution.snapshot.def.name,
    item.open.execution.attributes.correlationId,
    taskInput(item),
    taskOutput(item),
  ],
};
