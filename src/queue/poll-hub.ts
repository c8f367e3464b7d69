// Task queues of a node (architecture section 1.5, invariants M7 to M9): parked polls, sync match,
// held offers and the fetch from the store.
//
// A task gets to a worker in one of three ways:
//   1. Sync match: it becomes SCHEDULED while a poll of its type is parked here. Its execution
//      leases it in the same commit and the
//      poll is answered when that commit is through the gate.
//   2. Held offer: no poll is parked, but the store's queue is believed empty. The task is held for
//      a few ms; a poll
//      that arrives meanwhile takes it in a commit of its execution. After that it is pushed to the
//      store.
//   3. Store: pushed, popped with a provisional lease, claimed at its owner, confirmed with the
//      full lease, handed out. Types with
//      limits always go this way, because limits are counted in the store.
// Whatever is lost on the way is repeated: a pushed task stays SCHEDULED in its execution, a
// provisional lease ends by itself.
import type { Clock } from '../std/clock.js';
import { parseTaskId, type ExecutionId } from '../std/ids.js';
import { AppError } from '../model/errors.js';
import type { QueueName } from '../engine/decision.js';
import type { Attempt, Popped, Push, QueueStore } from '../store/queue-store.js';
import type { AttemptOwner, Claimed, DirectTicket } from './attempt-owner.js';
import { ParkedPoll } from './parked-poll.js';
import type { PollLog } from './poll-log.js';
import { queueKey } from './queue-key.js';
import { noNotices, type QueueNotices } from './queue-notices.js';
import { QueueWriter } from './queue-writer.js';
import { TaskQueue } from './task-queue.js';
import type { PollRequest, TaskQueues, TaskText } from './task-queues.js';
import { LeaseEnds } from './lease-ends.js';

export interface PollHubSettings {
  parkedPollsMax: number;
  /** How long a fresh task waits for a poll before it is pushed, ms. */
  offerHoldMs: number;
  offersHeldMax: number;
  provisionalLeaseMs: number;
  /** How long an owner may take to claim, ms (invariants M7). */
  claimTimeoutMs: number;
  /** Most members taken from the store in one call. */
  popMax: number;
}

export interface PollHubParts {
  clock: Clock;
  store: QueueStore;
  pollLog: PollLog;
  settings: PollHubSettings;
  /** A store call failed; for the log and the counters. */
  failed: (error: unknown) => void;
}

/** Idle queues are looked for whenever so many more have become known. */
const queuesPerClearing = 1000;
/** A queue that nobody polled for so long may be forgotten. */
const idleMs = 60_000;

export class PollHub implements TaskQueues {
  readonly #queues = new Map<string, TaskQueue>();
  readonly #writer: QueueWriter;
  readonly leaseEnds: LeaseEnds;
  #parkedCount = 0;
  #heldCount = 0;
  /** Number of the commit batch that is being collected. */
  #batch = 0;
  #closed = false;
  #owner: AttemptOwner | undefined;
  #notices: QueueNotices = noNotices;

  constructor(private readonly parts: PollHubParts) {
    this.#writer = new QueueWriter(
      parts.store,
      parts.clock,
      (pushes) => this.#pushed(pushes),
      (queues) => this.#freed(queues),
      parts.failed,
    );
    this.leaseEnds = new LeaseEnds({
      clock: parts.clock,
      store: parts.store,
      owner: { leaseEnded: (attempt) => this.#attempts.leaseEnded(attempt) },
      queueOf: (name) => this.queue(name),
      known: () => this.#queues.values(),
      finish: (queue, attempt) => this.finish(queue, attempt),
      returned: (queue) => this.#becameReady(queue),
      failed: parts.failed,
    });
  }

  /** What is told to other nodes; before the first poll. */
  connect(notices: QueueNotices): void {
    this.#notices = notices;
  }

  /** Queues for which polls wait here. */
  get waitingQueues(): QueueName[] {
    return [...this.#queues.values()]
      .filter(({ parked }) => parked.size > 0)
      .map(({ name }) => name);
  }

  /** Who owns the attempts; before the first poll. */
  serve(owner: AttemptOwner): void {
    this.#owner = owner;
  }

  get #attempts(): AttemptOwner {
    if (this.#owner === undefined) throw new Error('Nobody owns attempts yet');
    return this.#owner;
  }

  /** The commits collected so far go out: a poll takes what one batch brings. */
  nextBatch(): void {
    this.#batch += 1;
  }

  get parkedPolls(): number {
    return this.#parkedCount;
  }

  queue(name: QueueName): TaskQueue {
    const key = queueKey(name);
    let queue = this.#queues.get(key);
    if (!queue) {
      if (this.#queues.size % queuesPerClearing === queuesPerClearing - 1) this.#forgetIdle();
      queue = new TaskQueue(name);
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /**
   * Names of queues come from outside; nothing is lost with what is known of one that nobody uses.
   */
  #forgetIdle(): void {
    const since = this.parts.clock.now() - idleMs;
    for (const [key, queue] of this.#queues) if (queue.isIdle(since)) this.#queues.delete(key);
  }

  poll(request: PollRequest): Promise<TaskText[]> {
    if (this.#closed) return Promise.resolve([]);
    const queue = this.queue(request.queue);
    queue.lastPollAt = this.parts.clock.now();
    this.parts.pollLog.note(request.queue, request.workerId);
    if (this.#parkedCount >= this.parts.settings.parkedPollsMax) {
      return Promise.reject(
        new AppError('too-many', 'Too many long polls are waiting at this node', {
          retryAfterSeconds: 1,
        }),
      );
    }
    return new Promise((answer) => {
      const poll = new ParkedPoll({
        request,
        clock: this.parts.clock,
        answer,
        leave: () => {
          if (!queue.parked.delete(poll)) return;
          this.#parkedCount -= 1;
          if (queue.parked.size === 0) this.#notices.wanted(queue.name, false);
        },
        waitAgain: () => this.#park(queue, poll),
      });
      this.#park(queue, poll);
    });
  }

  #park(queue: TaskQueue, poll: ParkedPoll): void {
    queue.parked.add(poll);
    if (queue.parked.size === 1) this.#notices.wanted(queue.name, true);
    this.#parkedCount += 1;
    this.#takeHeld(queue, poll);
    if (poll.isWaiting && queue.maybeReady) this.#fetch(queue);
  }

  /**
   * A parked poll for a task that is being scheduled right now; it leases the task in the same
   * commit.
   */
  match(name: QueueName): DirectTicket | undefined {
    const queue = this.#queues.get(queueKey(name));
    if (!queue || queue.parked.size === 0) return undefined;
    return queue.waiting(this.#batch)?.ticket(this.#batch);
  }

  /**
   * A committed SCHEDULED attempt without limits and visible now: goes to a waiting poll, is held
   * for one, or is pushed.
   */
  offer(name: QueueName, attempt: Attempt): void {
    const queue = this.queue(name);
    const poll = queue.waiting(this.#batch);
    if (poll) return this.#attempts.claimHeld(attempt, poll.ticket(this.#batch));
    const { offerHoldMs, offersHeldMax } = this.parts.settings;
    if (queue.maybeReady || this.#heldCount >= offersHeldMax || offerHoldMs === 0) {
      return this.#attempts.pushHeld(attempt);
    }
    queue.held.set(heldKey(attempt), attempt);
    this.#heldCount += 1;
    if (queue.held.size === 1) {
      this.parts.clock.after(offerHoldMs, () => this.#releaseHeld(queue));
    }
  }

  /** True when the attempt was held here and is no more: then the store's queue never had it. */
  withdraw(name: QueueName, attempt: Attempt): boolean {
    const removed = this.#queues.get(queueKey(name))?.held.delete(heldKey(attempt)) ?? false;
    if (removed) this.#heldCount -= 1;
    return removed;
  }

  /** The worker of a task that was leased in its commit is gone. */
  returnLease(attempt: Attempt, leaseNumber: number): void {
    this.#attempts.returnLease(attempt, leaseNumber);
  }

  settled(): Promise<void> {
    if (this.#heldCount > 0) for (const queue of this.#queues.values()) this.#releaseHeld(queue);
    return this.#writer.settled();
  }

  /** Resolves once the store's queue has the attempt; never if it is dropped before. */
  push(push: Push): Promise<void> {
    return this.#writer.push(push);
  }

  finish(name: QueueName, attempt: Attempt): void {
    this.#writer.finish(name, attempt);
  }

  /** Members may have become ready in the store. */
  wake(name: QueueName): void {
    const queue = this.queue(name);
    queue.maybeReady = true;
    if (queue.parked.size > 0) this.#fetch(queue);
  }

  /**
   * The store is back: what became ready or was lost on the way meanwhile is looked for at once.
   */
  wakeAll(): void {
    for (const queue of this.#queues.values()) this.wake(queue.name);
  }

  /** Executions were dropped: nothing that was derived from them is sent any more. */
  drop(isDropped: (id: ExecutionId) => boolean): void {
    const isLost = ({ taskId }: Attempt): boolean =>
      isDropped(parseTaskId(taskId)?.executionId as ExecutionId);
    this.#writer.drop(isLost);
    for (const queue of this.#queues.values()) {
      for (const [key, attempt] of queue.held) {
        if (!isLost(attempt)) continue;
        queue.held.delete(key);
        this.#heldCount -= 1;
      }
      queue.maybeReady = true;
    }
  }

  /**
   * The node stops: polls that wait are answered as if their time were over, and none waits any
   * more.
   */
  close(): void {
    this.#closed = true;
    for (const queue of this.#queues.values()) {
      for (const poll of [...queue.parked]) poll.expire();
    }
  }

  #takeHeld(queue: TaskQueue, poll: ParkedPoll): void {
    if (queue.held.size === 0) return;
    for (const [key, attempt] of queue.held) {
      if (poll.wants(this.#batch) === 0) return;
      queue.held.delete(key);
      this.#heldCount -= 1;
      this.#attempts.claimHeld(attempt, poll.ticket(this.#batch));
    }
  }

  /**
   * Pushes what no poll took; offers that came later in the hold time go with it, which only
   * shortens their wait.
   */
  #releaseHeld(queue: TaskQueue): void {
    for (const [key, attempt] of queue.held) {
      queue.held.delete(key);
      this.#heldCount -= 1;
      this.#attempts.pushHeld(attempt);
    }
  }

  #pushed(pushes: readonly Push[]): void {
    for (const push of pushes) {
      const queue = this.queue(push.queue);
      if (push.visibleAt > this.parts.clock.now()) this.#visibleAt(queue, push.visibleAt);
      else this.#becameReady(push.queue);
    }
  }

  /** Wakes the polls of this node, or those of others where none waits here. */
  #becameReady(name: QueueName): void {
    this.wake(name);
    if (this.queue(name).parked.size === 0) this.#notices.ready(name);
  }

  #freed(queues: readonly QueueName[]): void {
    for (const name of queues) {
      const queue = this.queue(name);
      if (queue.blockedBy === 'concurrency') this.#becameReady(name);
    }
  }

  #visibleAt(queue: TaskQueue, at: number): void {
    if (queue.nextVisibleAt !== 0 && queue.nextVisibleAt <= at) return;
    queue.nextVisibleAt = at;
    this.parts.clock.after(at - this.parts.clock.now(), () => {
      if (queue.nextVisibleAt !== at) return;
      queue.nextVisibleAt = 0;
      this.#becameReady(queue.name);
    });
  }

  #fetch(queue: TaskQueue): void {
    if (queue.fetching) {
      queue.fetchAgain = true;
      return;
    }
    queue.fetching = true;
    void this.#fetchAll(queue).finally(() => {
      queue.fetching = false;
    });
  }

  async #fetchAll(queue: TaskQueue): Promise<void> {
    do {
      queue.fetchAgain = false;
      const polls = [...queue.parked];
      let wanted = 0;
      for (const poll of polls) wanted += poll.wants(fetchBatch);
      if (wanted === 0) return;
      const count = Math.min(wanted, this.parts.settings.popMax);
      try {
        // Cleared before the call: a push that lands while the pop is under way raises it again.
        queue.maybeReady = false;
        const result = await this.parts.store.pop(
          queue.name,
          count,
          this.parts.settings.provisionalLeaseMs,
        );
        queue.blockedBy = result.blockedBy;
        if (result.moreReady) queue.maybeReady = true;
        if (result.nextVisibleAt > 0) this.#visibleAt(queue, result.nextVisibleAt);
        if (result.popped.length > 0) {
          // Whatever is not confirmed goes back by itself then; somebody has to look.
          this.leaseEnds.expect(
            queue,
            this.parts.clock.now() + this.parts.settings.provisionalLeaseMs,
          );
          await this.#handOut(queue, result.popped);
        }
        if (result.moreReady && result.popped.length > 0) queue.fetchAgain = true;
      } catch (error) {
        queue.maybeReady = true;
        // The pop may have been carried out without an answer.
        this.leaseEnds.expect(
          queue,
          this.parts.clock.now() + this.parts.settings.provisionalLeaseMs,
        );
        this.parts.failed(error);
        return;
      }
    } while (queue.fetchAgain);
  }

  /**
   * Claims what was popped at its owners, sets the leases to their full length, and answers polls
   * (invariants M7).
   */
  async #handOut(queue: TaskQueue, popped: Popped[]): Promise<void> {
    const tickets: { ticket: DirectTicket; popped: Popped }[] = [];
    const surplus: Popped[] = [];
    for (const item of popped) {
      const ticket = queue.waiting(fetchBatch)?.ticket(fetchBatch);
      if (ticket) tickets.push({ ticket, popped: item });
      else surplus.push(item);
    }
    if (surplus.length > 0) this.#giveBack(queue, surplus);
    const claims = await Promise.all(
      tickets.map((entry) => this.#claim(entry.popped.attempt, entry.ticket.workerId)),
    );
    const confirmed: { ticket: DirectTicket; popped: Popped; claimed: Claimed }[] = [];
    for (const [i, entry] of tickets.entries()) {
      const claimed = claims[i];
      if (claimed === undefined || claimed === 'no-answer') {
        if (claimed === undefined) this.finish(queue.name, entry.popped.attempt);
        entry.ticket.fail();
      } else confirmed.push({ ...entry, claimed });
    }
    if (confirmed.length === 0) return;
    await this.#confirm(queue, confirmed);
  }

  async #confirm(
    queue: TaskQueue,
    confirmed: { ticket: DirectTicket; popped: Popped; claimed: Claimed }[],
  ): Promise<void> {
    const now = this.parts.clock.now();
    let isLeased: boolean[];
    try {
      isLeased = await this.parts.store.confirm(
        queue.name,
        confirmed.map(({ ticket, popped, claimed }) => ({
          attempt: popped.attempt,
          leaseNumber: popped.leaseNumber,
          workerId: ticket.workerId,
          startAt: claimed.startAt,
          pollCount: claimed.pollCount,
          endAt: claimed.leaseMs === 0 ? 0 : now + claimed.leaseMs,
        })),
      );
    } catch (error) {
      for (const { ticket } of confirmed) ticket.fail();
      throw error;
    }
    for (const [i, { ticket, popped, claimed }] of confirmed.entries()) {
      if (isLeased[i] !== true) {
        // It went back meanwhile; the next poll that takes it has the lease.
        queue.maybeReady = true;
        ticket.fail();
        continue;
      }
      if (claimed.leaseMs > 0) this.leaseEnds.expect(queue, now + claimed.leaseMs);
      ticket.deliver(claimed.text, () => this.#giveBack(queue, [popped]));
    }
  }

  async #claim(
    attempt: Attempt,
    workerId: string | undefined,
  ): Promise<Claimed | undefined | 'no-answer'> {
    return new Promise((resolve) => {
      const timer = this.parts.clock.after(this.parts.settings.claimTimeoutMs, () =>
        resolve('no-answer'),
      );
      this.#attempts.claim(attempt, workerId).then(
        (claimed) => {
          timer.cancel();
          resolve(claimed);
        },
        (error: unknown) => {
          timer.cancel();
          this.parts.failed(error);
          resolve('no-answer');
        },
      );
    });
  }

  #giveBack(queue: TaskQueue, popped: Popped[]): void {
    this.parts.store.giveBack(queue.name, popped).then(
      () => this.wake(queue.name),
      (error: unknown) => this.parts.failed(error),
    );
  }
}

/** Tasks fetched from the store belong to no commit batch of this node. */
const fetchBatch = -2;

function heldKey({ taskId, reopenCount }: Attempt): string {
  return `${taskId}:${reopenCount}`;
}
