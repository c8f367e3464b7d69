// Names and records of queue members as the queue scripts keep them (`scripts/lib/queue.lua`).
import type { TaskId } from '../../std/ids.js';
import type { QueueName } from '../../engine/decision.js';
import type { Attempt, AttemptLimits, LeaseRecord } from '../../store/queue-store.js';
import { packEnvelope } from './envelope.js';
import { unpackRecord } from './record.js';

/** Members of priority 0 come after all others (semantics 5.2). */
const lastClass = 100;

export function urgencyClass(priority: number): number {
  return priority >= 1 && priority < lastClass ? Math.floor(priority) : lastClass;
}

export function memberOf(attempt: Attempt): string {
  return `${attempt.taskId}:${attempt.reopenCount}`;
}

export function parseMember(member: string): Attempt {
  const colon = member.lastIndexOf(':');
  return { taskId: member.slice(0, colon) as TaskId, reopenCount: Number(member.slice(colon + 1)) };
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

export function decodeLease(attempt: Attempt, bytes: Buffer): LeaseRecord {
  const fields = unpackRecord('lease record', bytes, 1);
  return {
    attempt,
    leaseNumber: fields[1] as number,
    workerId: fields[5] === false ? undefined : (fields[5] as string),
    startAt: fields[6] as number,
    pollCount: fields[7] as number,
    endAt: fields[8] as number,
  };
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
