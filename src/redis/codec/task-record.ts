// A task's stored record (field `t<number>` of its execution): everything but its payloads, which
// have fields of their own. Positional; names that equal the configuration's are left out, and so
// is everything that is rarely set.
import type { ExecutionId } from '../../std/ids.js';
import type { SparseSet } from '../../std/sparse.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import type { Task } from '../../model/execution.js';
import type { TaskStatus } from '../../model/status.js';
import type { TaskDef } from '../../model/task-def.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import type { ConfigIndex } from './config-index.js';
import { inlineConfigText, parseInlineConfig, taskDefRecord } from './inline-config.js';
import type { FieldWriter } from './field-writer.js';
import type { PackValue } from './packer.js';
import { unpackRecord, type StoredValue } from './record.js';
import { readTime, writeTime } from './times.js';

const format = 1;

const statuses: readonly TaskStatus[] = [
  'SCHEDULED',
  'IN_PROGRESS',
  'COMPLETED',
  'COMPLETED_WITH_ERRORS',
  'FAILED',
  'FAILED_WITH_TERMINAL_ERROR',
  'TIMED_OUT',
  'CANCELED',
  'SKIPPED',
];
const statusCodes = Object.fromEntries(statuses.map((status, code) => [status, code])) as Readonly<
  Record<TaskStatus, number>
>;

const flag = {
  retried: 1,
  executed: 2,
  subworkflowChanged: 4,
  /** The payload field of that name, if there is one, is out of date. */
  inputEmpty: 8,
  outputEmpty: 16,
} as const;

/** The values outside themselves that the records of an execution refer to. */
export interface TaskRecordContext {
  readonly configs: ConfigIndex;
  /** Hashes of the task definitions that are stored beside the tasks (fields `k<hash>`); grows. */
  readonly taskDefs: SparseSet<string>;
}

const fieldCount = 26;

/** Field `t<number>`, after the task definition that it needs beside it. */
export function writeTaskRecord(task: Task, context: TaskRecordContext, fields: FieldWriter): void {
  const { config, scheduledAt } = task;
  const reference = configReference(config, context, fields);
  const packer = fields.start(`t${task.number}`, fieldCount);
  packer.number(format);
  if (typeof reference === 'number') packer.number(reference);
  else packer.value(reference);
  packer.textIfAny(task.ref === config.taskReferenceName ? null : task.ref);
  packer.textIfAny(task.taskType === config.name ? null : task.taskType);
  packer.textIfAny(task.defName === config.name ? null : task.defName);
  packer.number(statusCodes[task.status]);
  packer.number(flagsOf(task));
  packer.number(task.seq);
  packer.number(task.retryCount);
  packer.number(task.reopenCount);
  packer.number(task.iteration);
  packer.number(scheduledAt);
  writeTime(packer, task.firstScheduledAt, scheduledAt);
  writeTime(packer, task.startAt, scheduledAt);
  writeTime(packer, task.firstStartAt, scheduledAt);
  writeTime(packer, task.endAt, scheduledAt);
  writeTime(packer, task.updateAt, scheduledAt);
  packer.number(task.startDelaySeconds);
  packer.number(task.callbackAfterSeconds);
  packer.number(task.callbackAfterMs);
  packer.number(task.responseTimeoutSeconds);
  packer.number(task.rateLimitPerFrequency);
  packer.number(task.rateLimitFrequencyInSeconds);
  packer.number(task.pollCount);
  packer.textIfAny(task.workerId);
  packer.listIfAny(rareFields(task));
  fields.end();
}

function configReference(
  config: WorkflowTask,
  context: TaskRecordContext,
  fields: FieldWriter,
): number | string[] {
  const number = context.configs.numbers.get(config);
  if (number !== undefined) return number;
  if (!config.taskDefinition) return [inlineConfigText(config)];
  const { hash, text } = taskDefRecord(config.taskDefinition);
  if (!context.taskDefs.has(hash)) {
    context.taskDefs.add(hash);
    fields.text(`k${hash}`, text);
  }
  return [inlineConfigText(config), hash];
}

function flagsOf(task: Task): number {
  return (
    (task.retried ? flag.retried : 0) |
    (task.executed ? flag.executed : 0) |
    (task.subworkflowChanged ? flag.subworkflowChanged : 0) |
    (task.input.isEmpty ? flag.inputEmpty : 0) |
    (task.output.isEmpty ? flag.outputEmpty : 0)
  );
}

function rareFields(task: Task): PackValue[] | null {
  if (
    task.domain === undefined &&
    task.reason === undefined &&
    task.retriedTaskNumber === undefined &&
    task.subWorkflowId === undefined &&
    task.waitUntilAt === 0 &&
    task.lease === undefined &&
    task.notes === undefined &&
    task.executionMetadata === undefined &&
    task.externalOutputPayloadStoragePath === undefined
  ) {
    return null;
  }
  return [
    task.domain,
    task.reason,
    task.retriedTaskNumber,
    task.subWorkflowId,
    task.waitUntilAt,
    task.lease && [task.lease.number, task.lease.endAt],
    task.notes === undefined ? null : toJsonText(task.notes),
    task.executionMetadata && toJsonText(task.executionMetadata),
    task.externalOutputPayloadStoragePath,
  ];
}

/** Where decoding finds what the record refers to. */
export interface TaskDecodeContext {
  readonly configs: ConfigIndex;
  taskDef(hash: string): TaskDef | undefined;
  input: Payload | undefined;
  output: Payload | undefined;
}

export function decodeTaskRecord(
  number: number,
  record: StoredValue,
  context: TaskDecodeContext,
): Task {
  const f = unpackRecord('task record', record, format);
  const scheduledAt = f[11] as number;
  const config = configOf(f[1] as number | string[], context);
  const flags = f[6] as number;
  const task: Task = {
    number,
    config,
    ref: (f[2] as string | null) ?? config.taskReferenceName,
    taskType: (f[3] as string | null) ?? config.name,
    defName: (f[4] as string | null) ?? config.name,
    status: statuses[f[5] as number] as TaskStatus,
    seq: f[7] as number,
    retryCount: f[8] as number,
    reopenCount: f[9] as number,
    retried: (flags & flag.retried) !== 0,
    executed: (flags & flag.executed) !== 0,
    subworkflowChanged: (flags & flag.subworkflowChanged) !== 0,
    iteration: f[10] as number,
    scheduledAt,
    firstScheduledAt: readTime(f[12], scheduledAt),
    startAt: readTime(f[13], scheduledAt),
    firstStartAt: readTime(f[14], scheduledAt),
    endAt: readTime(f[15], scheduledAt),
    updateAt: readTime(f[16], scheduledAt),
    startDelaySeconds: f[17] as number,
    callbackAfterSeconds: f[18] as number,
    callbackAfterMs: f[19] as number,
    responseTimeoutSeconds: f[20] as number,
    rateLimitPerFrequency: f[21] as number,
    rateLimitFrequencyInSeconds: f[22] as number,
    pollCount: f[23] as number,
    waitUntilAt: 0,
    input: (flags & flag.inputEmpty) === 0 && context.input ? context.input : Payload.empty,
    output: (flags & flag.outputEmpty) === 0 && context.output ? context.output : Payload.empty,
    workerId: (f[24] as string | null) ?? undefined,
    lease: undefined,
    domain: undefined,
    reason: undefined,
    notes: undefined,
    retriedTaskNumber: undefined,
    subWorkflowId: undefined,
    executionMetadata: undefined,
    externalOutputPayloadStoragePath: undefined,
  };
  if (f[25] !== null) setRareFields(task, f[25] as unknown[]);
  return task;
}

function configOf(reference: number | string[], context: TaskDecodeContext): WorkflowTask {
  if (typeof reference === 'number') {
    const config = context.configs.list[reference];
    if (!config)
      throw new Error(`A task record names configuration ${reference}, which its snapshot lacks`);
    return config;
  }
  const hash = reference[1];
  return parseInlineConfig(
    reference[0] as string,
    hash === undefined ? undefined : context.taskDef(hash),
  );
}

function setRareFields(task: Task, rare: unknown[]): void {
  if (rare[0] !== null) task.domain = rare[0] as string;
  if (rare[1] !== null) task.reason = rare[1] as string;
  if (rare[2] !== null) task.retriedTaskNumber = rare[2] as number;
  if (rare[3] !== null) task.subWorkflowId = rare[3] as ExecutionId;
  task.waitUntilAt = rare[4] as number;
  const lease = rare[5] as [number, number] | null;
  if (lease !== null) task.lease = { number: lease[0], endAt: lease[1] };
  if (rare[6] !== null) task.notes = parseJson(rare[6] as string) as Json;
  if (rare[7] !== null) task.executionMetadata = parseJson(rare[7] as string) as JsonMap;
  if (rare[8] !== null) task.externalOutputPayloadStoragePath = rare[8] as string;
}
