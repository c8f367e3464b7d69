// Task queues of a node (architecture section 1.5, invariants M7 to M9): parked polls, sync
// match, the head of what is ready, and the ways through the store.
//
// A task gets to a worker in one of three ways:
//   1. Sync match: it becomes SCHEDULED while a poll of its type is parked here. Its execution
//      leases it in the same commit, and the poll is answered when that is through the gate.
//   2. Head: no poll is parked. The commit that schedules it adds it to ready in the store, and it
//      stands in the head of its queue in memory. A poll takes it from there: its owner leases it
//      by a grant that rides with the next commits.
//      A poll of another node takes from the head of the owner as well (peer-hand-over.ts).
//   3. Script: popped with a provisional lease, claimed at its owner, confirmed with the full
//      lease, handed out. This is the way of tasks with limits or a delay, because the store
//      counts and waits, of tasks that their owner cannot hand over, and of a store with slots,
//      where a queue cannot be written with a commit (script-hand-out.ts).
// The sorted set in the store stays the record of what is ready. A head that is lost (a start, too
// many tasks) is read from there when a poll needs it. What is lost on the way is repeated: a task
// in ready stays SCHEDULED in its execution, a provisional lease ends by itself.
import type { Clock } from '../std/clock.js';
import { executionOf, type ExecutionId } from '../std/ids.js';
import { AppError } from '../model/errors.js';
import type { QueueName } from '../engine/decision.js';
import type { Attempt, Popped, Push, QueueStore } from '../store/queue-store.js';
import type { AttemptOwner, HeldLease, Ticket } from './attempt-owner.js';
import { HeadLeases } from './head-leases.js';
import { ParkedPoll, type PollPlace } from './parked-poll.js';
import { fetchBatch, PeerHandOver } from './peer-hand-over.js';
import type { PollLog } from './poll-log.js';
import { queueKey } from './queue-key.js';
import { noNotices, type QueueNotices } from './queue-notices.js';
import type { ReadyAttempt } from './ready-head.js';
import { QueueWriter } from './queue-writer.js';
import { ScriptHandOut } from './script-hand-out.js';
import { TaskQueue } from './task-queue.js';
import type { PollRequest, TaskQueues, TaskText } from './task-queues.js';
import { LeaseEnds } from './lease-ends.js';

export interface PollHubSettings {
  parkedPollsMax: number;
  /** Ready tasks of a queue that are held in memory; more are read from the store later. */
  readyHeldMax: number;
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
  /** Whether moves in queues ride with commits (ExecutionStore.movesRideWithCommits). */
  ridesWithCommits: boolean;
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
  readonly #headLeases: HeadLeases;
  readonly #scripts: ScriptHandOut;
  /** Between the polls of this node and the tasks of others, and the other way round. */
  readonly peerHandOver: PeerHandOver;
  #parkedCount = 0;
  /** Queues whose head has grown in this turn while polls wait. */
  readonly #toServe = new Set<TaskQueue>();
  /** Number of the commit batch that is being collected. */
  #batch = 0;
  #closed = false;
  #owner: AttemptOwner | undefined;
  #notices: QueueNotices = noNotices;

  constructor(private readonly parts: PollHubParts) {
    const { clock, store, failed } = parts;
    this.#writer = new QueueWriter(
      store,
      clock,
      (pushes) => this.#pushed(pushes),
      (queues) => this.#freed(queues),
      failed,
    );
    this.leaseEnds = new LeaseEnds({
      ...{ clock, store, failed },
      owner: { leaseEnded: (attempt) => this.#attempts.leaseEnded(attempt) },
      queueOf: (name) => this.queue(name),
      known: () => this.#queues.values(),
      finish: (queue, attempt) => this.finish(queue, attempt),
      returned: (queue) => this.#becameReady(queue),
      swept: (queue) => this.#lookForLost(queue),
    });
    this.#headLeases = new HeadLeases({
      ...{ clock, failed },
      leaseEnds: this.leaseEnds,
      owner: () => this.#attempts,
      finish: (queue, attempt) => this.finish(queue, attempt),
      becameReady: (queue) => this.#becameReady(queue),
    });
    this.#scripts = new ScriptHandOut({
      ...{ clock, store, failed },
      leaseEnds: this.leaseEnds,
      ridesWithCommits: parts.ridesWithCommits,
      settings: parts.settings,
      owner: () => this.#attempts,
      finish: (queue, attempt) => this.finish(queue, attempt),
      giveBack: (queue, popped) => this.#giveBack(queue, popped),
      visibleAt: (queue, at) => this.#visibleAt(queue, at),
    });
    this.peerHandOver = new PeerHandOver({
      ...{ clock, store, failed },
      leases: this.#headLeases,
      tasksMax: parts.settings.popMax,
      queueOf: (name) => this.queue(name),
      completeHead: (queue) => this.#completeHead(queue),
      hasLeft: (name) => this.hasLeft(name),
      wake: (name) => this.wake(name),
      becameReady: (name) => this.#becameReady(name),
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
      const place = (queue.place ??= this.#placeAt(queue));
      this.#park(queue, new ParkedPoll({ request, clock: this.parts.clock, answer, place }));
    });
  }

  #placeAt(queue: TaskQueue): PollPlace {
    return {
      leave: (poll) => {
        if (!queue.parked.delete(poll)) return;
        this.#parkedCount -= 1;
        if (queue.parked.size === 0) this.#notices.wanted(queue.name, false);
      },
      waitAgain: (poll) => this.#park(queue, poll),
      giveBack: (lease) => this.#returnLease(queue, lease),
    };
  }

  #park(queue: TaskQueue, poll: ParkedPoll): void {
    queue.parked.add(poll);
    if (queue.parked.size === 1) this.#notices.wanted(queue.name, true);
    this.#parkedCount += 1;
    this.#takeFromHead(queue, poll);
    this.peerHandOver.parked(queue);
    if (queue.maybeReady && poll.wants(fetchBatch) > 0) this.#fetch(queue);
  }

  /**
   * A parked poll for a task that is being scheduled right now; it leases the task in the same
   * commit.
   */
  match(name: QueueName): Ticket | undefined {
    const queue = this.#queues.get(queueKey(name));
    if (!queue || queue.parked.size === 0) return undefined;
    return queue.waiting(this.#batch)?.ticket(this.#batch);
  }

  /** An attempt stands in ready: the commit that put it there is through. */
  ready(ready: ReadyAttempt, priority: number): void {
    const queue = this.queue(ready.queue);
    const isFull = queue.head.size >= this.parts.settings.readyHeldMax;
    // What the store holds besides may be older.
    if (queue.maybeReady || queue.scriptsDecide || isFull) {
      if (!this.wake(ready.queue)) this.#notices.ready(ready.queue, this.#mayHold(queue));
      return;
    }
    queue.head.add(ready, urgencyOf(priority));
    if (queue.parked.size > 0) this.#serveSoon(queue);
    else this.#notices.ready(ready.queue, true);
  }

  settled(): Promise<void> {
    return this.#writer.settled();
  }

  /** Resolves once the store's queue has the attempt; never if it is dropped before. */
  push(push: Push): Promise<void> {
    return this.#writer.push(push);
  }

  finish(name: QueueName, attempt: Attempt): void {
    this.#writer.finish(name, attempt);
  }

  /** Members may have become ready in the store. False when no poll waits for them here. */
  wake(name: QueueName): boolean {
    const queue = this.queue(name);
    queue.maybeReady = true;
    if (queue.parked.size === 0) return false;
    this.#fetch(queue);
    return true;
  }

  /** Whether members may be ready that no poll of this node waits for. */
  hasLeft(name: QueueName): boolean {
    const queue = this.#queues.get(queueKey(name));
    if (queue === undefined || queue.parked.size > 0) return false;
    return queue.maybeReady || queue.head.size > 0;
  }

  /**
   * The store is back: what became ready or was lost on the way meanwhile is looked for at once.
   */
  wakeAll(): void {
    for (const queue of this.#queues.values()) this.wake(queue.name);
  }

  /** Executions were dropped: nothing that was derived from them is sent any more. */
  drop(isDropped: (id: ExecutionId) => boolean): void {
    const isLost = ({ taskId }: Attempt): boolean => isDropped(executionOf(taskId));
    this.#writer.drop(isLost);
    for (const queue of this.#queues.values()) {
      queue.head.removeWhere(isLost);
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

  /** Once the turn is over, so that what became ready together goes out together. */
  #serveSoon(queue: TaskQueue): void {
    if (this.#toServe.size === 0) queueMicrotask(() => this.#serve());
    this.#toServe.add(queue);
  }

  #serve(): void {
    const queues = [...this.#toServe];
    this.#toServe.clear();
    for (const queue of queues) {
      while (queue.head.size > 0) {
        const poll = queue.waiting(this.#batch);
        if (poll === undefined) break;
        this.#takeFromHead(queue, poll);
      }
      this.#offerLeft(queue);
    }
  }

  /** The polls of this node took less than there was: those of other nodes may take the rest. */
  #offerLeft(queue: TaskQueue): void {
    if (this.hasLeft(queue.name)) this.#notices.ready(queue.name, this.#mayHold(queue));
  }

  #takeFromHead(queue: TaskQueue, poll: ParkedPoll): void {
    const wanted = Math.min(poll.wants(this.#batch), queue.head.size);
    if (wanted === 0) return;
    const attempts: Attempt[] = [];
    const tickets: Ticket[] = [];
    for (let i = 0; i < wanted; i++) {
      const attempt = queue.head.take();
      if (attempt === undefined) break;
      attempts.push(attempt);
      tickets.push(poll.ticket(this.#batch));
    }
    void this.#lease(queue, attempts, tickets);
  }

  /** A grant for what a poll took from the head. */
  async #lease(
    queue: TaskQueue,
    attempts: readonly Attempt[],
    tickets: readonly Ticket[],
  ): Promise<void> {
    const workerId = tickets[0]?.workerId;
    const leases = await this.#headLeases.lease(queue, { attempts, workerId });
    for (const [i, ticket] of tickets.entries()) {
      const leased = leases[i];
      if (leased === undefined) {
        ticket.fail();
        continue;
      }
      const { text, leaseNumber } = leased;
      ticket.deliver(text, { attempt: attempts[i] as Attempt, leaseNumber, keeper: 'queue' });
    }
  }

  #pushed(pushes: readonly Push[]): void {
    for (const push of pushes) {
      const queue = this.queue(push.queue);
      if (push.visibleAt > this.parts.clock.now()) this.#visibleAt(queue, push.visibleAt);
      else this.#becameReady(push.queue);
    }
  }

  /** Whether other nodes may take from the head; it is read anew now and then. */
  #mayHold(queue: TaskQueue): boolean {
    if (!this.parts.ridesWithCommits) return false;
    if (!queue.scriptsDecide) return true;
    const now = this.parts.clock.now();
    if (now < queue.readAgainAt) return false;
    queue.readAgainAt = now + scriptsDecideMs;
    queue.scriptsDecide = false;
    queue.maybeReady = true;
    return true;
  }

  /** Reads the head for another node's poll where the store may hold more. */
  async #completeHead(queue: TaskQueue): Promise<void> {
    if (!queue.maybeReady || queue.scriptsDecide || queue.fetching) return;
    queue.fetching = true;
    queue.maybeReady = false;
    try {
      await this.#readHead(queue);
    } catch (error) {
      queue.maybeReady = true;
      this.parts.failed(error);
    }
    queue.fetching = false;
    if (queue.fetchAgain) this.#fetch(queue);
  }

  /** Wakes the polls of this node, or those of others where none waits here. */
  #becameReady(name: QueueName): void {
    if (!this.wake(name)) this.#notices.ready(name, false);
  }

  /**
   * Members of ready that no head has are found by reading it. While the head has others that is
   * done once a minute: a read that leaves more in the store sends what comes next there, too.
   */
  #lookForLost(queue: TaskQueue): void {
    const isFresh = this.parts.clock.now() - queue.readAt < readAgainMs;
    if (queue.head.size === 0 || !isFresh) this.#becameReady(queue.name);
  }

  /** Slots may be free again; only the node that popped last knows whether a task waits for it. */
  #freed(queues: readonly QueueName[]): void {
    for (const name of queues) this.#becameReady(name);
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
    // What is popped or read now could not be claimed; taking the shards wakes all queues.
    if (!this.#attempts.isServing) return;
    if (queue.fetching) {
      queue.fetchAgain = true;
      return;
    }
    queue.fetching = true;
    void this.#fetchAll(queue);
  }

  async #fetchAll(queue: TaskQueue): Promise<void> {
    try {
      do {
        queue.fetchAgain = false;
        if (this.#wanted(queue) === 0) break;
        // Cleared before the call: what lands while it is under way raises it again.
        queue.maybeReady = false;
        if (!queue.scriptsDecide && (await this.#readHead(queue))) continue;
        if (this.#wanted(queue) > 0) await this.#scripts.handOut(queue, this.#wanted(queue));
      } while (queue.fetchAgain);
    } catch (error) {
      queue.maybeReady = true;
      // The pop may have been carried out without an answer.
      this.#scripts.expectProvisionalEnd(queue);
      this.parts.failed(error);
    }
    // In the turn that looked at `fetchAgain`: who asks from now on starts a new one.
    queue.fetching = false;
    this.#offerLeft(queue);
  }

  #wanted(queue: TaskQueue): number {
    let wanted = 0;
    for (const poll of queue.parked) wanted += poll.wants(fetchBatch);
    return Math.min(wanted, this.parts.settings.popMax);
  }

  /** Builds the head from what stands in ready; false when scripts have to decide. */
  async #readHead(queue: TaskQueue): Promise<boolean> {
    if (!this.parts.ridesWithCommits) {
      queue.scriptsDecide = true;
      return false;
    }
    queue.readAt = this.parts.clock.now();
    const read = await this.parts.store.head(queue.name, membersPerRead);
    if (read.nextVisibleAt > 0) this.#visibleAt(queue, read.nextVisibleAt);
    const isOurs = read.members.every(({ attempt }) => this.#attempts.owns(attempt));
    if (read.needsScript === 'always' || !isOurs) {
      queue.scriptsDecide = true;
      queue.head.clear();
    }
    if (read.needsScript !== 'no' || !isOurs) return false;
    // What has landed since the read was sent comes after what it found.
    const landed = read.hasMore ? [] : [...queue.head.entries()];
    queue.head.clear();
    const known = new Set<string>();
    for (const { attempt, urgency } of read.members) {
      known.add(nameOf(attempt));
      queue.head.add({ queue: queue.name, attempt, isGone: false }, urgency);
    }
    for (const { ready, urgency } of landed) {
      if (!known.has(nameOf(ready.attempt))) queue.head.add(ready, urgency);
    }
    if (read.hasMore) queue.maybeReady = true;
    this.#toServe.add(queue);
    this.#serve();
    return true;
  }

  #returnLease(queue: TaskQueue, lease: HeldLease): void {
    const { attempt, leaseNumber } = lease;
    if (lease.keeper === 'queue') this.#giveBack(queue, [{ attempt, leaseNumber }]);
    else this.#attempts.returnLease(attempt, leaseNumber);
  }

  #giveBack(queue: TaskQueue, popped: readonly Popped[]): void {
    this.parts.store.giveBack(queue.name, popped).then(
      () => this.wake(queue.name),
      (error: unknown) => this.parts.failed(error),
    );
  }
}

/** 1 is most urgent, 0 comes last (semantics 5.2). */
function urgencyOf(priority: number): number {
  return priority >= 1 && priority < lastUrgency ? Math.floor(priority) : lastUrgency;
}

function nameOf({ taskId, reopenCount }: Attempt): string {
  return `${taskId} ${reopenCount}`;
}

const lastUrgency = 100;
/** A queue that scripts decide about, and no poll of this node reads, is read again after it. */
const scriptsDecideMs = 1000;
/** Between two reads of ready that look for what was lost, while there is enough else. */
const readAgainMs = 60_000;
/** Members of ready read at once. */
const membersPerRead = 1000;
