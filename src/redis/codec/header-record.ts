// The two header records of an execution: attributes (field `a`, with the hash of its snapshot) and
// progress (field `x`, which every commit rewrites), its messages (field `m`) and its history
// (field `y`).
import type { ExecutionId } from '../../std/ids.js';
import type { HistoryEntry } from '../../model/history.js';
import { parseJson, parseOwnJson, toJsonText } from '../../model/json-text.js';
import type {
  ExecutionAttributes,
  ExecutionProgress,
  ExecutionTrace,
  WorkflowMessage,
} from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import type { WorkflowStatus } from '../../model/status.js';
import type { HeldLoad } from '../../store/held-store.js';
import type { FieldWriter } from './field-writer.js';
import type { PackValue } from './packer.js';
import { unpackRecord, unpackText, type StoredValue } from './record.js';
import { readTime, writeTime } from './times.js';

const attributesFormat = 1;
const progressFormat = 1;

const statuses: readonly WorkflowStatus[] = [
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'TERMINATED',
];
const statusCodes = Object.fromEntries(statuses.map((status, code) => [status, code])) as Readonly<
  Record<WorkflowStatus, number>
>;

/** Field `a`. */
export function writeAttributes(
  attributes: ExecutionAttributes,
  snapshotHash: string,
  fields: FieldWriter,
): void {
  const { trace, imported } = attributes;
  // Most have neither: their record ends before them.
  const packer = fields.start('a', imported !== undefined ? 17 : trace === undefined ? 15 : 16);
  packer.number(attributesFormat);
  packer.text(snapshotHash);
  packer.number(attributes.priority);
  packer.text(toJsonText(attributes.taskToDomain));
  packer.textIfAny(attributes.correlationId);
  packer.textIfAny(attributes.parentWorkflowId);
  packer.value(attributes.parentTaskNumber);
  packer.textIfAny(attributes.event);
  packer.textIfAny(attributes.createdBy);
  packer.textIfAny(attributes.idempotencyKey);
  packer.textIfAny(attributes.externalInputPayloadStoragePath);
  packer.textIfAny(attributes.triggeredBy);
  packer.value(attributes.depth);
  packer.textIfAny(attributes.definitionVariables?.text);
  const { nameOwner } = attributes;
  packer.listIfAny(
    nameOwner === undefined
      ? null
      : [nameOwner.registration, nameOwner.owner, nameOwner.isInline === true ? 1 : 0],
  );
  if (trace !== undefined) {
    packer.listIfAny([trace.traceparent, trace.tracestate ?? null, trace.parentSpanId ?? null]);
  } else if (imported !== undefined) packer.listIfAny(null);
  if (imported !== undefined) packer.listIfAny([imported.id, imported.from, imported.at]);
  fields.end();
}

export function decodeAttributes(record: StoredValue): {
  attributes: ExecutionAttributes;
  snapshotHash: string;
} {
  const f = unpackRecord('record of execution attributes', record, attributesFormat);
  const attributes: ExecutionAttributes = {
    priority: f[2] as number,
    taskToDomain: parseJson(f[3] as string) as { [taskType: string]: string },
  };
  if (f[4] !== null) attributes.correlationId = f[4] as string;
  if (f[5] !== null) attributes.parentWorkflowId = f[5] as ExecutionId;
  if (f[6] !== null) attributes.parentTaskNumber = f[6] as number;
  if (f[7] !== null) attributes.event = f[7] as string;
  if (f[8] !== null) attributes.createdBy = f[8] as string;
  if (f[9] !== null) attributes.idempotencyKey = f[9] as string;
  if (f[10] !== null) attributes.externalInputPayloadStoragePath = f[10] as string;
  if (f[11] !== null) attributes.triggeredBy = f[11] as ExecutionId;
  if (f[12] !== null) attributes.depth = f[12] as number;
  // Records written before there were such fields end here.
  if ((f[13] ?? null) !== null) attributes.definitionVariables = Payload.ofText(f[13] as string);
  if ((f[14] ?? null) !== null) {
    const [registration, owner, inline] = f[14] as [string, string, number];
    attributes.nameOwner = { registration, owner, ...(inline === 1 ? { isInline: true } : {}) };
  }
  if ((f[15] ?? null) !== null) attributes.trace = traceOf(f[15] as TraceFields);
  if ((f[16] ?? null) !== null) {
    const [id, from, at] = f[16] as [string, string, number];
    attributes.imported = { id, from, at };
  }
  return { attributes, snapshotHash: f[1] as string };
}

type TraceFields = [traceparent: string, tracestate: string | null, parentSpanId: string | null];

function traceOf([traceparent, tracestate, parentSpanId]: TraceFields): ExecutionTrace {
  return {
    traceparent,
    ...(tracestate !== null && { tracestate }),
    ...(parentSpanId !== null && { parentSpanId }),
  };
}

const kibibyte = 1024;
/** A load up to so much is not written: most executions have no more. */
const smallLoad: HeldLoad = { openTasks: 1, bytes: 4 * kibibyte };
const nothing: HeldLoad = { openTasks: 0, bytes: 0 };

/** Field `x`. `load`: what the execution holds (store/held-store.ts). */
export function writeProgress(
  state: ExecutionProgress,
  fields: FieldWriter,
  load: HeldLoad = nothing,
): void {
  const { createTime } = state;
  const isSmall = load.openTasks <= smallLoad.openTasks && load.bytes < smallLoad.bytes;
  const packer = fields.start('x', isSmall ? 12 : 13);
  packer.number(progressFormat);
  packer.number(statusCodes[state.status]);
  packer.number(state.unsettled ? 1 : 0);
  packer.number(createTime);
  writeTime(packer, state.updateTime, createTime);
  writeTime(packer, state.endTime, createTime);
  writeTime(packer, state.lastRetriedTime, createTime);
  packer.number(state.taskCounter);
  packer.number(state.seqCounter);
  packer.number(state.outboxCounter);
  packer.number(state.generation);
  packer.listIfAny(rareProgress(state));
  if (!isSmall) packer.listIfAny([load.openTasks, Math.floor(load.bytes / kibibyte)]);
  fields.end();
}

/** The load of the execution at its last commit; undefined: a small one, or the record is older. */
export function decodeLoad(record: StoredValue): HeldLoad | undefined {
  const f = unpackRecord('record of execution state', record, progressFormat);
  const load = (f[12] ?? undefined) as [openTasks: number, kibibytes: number] | undefined;
  return load && { openTasks: load[0], bytes: load[1] * kibibyte };
}

function rareProgress(state: ExecutionProgress): PackValue[] | null {
  if (
    state.previousStatus === undefined &&
    state.reasonForIncompletion === undefined &&
    state.failedTaskNumber === undefined &&
    state.reRunFromWorkflowId === undefined &&
    state.room === undefined &&
    state.failedReferenceTaskNames.length === 0 &&
    state.failedTaskNames.length === 0
  ) {
    return null;
  }
  return [
    state.previousStatus === undefined ? null : statusCodes[state.previousStatus],
    state.reasonForIncompletion,
    state.failedTaskNumber,
    state.reRunFromWorkflowId,
    state.failedReferenceTaskNames,
    state.failedTaskNames,
    state.room === undefined ? null : [state.room.room, state.room.isHeld],
  ];
}

export function decodeProgress(record: StoredValue): ExecutionProgress {
  const f = unpackRecord('record of execution state', record, progressFormat);
  const createTime = f[3] as number;
  const state: ExecutionProgress = {
    status: statuses[f[1] as number] as WorkflowStatus,
    unsettled: f[2] === 1,
    createTime,
    updateTime: readTime(f[4], createTime),
    endTime: readTime(f[5], createTime),
    lastRetriedTime: readTime(f[6], createTime),
    taskCounter: f[7] as number,
    seqCounter: f[8] as number,
    outboxCounter: f[9] as number,
    generation: f[10] as number,
    failedReferenceTaskNames: [],
    failedTaskNames: [],
  };
  const rare = f[11] as unknown[] | null;
  if (rare === null) return state;
  if (rare[0] !== null) state.previousStatus = statuses[rare[0] as number] as WorkflowStatus;
  if (rare[1] !== null) state.reasonForIncompletion = rare[1] as string;
  if (rare[2] !== null) state.failedTaskNumber = rare[2] as number;
  if (rare[3] !== null) state.reRunFromWorkflowId = rare[3] as ExecutionId;
  state.failedReferenceTaskNames = rare[4] as string[];
  state.failedTaskNames = rare[5] as string[];
  // Records written before there was such a field end here.
  if ((rare[6] ?? null) !== null) {
    const [room, isHeld] = rare[6] as [string, boolean];
    state.room = { room, isHeld };
  }
  return state;
}

/** Field `m`. */
export function writeMessages(messages: readonly WorkflowMessage[], fields: FieldWriter): void {
  fields.text('m', toJsonText(messages));
}

/** Field `y`. */
export function writeHistory(history: readonly HistoryEntry[], fields: FieldWriter): void {
  fields.text('y', toJsonText(history));
}

export function decodeHistory(stored: StoredValue): HistoryEntry[] {
  return parseOwnJson<HistoryEntry[]>(unpackText('history', stored));
}

export function decodeMessages(stored: StoredValue): WorkflowMessage[] {
  return parseOwnJson<WorkflowMessage[]>(unpackText('message list', stored));
}
