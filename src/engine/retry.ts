// Automatic retries (semantics 2.7.1) and the making of a new attempt, which manual retries use as
// well.
import type { Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { isRetriableTask } from '../model/status.js';
import { taskPart } from './decision.js';
import type { TaskDef } from '../model/task-def.js';
import { inputOfAttempt, keepsInput, keepsInputKey } from './edited-input.js';
import { taskIdIn } from './ending.js';
import { domainOf } from './mapping.js';
import { limitReached } from './record-limits.js';
import { appendTask } from './records.js';
import { lastingNotes } from './notes.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Largest delay in seconds; what overflows becomes it. */
const delaySecondsMax = 2147483647;

/**
 * The verdict of the retry rule on a task that failed. `end`: no attempt is left; `reason` then
 * overrides the usual text.
 */
export type RetryVerdict = { kind: 'retry' } | { kind: 'end'; reason?: string };

export function judgeRetry(t: Transition, task: Task): RetryVerdict {
  const def = task.config.taskDefinition;
  const limit = task.config.retryCount ?? def?.retryCount ?? 0;
  if (
    !isRetriableTask(task.status) ||
    !taskTypeOf(task).retry.isAutomatic ||
    task.retryCount >= limit
  ) {
    return { kind: 'end' };
  }
  const reached = limitReached(t);
  if (reached !== undefined) return { kind: 'end', reason: reached };
  const totalSeconds = def?.totalTimeoutSeconds ?? 0;
  if (totalSeconds > 0 && task.firstScheduledAt > 0) {
    const elapsed = Math.floor((t.now - task.firstScheduledAt) / 1000);
    if (elapsed >= totalSeconds) {
      return {
        kind: 'end',
        reason:
          `Task ${taskIdIn(t, task)}/${task.defName} exceeded total timeout of ${totalSeconds} seconds ` +
          `(elapsed ${elapsed} seconds across all attempts). No further retries will be attempted.`,
      };
    }
  }
  return { kind: 'retry' };
}

/** Seconds before the attempt after one with `retryCount`, without jitter. */
export function retryDelaySeconds(def: TaskDef | undefined, retryCount: number): number {
  const base = def?.retryDelaySeconds ?? 60;
  let delay = base;
  if (def?.retryLogic === 'LINEAR_BACKOFF')
    delay = base * def.backoffScaleFactor * (retryCount + 1);
  if (def?.retryLogic === 'EXPONENTIAL_BACKOFF') delay = base * 2 ** retryCount;
  delay = Math.min(delay, delaySecondsMax);
  const cap = def?.maxRetryDelaySeconds ?? 0;
  return cap > 0 ? Math.min(delay, cap) : delay;
}

/** 0 to `backoffJitterMs`, the same for the same attempt: a hash (FNV-1a) of its identity. */
function retryJitterMs(t: Transition, task: Task): number {
  const jitterMsMax = task.config.taskDefinition?.backoffJitterMs ?? 0;
  if (jitterMsMax <= 0) return 0;
  const text = `${t.execution.id}|${task.number}|${task.retryCount}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash % (jitterMsMax + 1);
}

/** Supersedes a failed attempt after its delay (semantics 2.7.1). */
export function retryTask(t: Transition, task: Task): void {
  const seconds = retryDelaySeconds(task.config.taskDefinition, task.retryCount);
  const attempt = createAttempt(t, task, {
    delaySeconds: seconds,
    delayMs: Math.min(seconds * 1000 + retryJitterMs(t, task), Number.MAX_SAFE_INTEGER),
    keepReason: true,
    renewDomain: true,
  });
  taskTypeOf(attempt).begin(t, attempt);
}

export interface AttemptOptions {
  /** Shown delay. */
  delaySeconds: number;
  /** Exact delay with jitter. */
  delayMs: number;
  /** Automatic retries keep the reason of the failed attempt until the new one ends. */
  keepReason: boolean;
  /** Automatic retries choose the domain again; manual ones keep it (semantics 5.6). */
  renewDomain: boolean;
  /** The input that a caller gave for it (edited-input.ts). */
  edited?: JsonMap;
}

/**
 * A copy of `task` as its next attempt: SCHEDULED, numbered, in the list; `task` is marked as
 * retried and counts as consumed. The caller begins it (`taskTypeOf(attempt).begin`).
 */
export function createAttempt(t: Transition, task: Task, options: AttemptOptions): Task {
  const { now } = t;
  const fields: Omit<Task, 'number'> = {
    ref: task.ref,
    config: task.config,
    taskType: task.taskType,
    defName: task.defName,
    status: 'SCHEDULED',
    seq: 0,
    retryCount: task.retryCount + 1,
    reopenCount: 0,
    retried: false,
    executed: false,
    retriedTaskNumber: task.number,
    iteration: task.iteration,
    scheduledAt: now,
    firstScheduledAt: task.firstScheduledAt,
    startAt: 0,
    firstStartAt: 0,
    endAt: 0,
    updateAt: 0,
    startDelaySeconds: options.delaySeconds,
    callbackAfterSeconds: options.delaySeconds,
    callbackAfterMs: options.delayMs,
    responseTimeoutSeconds: task.responseTimeoutSeconds,
    rateLimitPerFrequency: task.rateLimitPerFrequency,
    rateLimitFrequencyInSeconds: task.rateLimitFrequencyInSeconds,
    pollCount: 0,
    subworkflowChanged: false,
    waitUntilAt: task.waitUntilAt,
    input: inputOfAttempt(t, task, options.edited),
    output: Payload.empty,
  };
  const domain = domainOfAttempt(t, task, options.renewDomain);
  if (domain !== undefined) fields.domain = domain;
  if (options.keepReason && task.reason !== undefined) fields.reason = task.reason;
  const notes = notesOfAttempt(task, options.edited !== undefined || keepsInput(task));
  if (notes !== undefined) fields.notes = notes;
  task.retried = true;
  t.touch(task, taskPart.record);
  const attempt = appendTask(t, fields);
  t.open.consumed(task, false);
  return attempt;
}

function domainOfAttempt(t: Transition, task: Task, renew: boolean): string | undefined {
  return renew && taskTypeOf(task).carriedOutBy === 'worker'
    ? domainOf(t, task.taskType)
    : task.domain;
}

/** Marks that say what kind of task it is outlive an attempt, and that its input was given. */
function notesOfAttempt(task: Task, isInputGiven: boolean): Json | undefined {
  const kind = lastingNotes(task);
  return isInputGiven ? { ...kind, [keepsInputKey]: true } : kind;
}
