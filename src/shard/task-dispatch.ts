// From a SCHEDULED task to its queue, as an execution sees it (architecture section 1.5; the ways
// are told in queue/poll-hub.ts): leasing a task in its own commit for a poll that waits, offering
// it, pushing it, and taking it back.
import type { Clock } from '../std/clock.js';
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import type { Output } from '../engine/decision.js';
import { hasStateEvents } from '../engine/state-changes.js';
import { attemptLimits, queueDelay, queueOf } from '../engine/worker-queue.js';
import type { DirectTicket } from '../queue/attempt-owner.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { Attempt, QueueStore } from '../store/queue-store.js';
import type { ExecutionActor } from './execution-actor.js';
import type { ShardMonitor } from './executions.js';
import { attemptKey, pushOf } from './open-work.js';
import type { TaskTexts } from './task-texts.js';

export interface TaskDispatchParts {
  readonly clock: Clock;
  readonly hub: PollHub;
  readonly queues: Pick<QueueStore, 'extend'>;
  readonly texts: TaskTexts;
  readonly monitor: ShardMonitor;
}

export class TaskDispatch {
  #leaseCounter: number;
  readonly #extending = new Map<Task, Promise<unknown>>();

  constructor(private readonly parts: TaskDispatchParts) {
    // Lease numbers need only differ from all earlier ones of the same attempt; a start is seconds
    // after the last one.
    this.#leaseCounter = parts.clock.now() * 1000;
  }

  /**
   * A task became SCHEDULED in the running turn. True when a waiting poll took it: then its lease
   * stands in the same commit. False: it is to be released once the commit is through. `mayMatch`:
   * false when it is to be offered in any case.
   */
  match(actor: ExecutionActor, task: Task, mayMatch: boolean): boolean {
    if (task.status !== 'SCHEDULED') return true;
    if (mayMatch && this.#isFree(task)) {
      const ticket = this.parts.hub.match(queueOf(task));
      if (ticket !== undefined && this.lease(actor, task, ticket)) return true;
    }
    actor.work.begin(pushOf(attemptKey(task)));
    return false;
  }

  /**
   * No limit and no delay: the queue's scripts need not decide about it. No events that its start
   * would publish: the hand-out needs no step.
   */
  #isFree(task: Task): boolean {
    if (attemptLimits(task) !== undefined || hasStateEvents(task)) return false;
    return queueDelay(task, this.parts.clock.now()) === 0;
  }

  /** Leases the task in its own commit; the ticket is delivered when that is through the gate. */
  lease(actor: ExecutionActor, task: Task, ticket: DirectTicket): boolean {
    const leaseNumber = (this.#leaseCounter += 1);
    const { number, reopenCount } = task;
    const claimed = actor.claim({
      taskNumber: number,
      reopenCount,
      workerId: ticket.workerId,
      lease: { number: leaseNumber },
    });
    if (claimed === undefined) {
      ticket.fail();
      return false;
    }
    const text = this.parts.texts.of(actor.open, task);
    const attempt = attemptOf(actor, task);
    actor.gate({
      pass: () => ticket.deliver(text, () => this.parts.hub.returnLease(attempt, leaseNumber)),
      fail: () => ticket.fail(),
    });
    return true;
  }

  /** The commit that scheduled the task is through. */
  release(actor: ExecutionActor, task: Task): Promise<void> | undefined {
    const key = attemptKey(task);
    if (!actor.work.has(pushOf(key))) return undefined;
    if (task.status !== 'SCHEDULED') {
      actor.work.end(pushOf(key));
      return undefined;
    }
    if (!this.#isFree(task)) return this.push(actor, task);
    this.parts.hub.offer(queueOf(task), attemptOf(actor, task));
    return undefined;
  }

  /**
   * A committed SCHEDULED task that its queue may have or not: pushed once more, never offered. A
   * claim of the actor before this one may be on its way to a worker, and only the queue, which
   * leased it provisionally, can tell. `releasesLease`: the queue still has the lease that a report
   * gave back.
   */
  requeue(actor: ExecutionActor, task: Task, releasesLease: boolean): Promise<void> | undefined {
    if (task.status !== 'SCHEDULED') return undefined;
    actor.work.begin(pushOf(attemptKey(task)));
    return this.push(actor, task, releasesLease);
  }

  /** Puts the task into the store's queue; resolves when it is there. */
  async push(actor: ExecutionActor, task: Task, releasesLease = task.pollCount > 0): Promise<void> {
    const { reopenCount } = task;
    const key = attemptKey(task);
    const queue = queueOf(task);
    const attempt = attemptOf(actor, task);
    actor.noteQueued(task);
    await this.parts.hub.push({
      queue,
      attempt,
      priority: actor.open.execution.attributes.priority,
      visibleAt: queueDelay(task, this.parts.clock.now()),
      limits: attemptLimits(task),
      releasesLease,
    });
    if (!actor.work.end(pushOf(key))) return;
    const wanted = task.status === 'SCHEDULED' && task.reopenCount === reopenCount;
    if (!wanted && task.status !== 'IN_PROGRESS') this.parts.hub.finish(queue, attempt);
  }

  /** The attempt is no longer wanted: takes it out of wherever it waits or is leased. */
  withdraw(actor: ExecutionActor, output: Extract<Output, { kind: 'unschedule' }>): void {
    const { task, reopenCount, queue } = output;
    const key = attemptKey({ number: task.number, reopenCount });
    const attempt: Attempt = { taskId: taskIdOf(actor.id, task.number), reopenCount };
    if (actor.work.has(pushOf(key)) && this.parts.hub.withdraw(queue, attempt)) {
      actor.work.end(pushOf(key));
      return;
    }
    if (actor.takeQueued(key)) this.parts.hub.finish(queue, attempt);
  }

  /** A worker keeps its attempt: the lease in the queue gets its full length again. */
  extend(actor: ExecutionActor, task: Task): void {
    const lengthMs = task.responseTimeoutSeconds * 1000;
    const endAt = lengthMs === 0 ? 0 : this.parts.clock.now() + lengthMs;
    const extending = this.parts.queues
      .extend(queueOf(task), attemptOf(actor, task), endAt)
      .catch((error: unknown) => this.parts.monitor.failed(error))
      .finally(() => this.#extending.delete(task));
    this.#extending.set(task, extending);
  }

  /** Resolves when no lease of the task is being extended. */
  extended(task: Task): Promise<unknown> {
    return this.#extending.get(task) ?? Promise.resolve();
  }
}

function attemptOf(actor: ExecutionActor, task: Task): Attempt {
  return { taskId: taskIdOf(actor.id, task.number), reopenCount: task.reopenCount };
}
