// claim-task and its kin (semantics 5.3, invariants M7, M8): the hand-out of an attempt to a worker
// and the ends of that right.
//
// With `lease` in the command the hand-over happens inside this execution's commit: the lease
// stands in the record. Without it the queue keeps the lease, and IN_PROGRESS, worker and start
// time stay in memory until the task's next commit; a new owner hears of them by `restore-lease`
// before it trusts a SCHEDULED record.
import type { Task } from '../../model/execution.js';
import { taskPart, type Reply } from '../decision.js';
import type { OpenExecution } from '../open-execution.js';
import { setNotes } from '../records.js';
import { notesOf } from '../notes.js';
import { publishState } from '../state-changes.js';
import { isWorkerTask } from '../task-kinds.js';
import { endByResponseTimeout } from '../timeouts.js';
import type { Transition } from '../transition.js';
import { ok, type CommandHandler, type CommandOf } from './contract.js';

const notWanted: Reply = { kind: 'not-wanted' };

/** The attempt that is claimed, and its worker. */
export type Claim = Omit<CommandOf<'claim-task'>, 'kind'>;

export const claimTask: CommandHandler<'claim-task'> = (t, command) => {
  const wasScheduled = attemptOf(t.open, command)?.status === 'SCHEDULED';
  const claimed = claimAttempt(t.open, command, t.now);
  if (claimed === undefined) return notWanted;
  if (claimed.mustStore) t.touch(claimed.task, taskPart.record);
  if (wasScheduled) publishState(t, claimed.task, 'onStart');
  return { kind: 'claimed', task: claimed.task };
};

/**
 * Hands an attempt out; undefined when it is not wanted. Nothing follows from a claim unless the
 * task has state events, so an owner at rest may call this without a step. `mustStore`: the record
 * has to be written.
 */
export function claimAttempt(
  open: OpenExecution,
  claim: Claim,
  now: number,
): { task: Task; mustStore: boolean } | undefined {
  const task = attemptOf(open, claim);
  if (task === undefined || !isWorkerTask(task) || !mayClaim(task, claim)) return undefined;
  // A claim that comes again is the same hand-out: the first one did not reach its worker.
  if (task.status === 'SCHEDULED') task.pollCount++;
  task.status = 'IN_PROGRESS';
  if (task.startAt === 0) task.startAt = now;
  if (task.firstStartAt === 0) task.firstStartAt = now;
  task.updateAt = now;
  task.callbackAfterSeconds = 0;
  task.callbackAfterMs = 0;
  task.workerId = claim.workerId;
  if (claim.lease !== undefined) {
    const seconds = task.responseTimeoutSeconds;
    const endAt = seconds > 0 ? now + seconds * 1000 : 0;
    task.lease = { number: claim.lease.number, endAt };
  }
  open.arm(task);
  return { task, mustStore: claim.lease !== undefined || hasUnguardedTimeout(task) };
}

/**
 * SCHEDULED attempts are free. Of those in progress under a lease that the queue keeps, the queue
 * is the authority: when it leases one again, the lease before has gone back, because the claim was
 * not answered in time or its worker was gone.
 */
function mayClaim(task: Task, command: Claim): boolean {
  if (task.status === 'SCHEDULED') return true;
  return task.status === 'IN_PROGRESS' && task.lease === undefined && command.lease === undefined;
}

/**
 * A task timeout counts from now and no lease end will bring the execution back: the wake-up must
 * be durable at once.
 */
function hasUnguardedTimeout(task: Task): boolean {
  return task.responseTimeoutSeconds === 0 && (task.config.taskDefinition?.timeoutSeconds ?? 0) > 0;
}

/**
 * The queue holds a lease that this owner did not know: the attempt is in progress
 * (architecture section 1.5).
 */
export const restoreLease: CommandHandler<'restore-lease'> = (t, command) => {
  const task = attemptOf(t.open, command);
  if (task?.status !== 'SCHEDULED') return ok;
  task.status = 'IN_PROGRESS';
  task.startAt = command.startAt;
  if (task.firstStartAt === 0) task.firstStartAt = command.startAt;
  task.pollCount = Math.max(task.pollCount, command.pollCount);
  task.callbackAfterSeconds = 0;
  task.callbackAfterMs = 0;
  if (command.workerId !== undefined) task.workerId = command.workerId;
  t.open.arm(task);
  return ok;
};

/** An `extend` may be under way to the queue when a lease ends there. */
const leaseToleranceMs = 500;

/**
 * Response timeout seen by the queue (semantics 2.5). A paused execution remembers it for its
 * resume.
 */
export const endLease: CommandHandler<'end-lease'> = (t, command) => {
  const task = attemptOf(t.open, command);
  if (task?.status !== 'IN_PROGRESS' || !isWorkerTask(task)) return notWanted;
  const seconds = task.responseTimeoutSeconds;
  if (task.updateAt + seconds * 1000 > t.now + leaseToleranceMs) return notWanted;
  if (t.execution.state.status === 'PAUSED') setNotes(t, task, { leaseEnded: true });
  else if (t.execution.state.status === 'RUNNING') endByResponseTimeout(t, task);
  return ok;
};

/** Response timeouts that came while the execution was paused (called by resume). */
export function endRememberedLeases(t: Transition): void {
  for (const task of [...t.open.openTasks]) {
    if (notesOf(task)['leaseEnded'] !== true) continue;
    setNotes(t, task, { leaseEnded: undefined });
    if (task.status === 'IN_PROGRESS') endByResponseTimeout(t, task);
  }
}

/** The hand-over inside a commit did not reach its worker: the attempt was never out. */
export const releaseLease: CommandHandler<'release-lease'> = (t, command) => {
  const task = attemptOf(t.open, command);
  if (task?.status !== 'IN_PROGRESS' || task.lease?.number !== command.leaseNumber)
    return notWanted;
  becomeScheduled(t.open, task);
  t.touch(task, taskPart.record);
  t.emit({ kind: 'schedule', task });
  return ok;
};

/**
 * A claim whose lease did not come about: the attempt is as it was before, unless something else
 * has happened to it. True when the record has to be written.
 */
export function releaseClaim(open: OpenExecution, task: Task, reopenCount: number): boolean {
  if (task.reopenCount !== reopenCount || task.lease !== undefined) return false;
  if (task.status !== 'IN_PROGRESS') return false;
  becomeScheduled(open, task);
  return hasUnguardedTimeout(task);
}

function becomeScheduled(open: OpenExecution, task: Task): void {
  task.lease = undefined;
  task.workerId = undefined;
  task.status = 'SCHEDULED';
  task.pollCount = Math.max(0, task.pollCount - 1);
  if (task.pollCount === 0) {
    task.startAt = 0;
    task.firstStartAt = 0;
  }
  open.arm(task);
}

/** The task, if the command means its current attempt. */
function attemptOf(
  open: OpenExecution,
  attempt: { taskNumber: number; reopenCount: number },
): Task | undefined {
  const task = open.byNumber.get(attempt.taskNumber);
  return task?.reopenCount === attempt.reopenCount ? task : undefined;
}
