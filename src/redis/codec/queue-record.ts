// Names and records of queue members as the queue scripts keep them (`scripts/lib/queue.lua`).
import { numberOf, taskIdOf } from '../../std/ids.js';
import type { QueueName } from '../../engine/decision.js';
import type { Attempt, AttemptLimits, LeaseRecord } from '../../store/queue-store.js';
import { packBy, packEnvelope } from './envelope.js';
import type { Packer } from './packer.js';
import { unpackRecord } from './record.js';
import { executionIdOfShort, putShortId, shortIdLength, shortIdOf } from './short-id.js';

/** Members of priority 0 come after all others (semantics 5.2). */
export const lastClass = 100;

/** Score of a ready member (scripts/lib/queue.lua): its class times this, plus its order number. */
export const scorePerUrgency = 2 ** 46;
const orderNumbersPerMs = 128;
/** Order numbers count from here, epoch ms. */
const orderNumbersFrom = Date.UTC(2025, 0, 1);

/** Since when a member with this score is ready, epoch ms store time, and its class. */
export function parseReadyScore(score: number): { readonly since: number; readonly class: number } {
  const since = orderNumbersFrom + Math.floor((score % scorePerUrgency) / orderNumbersPerMs);
  return { since, class: Math.floor(score / scorePerUrgency) };
}

export function urgencyClass(priority: number): number {
  return priority >= 1 && priority < lastClass ? Math.floor(priority) : lastClass;
}

const taskIdLength = 36;

/** Short id of the execution, task number, and the reopen count unless it is 0. */
export function memberOf(attempt: Attempt): string {
  // A task id begins like that of its execution.
  return shortIdOf(attempt.taskId) + restOf(attempt);
}

/** The same into a packer. `shortId`: of the execution, where it has been made already. */
export function writeMember(packer: Packer, attempt: Attempt, shortId?: Uint8Array): void {
  const rest = restOf(attempt);
  if (shortId === undefined) putShortId(attempt.taskId, member);
  else for (let i = 0; i < shortIdLength; i++) member[i] = shortId[i] as number;
  for (let i = 0; i < rest.length; i++) member[shortIdLength + i] = rest.charCodeAt(i);
  packer.ascii(member, shortIdLength + rest.length);
}

/** The longest one: a task number and a reopen count of ten digits. */
const member = new Uint8Array(64);

function restOf({ taskId, reopenCount }: Attempt): string {
  const taskNumber = numberOf(taskId);
  if (taskId.length !== taskIdLength || Number.isNaN(taskNumber)) {
    throw new Error(`${taskId} is no task id of this server`);
  }
  return reopenCount === 0 ? String(taskNumber) : `${taskNumber}.${reopenCount}`;
}

export function parseMember(member: string): Attempt {
  const [task = '', reopenCount = '0'] = member.split('.');
  const taskNumber = Number(task.slice(shortIdLength));
  return {
    taskId: taskIdOf(executionIdOfShort(member), taskNumber),
    reopenCount: Number(reopenCount),
  };
}

/** Packed for the scripts; false when nothing is limited. */
export function packLimits(limits: AttemptLimits | undefined): Buffer | false {
  if (!limits || !isLimited(limits)) return false;
  return packEnvelope([
    limits.defName,
    Math.max(0, limits.concurrentExecLimit),
    Math.max(0, limits.rateLimitPerFrequency),
    Math.max(0, limits.rateLimitFrequencyInSeconds),
  ]);
}

export function isLimited(limits: AttemptLimits): boolean {
  return (
    limits.concurrentExecLimit > 0 ||
    (limits.rateLimitPerFrequency > 0 && limits.rateLimitFrequencyInSeconds > 0)
  );
}

/** Fields of a lease record; the last one is the score that the member had in ready. */
const leaseFields = 9;

/** The record of a full lease without limits, up to the score, which a script appends. */
export function openLeaseRecord(lease: LeaseRecord): Buffer {
  return packBy((packer) => writeOpenLease(packer, lease));
}

/** The same as a part of an argument. */
export function writeOpenLeases(packer: Packer, leases: readonly LeaseRecord[]): void {
  packer.list(leases.length);
  for (const lease of leases) {
    const record = packer.startString();
    writeOpenLease(packer, lease);
    packer.endString(record);
  }
}

function writeOpenLease(packer: Packer, lease: LeaseRecord): void {
  packer.list(leaseFields);
  packer.number(1);
  packer.number(lease.leaseNumber);
  packer.number(1);
  packer.boolean(false);
  if (lease.workerId === undefined) packer.boolean(false);
  else packer.text(lease.workerId);
  packer.number(lease.startAt);
  packer.number(lease.pollCount);
  packer.number(lease.endAt);
}

export function decodeLease(attempt: Attempt, bytes: Buffer): LeaseRecord {
  const fields = unpackRecord('lease record', bytes, 1);
  return {
    attempt,
    leaseNumber: fields[1] as number,
    workerId: fields[4] === false ? undefined : (fields[4] as string),
    startAt: fields[5] as number,
    pollCount: fields[6] as number,
    endAt: fields[7] as number,
  };
}

/** Id of the worker that holds the lease; undefined when it gave none. */
export function leaseWorker(bytes: Buffer): string | undefined {
  const worker = unpackRecord('lease record', bytes, 1)[4];
  return typeof worker === 'string' ? worker : undefined;
}

/** Whether limits are counted over the lease. */
export function isLimitedLease(bytes: Buffer): boolean {
  return unpackRecord('lease record', bytes, 1)[3] !== false;
}

/** A queue's name as one text, for sets and notices. */
export function queueText(queue: QueueName): string {
  return JSON.stringify(
    queue.domain === undefined ? [queue.taskType] : [queue.taskType, queue.domain],
  );
}

export function parseQueueText(text: string): QueueName {
  const [taskType, domain] = JSON.parse(text) as [string, string?];
  return domain === undefined ? { taskType } : { taskType, domain };
}
