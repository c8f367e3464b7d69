// The two header records of an execution: attributes (field `a`, with the hash of its snapshot) and
// progress (field `x`, which every commit rewrites), and its messages (field `m`).
import type { ExecutionId } from '../../std/ids.js';
import type { Json } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import type {
  ExecutionAttributes,
  ExecutionProgress,
  WorkflowMessage,
} from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import type { WorkflowStatus } from '../../model/status.js';
import { NestedRecord, type EnvelopeValue } from './envelope.js';
import { packText, unpackRecord, unpackText } from './record.js';

const attributesFormat = 1;
const progressFormat = 1;
/** Bytes of a header record, roughly; it never goes into a segment. */
const usualBytes = 150;

const statuses: readonly WorkflowStatus[] = [
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'TERMINATED',
];
const statusCodes = new Map(statuses.map((status, code) => [status, code]));

export function encodeAttributes(
  attributes: ExecutionAttributes,
  snapshotHash: string,
): NestedRecord {
  const taskToDomain = toJsonText(attributes.taskToDomain);
  const fields = [
    attributesFormat,
    snapshotHash,
    attributes.priority,
    taskToDomain,
    attributes.correlationId,
    attributes.parentWorkflowId,
    attributes.parentTaskNumber,
    attributes.event,
    attributes.createdBy,
    attributes.idempotencyKey,
    attributes.externalInputPayloadStoragePath,
    attributes.triggeredBy,
    attributes.depth,
    attributes.definitionVariables?.text,
  ];
  const variablesBytes = attributes.definitionVariables?.text.length ?? 0;
  return new NestedRecord(fields, usualBytes + taskToDomain.length + variablesBytes);
}

export function decodeAttributes(bytes: Uint8Array): {
  attributes: ExecutionAttributes;
  snapshotHash: string;
} {
  const f = unpackRecord('record of execution attributes', bytes, attributesFormat);
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
  // Records written before there was such a field end here.
  if ((f[13] ?? null) !== null) attributes.definitionVariables = Payload.ofText(f[13] as string);
  return { attributes, snapshotHash: f[1] as string };
}

export function encodeProgress(state: ExecutionProgress): NestedRecord {
  const fields = [
    progressFormat,
    statusCodes.get(state.status),
    state.unsettled ? 1 : 0,
    state.createTime,
    state.updateTime,
    state.endTime,
    state.lastRetriedTime,
    state.taskCounter,
    state.seqCounter,
    state.outboxCounter,
    state.generation,
    rareProgress(state),
  ];
  return new NestedRecord(fields, usualBytes);
}

function rareProgress(state: ExecutionProgress): EnvelopeValue[] | null {
  if (
    state.previousStatus === undefined &&
    state.reasonForIncompletion === undefined &&
    state.failedTaskNumber === undefined &&
    state.reRunFromWorkflowId === undefined &&
    state.failedReferenceTaskNames.length === 0 &&
    state.failedTaskNames.length === 0
  ) {
    return null;
  }
  return [
    state.previousStatus === undefined ? null : statusCodes.get(state.previousStatus),
    state.reasonForIncompletion,
    state.failedTaskNumber,
    state.reRunFromWorkflowId,
    state.failedReferenceTaskNames,
    state.failedTaskNames,
  ];
}

export function decodeProgress(bytes: Uint8Array): ExecutionProgress {
  const f = unpackRecord('record of execution state', bytes, progressFormat);
  const state: ExecutionProgress = {
    status: statuses[f[1] as number] as WorkflowStatus,
    unsettled: f[2] === 1,
    createTime: f[3] as number,
    updateTime: f[4] as number,
    endTime: f[5] as number,
    lastRetriedTime: f[6] as number,
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
  return state;
}

export function encodeMessages(messages: readonly WorkflowMessage[]): string {
  return packText(toJsonText(messages as unknown as Json));
}

export function decodeMessages(bytes: Buffer): WorkflowMessage[] {
  return parseJson(unpackText('message list', bytes)) as unknown as WorkflowMessage[];
}
