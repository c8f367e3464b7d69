// Brings what is ready to the polls that wait at this node: from the head of a queue, or from the
// store where the head may lack some of it. Tasks that no poll here takes are offered to other
// nodes.
import type { Port } from '../std/port.js';
import type { Clock } from '../std/clock.js';
import type { QueueName } from '../engine/decision.js';
import type { Attempt, QueueStore } from '../store/queue-store.js';
import type { Ticket } from './attempt-owner.js';
import type { HeadLeases } from './head-leases.js';
import { fetchBatch, type ParkedPoll } from './parked-poll.js';
import type { QueuePartners } from './queue-partners.js';
import type { QueueTable } from './queue-table.js';
import type { ReadyAttempt } from './ready-head.js';
import type { ReadySignals } from './ready-signals.js';
import type { ScriptHandOut } from './script-hand-out.js';
import type { TaskQueue } from './task-queue.js';

export interface QueueSupplyParts {
  readonly clock: Clock;
  readonly store: Pick<QueueStore, 'head'>;
  readonly table: QueueTable;
  readonly partners: Port<QueuePartners>;
  readonly signals: ReadySignals;
  readonly headLeases: HeadLeases;
  readonly scripts: ScriptHandOut;
  /** Whether moves in queues ride with commits (ExecutionStore.movesRideWithCommits). */
  readonly ridesWithCommits: boolean;
  readonly settings: {
    /** Ready tasks of a queue that are held in memory; more are read from the store later. */
    readonly readyHeldMax: number;
    /** Most members taken from the store in one call. */
    readonly popMax: number;
  };
  readonly failed: (error: unknown) => void;
}

const lastUrgency = 100;
/**
 * Scripts decide about a queue that holds tasks which no head can hand over (tasks with limits).
 * Where no poll of this node reads it, it is read again after this time, ms: they may be gone.
 */
const scriptsDecideMs = 1000;
/** Before a fetch that failed is tried again, doubled each time, ms. */
const fetchLaterMs = 50;
const fetchLaterMsMax = 3200;
/** Members of ready read at once. */
const membersPerRead = 1000;

export class QueueSupply {
  /** Queues whose head has grown in this turn while polls wait. */
  readonly #toServe = new Set<TaskQueue>();
  /** Number of the commit batch that is being collected. */
  #batch = 0;

  constructor(private readonly parts: QueueSupplyParts) {}

  /** The commits collected so far go out: a poll takes what one batch brings. */
  nextBatch(): void {
    this.#batch += 1;
  }

  /**
   * A parked poll for a task that is being scheduled right now; it leases the task in the same
   * commit.
   */
  match(name: QueueName): Ticket | undefined {
    const queue = this.parts.table.find(name);
    if (!queue || queue.parked.size === 0) return undefined;
    return queue.waiting(this.#batch)?.ticket(this.#batch);
  }

  /** An attempt stands in ready: the commit that put it there is through. */
  ready(ready: ReadyAttempt, priority: number): void {
    const queue = this.parts.table.of(ready.queue);
    const isFull = queue.head.size >= this.parts.settings.readyHeldMax;
    // The store may hold older tasks besides.
    if (queue.signals.isUnasked || queue.scriptsDecide || isFull) {
      if (!this.wake(queue)) this.#offer(queue, this.#mayHold(queue));
      return;
    }
    queue.head.add(ready, urgencyOf(priority));
    if (queue.parked.size > 0) this.#serveSoon(queue);
    else this.#offer(queue, true);
  }

  // ---- the head ----

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
        this.giveFromHead(queue, poll);
      }
      this.offerLeft(queue);
      queue.settle();
    }
  }

  /** A waiting poll takes from the head what it still wants. */
  giveFromHead(queue: TaskQueue, poll: ParkedPoll): void {
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
    const leases = await this.parts.headLeases.lease(queue, { attempts, workerId });
    for (const [i, ticket] of tickets.entries()) {
      const leased = leases[i];
      if (leased === undefined) {
        ticket.fail();
        continue;
      }
      const { text, leaseNumber } = leased;
      ticket.deliver(text, { attempt: attempts[i] as Attempt, leaseNumber, keeper: 'queue' });
    }
    this.#fetchUnasked(queue);
  }

  // ---- the store ----

  /** Members may have become ready in the store. False when no poll waits for them here. */
  wake(queue: TaskQueue): boolean {
    queue.signals.raise();
    if (queue.parked.size === 0) return false;
    this.fetch(queue);
    return true;
  }

  /** The same, for polls of other nodes where none waits here. */
  look(queue: TaskQueue): void {
    if (!this.wake(queue)) this.#offer(queue, false);
  }

  /** Reads ready, as often as polls ask for more. */
  fetch(queue: TaskQueue): void {
    // Tasks that are popped or read now could not be claimed; taking the shards wakes all queues.
    if (!this.parts.partners.part.owner.isServing) return;
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
        await this.#fetchOnce(queue);
      } while (queue.fetchAgain);
      queue.failedFetches = 0;
    } catch (error) {
      // The pop may have been carried out without an answer.
      this.parts.scripts.expectProvisionalEnd(queue);
      this.#fetchLater(queue);
      this.parts.failed(error);
    }
    // In the turn that looked at `fetchAgain`: who asks from now on starts a new one.
    queue.fetching = false;
    this.offerLeft(queue);
    queue.settle();
  }

  /** One read, and one pop where scripts have to decide and a poll still waits. */
  async #fetchOnce(queue: TaskQueue): Promise<void> {
    try {
      if (!queue.scriptsDecide && (await this.#readHead(queue))) return;
      const wanted = this.#wanted(queue);
      if (wanted > 0) await this.parts.scripts.handOut(queue, wanted);
    } finally {
      queue.signals.over();
    }
  }

  /** A store that could not be asked is asked again soon: nobody else may signal. */
  #fetchLater(queue: TaskQueue): void {
    queue.signals.raise();
    if (queue.fetchesLater) return;
    queue.fetchesLater = true;
    const delayMs = Math.min(fetchLaterMs * 2 ** queue.failedFetches, fetchLaterMsMax);
    queue.failedFetches += 1;
    this.parts.clock.after(delayMs, () => {
      queue.fetchesLater = false;
      this.wake(queue);
    });
  }

  /** Reads the head for another node's poll where the store may hold more. */
  async completeHead(queue: TaskQueue): Promise<void> {
    if (!queue.signals.mayHold || queue.scriptsDecide || queue.fetching) return;
    queue.fetching = true;
    try {
      await this.#readHead(queue);
    } catch (error) {
      this.parts.failed(error);
    }
    queue.signals.over();
    queue.fetching = false;
    this.#fetchUnasked(queue);
    queue.settle();
  }

  /** Polls that came while nobody could fetch for them, and a store that may hold something. */
  #fetchUnasked(queue: TaskQueue): void {
    if (queue.signals.isUnasked && this.#wanted(queue) > 0) this.fetch(queue);
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
    const { clock, store, signals, partners } = this.parts;
    queue.readAt = clock.now();
    const asked = queue.signals.ask();
    const read = await store.head(queue.name, membersPerRead);
    if (read.nextVisibleAt > 0) signals.visibleAt(queue, read.nextVisibleAt);
    const isOurs = read.members.every(({ attempt }) => partners.part.owner.owns(attempt));
    if (read.needsScript === 'always' || !isOurs) {
      queue.scriptsDecide = true;
      queue.head.clear();
    }
    if (read.needsScript !== 'no' || !isOurs) return false;
    // Tasks that have landed since the read was sent come after those that it found.
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
    if (!read.hasMore) queue.signals.nothingElse(asked);
    this.#toServe.add(queue);
    this.#serve();
    return true;
  }

  // ---- other nodes ----

  /** The polls of this node took less than there was: those of other nodes may take the rest. */
  offerLeft(queue: TaskQueue): void {
    if (queue.hasLeft) this.#offer(queue, this.#mayHold(queue));
  }

  #offer(queue: TaskQueue, isHeld: boolean): void {
    this.parts.partners.part.notices.ready(queue.name, isHeld);
  }

  /** Whether other nodes may take from the head; it is read anew now and then. */
  #mayHold(queue: TaskQueue): boolean {
    if (!this.parts.ridesWithCommits) return false;
    if (!queue.scriptsDecide) return true;
    const now = this.parts.clock.now();
    if (now < queue.readAgainAt) return false;
    queue.readAgainAt = now + scriptsDecideMs;
    queue.scriptsDecide = false;
    queue.signals.raise();
    return true;
  }
}

/** 1 is most urgent, 0 comes last (semantics 5.2). */
function urgencyOf(priority: number): number {
  return priority >= 1 && priority < lastUrgency ? Math.floor(priority) : lastUrgency;
}

function nameOf({ taskId, reopenCount }: Attempt): string {
  return `${taskId} ${reopenCount}`;
}
