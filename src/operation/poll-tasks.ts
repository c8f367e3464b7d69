// Hands tasks to a worker (contract-core 15.2, semantics 5.3). Everything that makes a task fit for
// delivery happens in the queues.
import { requireRight, type Target } from '../access/access-rules.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { QueueName } from '../engine/decision.js';
import type { TaskText } from '../queue/task-queues.js';
import type { WorkerOrigin } from '../queue/worker-notes.js';
import type { OperationContext } from './context.js';
import { parkPoll } from './park-poll.js';

export interface PollTasks {
  readonly taskType: string;
  /** Absent or empty: only tasks without domain. */
  readonly domain: string | undefined;
  readonly workerId: string | undefined;
  /** 0: none; below: one (contract-core 15.2, recorded). */
  readonly count: number;
  /** How long to wait for the first one, ms. */
  readonly timeoutMs: number;
  readonly onAbort: (listener: () => void) => void;
  /** Absent: nobody knows. */
  readonly origin?: () => WorkerOrigin;
}

/** The wait of a poll without timeout, ms (contract-core 21.1). */
export const pollTimeoutMs = 100;

/** Characters of a task type, domain or worker id: the node remembers who polled what. */
const nameCharsMax = 1000;

/**
 * Throws AppError 'bad-request' for too long a wait or name, 'too-many' when too many polls wait,
 * 'unauthenticated' and 'forbidden' also when the right ends while the poll waits.
 */
export function pollTasks(
  context: OperationContext,
  caller: Caller,
  poll: PollTasks,
): Promise<TaskText[]> {
  checkTimeout(poll, context.limits.pollTimeoutMsMax);
  checkNames(poll);
  requirePollRight(context, caller, poll);
  context.workers?.polled(poll, poll.origin);
  if (poll.count === 0) return Promise.resolve([]);
  const queue = toQueue(poll.taskType, poll.domain);
  const request = {
    queue,
    workerId: poll.workerId || undefined,
    count: Math.min(Math.max(1, poll.count), context.limits.pollCountMax),
    timeoutMs: Math.max(0, poll.timeoutMs),
    onAbort: poll.onAbort,
  };
  const park = (): Promise<TaskText[]> =>
    parkPoll(context, caller, request, rightTo(context, queue));
  return context.parkedPolls === undefined ? park() : context.parkedPolls.during(caller.id, park);
}

/** Keeps nothing of the request while the poll waits. */
function rightTo(context: OperationContext, queue: QueueName): (caller: Caller) => void {
  return (caller) => requirePollRight(context, caller, queue);
}

interface PolledQueue {
  readonly taskType: string;
  readonly domain?: string | undefined;
}

/** EXECUTE on the task definition, or on the domain that is polled (contract-admin 6.4). */
function requirePollRight(
  { access }: OperationContext,
  caller: Caller,
  { taskType, domain }: PolledQueue,
): void {
  if (isAdministrator(caller)) return;
  requireRight(access, caller, 'EXECUTE', polledTarget(taskType, domain));
}

export function mayPoll(
  { access }: Pick<OperationContext, 'access'>,
  caller: Caller,
  { taskType, domain }: QueueName,
): boolean {
  if (isAdministrator(caller)) return true;
  return access.may(caller, 'EXECUTE', polledTarget(taskType, domain));
}

function polledTarget(taskType: string, domain: string | undefined): Target {
  return { type: 'TASK_DEF', id: taskType, ...(domain ? { domain } : {}) };
}

/** The sentence is the reference's (recorded). */
function checkTimeout({ timeoutMs }: PollTasks, mostMs: number): void {
  if (timeoutMs <= mostMs) return;
  throw new AppError(
    'bad-request',
    `Long Poll Timeout value cannot be more than ${mostMs / 1000} seconds`,
  );
}

function checkNames({ taskType, domain, workerId }: PollTasks): void {
  for (const [field, name] of Object.entries({ taskType, domain, workerId })) {
    if (name === undefined || name.length <= nameCharsMax) continue;
    throw new AppError('bad-request', `${field} is longer than ${nameCharsMax} characters`);
  }
}

export function toQueue(taskType: string, domain: string | undefined): QueueName {
  return domain ? { taskType, domain } : { taskType };
}
