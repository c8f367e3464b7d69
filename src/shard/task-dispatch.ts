// From a SCHEDULED task to its queue, as an execution sees it (architecture section 1.5; the
// ways are told in queue/poll-hub.ts): leasing a task in its own commit for a poll that waits,
// putting it into ready with its commit, pushing it, and taking it back.
import type { Clock } from '../std/clock.js';
import { madeOf, type Durable } from '../std/durable.js';
import { taskIdOf } from '../std/ids.js';
import type { EventCounters } from '../telemetry/event-counters.js';
import type { Task } from '../model/execution.js';
import type { Output, QueueName } from '../engine/decision.js';
import { publishesStart } from '../engine/state-changes.js';
import { attemptLimits, queueDelay, queueOf } from '../engine/worker-queue.js';
import type { HeldLease, Ticket } from '../queue/attempt-owner.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { Attempt, Push } from '../store/queue-store.js';
import { endOfTask } from './count-events.js';
import type { ExecutionActor } from './execution-actor.js';
import type { ShardMonitor } from './executions.js';
import type { LeaseNumbers } from './lease-numbers.js';
import { attemptKey, pushOf } from './open-work.js';
import type { DurableOutputOf, PassedGate, ReadyMove, ReleasedOutput } from './pending-commit.js';
import type { TaskTexts } from './task-texts.js';

export interface TaskDispatchParts {
  readonly clock: Clock;
  readonly hub: PollHub;
  readonly queues: {
    extend(queue: QueueName, attempt: Durable<Attempt>, endAt: number): Promise<boolean>;
  };
  readonly leaseNumbers: LeaseNumbers;
  readonly texts: TaskTexts;
  readonly monitor: ShardMonitor;
  readonly counters: EventCounters;
  /** Whether moves in queues ride with commits (ExecutionStore.movesRideWithCommits). */
  readonly ridesWithCommits: boolean;
}

export class TaskDispatch {
  readonly #extending = new Map<Task, Promise<unknown>>();

  constructor(private readonly parts: TaskDispatchParts) {}

  /**
   * A task became SCHEDULED in a turn. undefined when a waiting poll took it: then its
   * lease stands in the same commit. Else what is to be released once the commit is through.
   * `mayMatch`: false when others of the execution that come before it are still on their way.
   */
  place(actor: ExecutionActor, task: Task, mayMatch: boolean): ReleasedOutput | undefined {
    if (task.status !== 'SCHEDULED') return undefined;
    const { reopenCount } = task;
    const queue = queueOf(task);
    actor.collecting().count(this.parts.counters.queue(queue, 'scheduled'));
    if (this.#isFree(actor, task)) {
      const ticket = mayMatch ? this.parts.hub.match(queue) : undefined;
      if (ticket !== undefined && this.#leaseInCommit(actor, task, ticket)) return undefined;
      // An earlier attempt may still be leased in its queue: the push releases that.
      if (this.parts.ridesWithCommits && task.pollCount === 0) {
        const { priority } = actor.open.execution.attributes;
        const attempt = attemptOf(actor, task);
        const isNew = actor.queued.isNew(task);
        const move: ReadyMove = { kind: 'ready', queue, attempt, priority, isNew, isGone: false };
        actor.collecting().moves.push(move);
        actor.queued.add(task, move);
        return { kind: 'enqueued', task, move };
      }
    }
    const serial = actor.work.decide(pushOf(attemptKey(task)));
    return { kind: 'push', task, reopenCount, serial };
  }

  /**
   * No limit and no delay: the queue's scripts need not decide about it. No events that its start
   * would publish: the hand-out needs no step.
   */
  #isFree({ context, open }: ExecutionActor, task: Task): boolean {
    if (attemptLimits(task) !== undefined || publishesStart(context, open, task)) return false;
    return queueDelay(task, this.parts.clock.now()) === 0;
  }

  /** Leases the task in its own commit; the ticket is delivered when that is through the gate. */
  #leaseInCommit(actor: ExecutionActor, task: Task, ticket: Ticket): boolean {
    const leaseNumber = this.parts.leaseNumbers.next();
    const { number, reopenCount } = task;
    const { workerId } = ticket;
    const lease = { number: leaseNumber };
    const { spans } = actor;
    const claimedAt = spans?.now() ?? 0;
    if (actor.claim({ taskNumber: number, reopenCount, workerId, lease }) === undefined) {
      ticket.fail();
      return false;
    }
    const text = this.parts.texts.of(actor.open, task);
    const held: HeldLease = { attempt: attemptOf(actor, task), leaseNumber, keeper: 'execution' };
    const pass = (): void => {
      ticket.deliver(text, held);
      spans?.handedOut(task, claimedAt);
    };
    actor.gate({ pass, fail: () => ticket.fail() });
    return true;
  }

  /** The commit that put the attempt into ready is through. */
  announce(output: DurableOutputOf<'enqueued'>): void {
    const { task, move } = output;
    if (move.isGone || task.status !== 'SCHEDULED') return;
    this.parts.hub.ready(madeOf(output, move), move.priority);
  }

  /** The commit that scheduled the attempt is through, and it is to be pushed. */
  release(actor: ExecutionActor, output: DurableOutputOf<'push'>): Promise<void> | undefined {
    const { task, reopenCount, serial } = output;
    const work = pushOf(attemptKey({ number: task.number, reopenCount }));
    if (!actor.work.has(work, serial)) return undefined;
    actor.work.carriedOut(work);
    if (task.status === 'SCHEDULED' && task.reopenCount === reopenCount) {
      return this.#push(actor, output, { serial, givenBackAtPoll: task.pollCount });
    }
    actor.work.end(work);
    return undefined;
  }

  /**
   * A committed SCHEDULED task that its queue may have or not: pushed once more, never offered. A
   * claim of the actor before this one may be on its way to a worker, and only the queue, which
   * leased it provisionally, can tell. `givenBackAtPoll`: as in Push.
   */
  requeue(actor: ExecutionActor, output: DurableOutputOf<'requeue'>): Promise<void> | undefined {
    const { task, givenBackAtPoll } = output;
    if (task.status !== 'SCHEDULED') return undefined;
    const serial = actor.work.begin(pushOf(attemptKey(task)));
    return this.#push(actor, output, { serial, givenBackAtPoll });
  }

  /**
   * Puts the task into the store's queue; resolves when it is there. Until that is known a worker
   * may have had the attempt and given it back: then a later push has taken this one over.
   */
  async #push(
    actor: ExecutionActor,
    output: DurableOutputOf<'push' | 'requeue'>,
    { serial, givenBackAtPoll }: { serial: number; givenBackAtPoll: number },
  ): Promise<void> {
    const { task } = output;
    const { reopenCount } = task;
    const key = attemptKey(task);
    const queue = queueOf(task);
    const attempt = attemptOf(actor, task);
    actor.queued.add(task, 'pushed');
    const push: Push = {
      queue,
      attempt,
      priority: actor.open.execution.attributes.priority,
      visibleAt: queueDelay(task, this.parts.clock.now()),
      limits: attemptLimits(task),
      givenBackAtPoll,
    };
    await this.parts.hub.push(madeOf(output, push));
    if (!actor.work.end(pushOf(key), serial)) return;
    const wanted = task.status === 'SCHEDULED' && task.reopenCount === reopenCount;
    if (wanted || task.status === 'IN_PROGRESS') return;
    // Once its end is durable: until then a worker's lease must stay.
    const pass = (gate: PassedGate): void => this.parts.hub.finish(queue, madeOf(gate, attempt));
    actor.gate({ pass, fail: () => undefined });
  }

  /**
   * The attempt is no longer wanted: one that a commit has put into its queue leaves it with this
   * one. Returns what is to be released once that is through.
   */
  withdrawEarly(
    actor: ExecutionActor,
    output: Extract<Output, { kind: 'unschedule' }>,
  ): ReleasedOutput | undefined {
    const { task, reopenCount, queue } = output;
    const end = endOfTask(task.status);
    if (end !== undefined) {
      const { counters } = this.parts;
      const pending = actor.collecting();
      pending.count(counters.queue(queue, end));
      if (task.startAt > 0) {
        pending.count(counters.runTime(queue, task.endAt - task.startAt));
        pending.count(counters.waitTime(queue, waitedMs(task)));
      }
    }
    const queued = actor.queued.take(task, reopenCount);
    if (queued === undefined) return undefined;
    if (queued === 'pushed') return output;
    queued.isGone = true;
    actor.collecting().moves.push({ kind: 'done', queue, attempt: queued.attempt });
    return undefined;
  }

  /** The attempt is no longer wanted: takes it out of wherever it waits or is leased. */
  withdraw(actor: ExecutionActor, output: DurableOutputOf<'unschedule'>): void {
    const { task, reopenCount, queue } = output;
    const attempt = { taskId: taskIdOf(actor.id, task.number), reopenCount };
    this.parts.hub.finish(queue, madeOf(output, attempt));
  }

  /** A worker keeps its attempt: the lease in the queue gets its full length again. */
  extend(actor: ExecutionActor, output: DurableOutputOf<'extend'>): void {
    const { task } = output;
    const lengthMs = task.responseTimeoutSeconds * 1000;
    const endAt = lengthMs === 0 ? 0 : this.parts.clock.now() + lengthMs;
    const extending = this.parts.queues
      .extend(queueOf(task), madeOf(output, attemptOf(actor, task)), endAt)
      .catch((error: unknown) => this.parts.monitor.failed(error))
      .finally(() => this.#extending.delete(task));
    this.#extending.set(task, extending);
  }

  /** Resolves when no lease of the task is being extended. */
  extended(task: Task): Promise<unknown> {
    return this.#extending.get(task) ?? Promise.resolve();
  }
}

/** From when a worker could have had it; a delay before counts for nothing. */
function waitedMs({ startAt, firstStartAt, scheduledAt, startDelaySeconds }: Task): number {
  return (firstStartAt || startAt) - scheduledAt - startDelaySeconds * 1000;
}

function attemptOf(actor: ExecutionActor, task: Task): Attempt {
  return { taskId: taskIdOf(actor.id, task.number), reopenCount: task.reopenCount };
}
