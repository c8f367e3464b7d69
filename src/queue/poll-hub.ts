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
// many tasks) is read from there when a poll needs it. A step that is lost on the way is repeated:
// a task in ready stays SCHEDULED in its execution, a provisional lease ends by itself.
import { Port } from '../std/port.js';
import type { Clock } from '../std/clock.js';
import type { Durable } from '../std/durable.js';
import { executionOf, type ExecutionId } from '../std/ids.js';
import type { EventCounters } from '../telemetry/event-counters.js';
import { AppError } from '../model/errors.js';
import type { QueueName } from '../engine/decision.js';
import type { Attempt, Push, QueueStore } from '../store/queue-store.js';
import type { AttemptOwner, HeldLease, Ticket } from './attempt-owner.js';
import { HeadLeases } from './head-leases.js';
import { LeaseEnds } from './lease-ends.js';
import { fetchBatch, ParkedPoll, type PollPlace } from './parked-poll.js';
import { PeerHandOver } from './peer-hand-over.js';
import { PollEnds } from './poll-ends.js';
import type { PollLog } from './poll-log.js';
import { noNotices, type QueueNotices } from './queue-notices.js';
import type { QueuePartners } from './queue-partners.js';
import { QueueSupply } from './queue-supply.js';
import { QueueTable } from './queue-table.js';
import { QueueWriter } from './queue-writer.js';
import type { ReadyAttempt } from './ready-head.js';
import { ReadySignals } from './ready-signals.js';
import { ScriptHandOut } from './script-hand-out.js';
import type { TaskQueue } from './task-queue.js';
import type { PollRequest, TaskQueues, TaskText } from './task-queues.js';

export interface PollHubSettings {
  readonly parkedPollsMax: number;
  /** Ready tasks of a queue that are held in memory; more are read from the store later. */
  readonly readyHeldMax: number;
  readonly provisionalLeaseMs: number;
  /** How long an owner may take to claim, ms (invariants M7). */
  readonly claimTimeoutMs: number;
  /** Most members taken from the store in one call. */
  readonly popMax: number;
}

export interface PollHubParts {
  readonly clock: Clock;
  readonly store: QueueStore;
  readonly pollLog: PollLog;
  readonly counters: EventCounters;
  /** Whether moves in queues ride with commits (ExecutionStore.movesRideWithCommits). */
  readonly ridesWithCommits: boolean;
  readonly settings: PollHubSettings;
  /** A store call failed; for the log and the counters. */
  readonly failed: (error: unknown) => void;
}

export class PollHub implements TaskQueues {
  readonly leaseEnds: LeaseEnds;
  /** Between the polls of this node and the tasks of others, and the other way round. */
  readonly peerHandOver: PeerHandOver;
  readonly #partners = new Port<QueuePartners>('the partners of queues');
  readonly #table: QueueTable;
  readonly #writer: QueueWriter;
  readonly #scripts: ScriptHandOut;
  readonly #supply: QueueSupply;
  readonly #ends: PollEnds;
  #parkedCount = 0;
  #closed = false;

  constructor(private readonly parts: PollHubParts) {
    const { clock, store, ridesWithCommits, settings, failed } = parts;
    const partners = this.#partners;
    const table = new QueueTable(clock);
    const signals = new ReadySignals(clock, table, partners, (queue) => supply.look(queue));
    const writer = new QueueWriter({ clock, store, table, signals, failed });
    const shared = { clock, store, table, writer, partners, signals, failed };
    const leaseEnds = new LeaseEnds(shared);
    const headLeases = new HeadLeases({ ...shared, leaseEnds });
    const scripts = new ScriptHandOut({ ...shared, leaseEnds, ridesWithCommits, settings });
    const supply = new QueueSupply({
      ...{ ...shared, headLeases, scripts, ridesWithCommits, settings },
    });
    this.#table = table;
    this.#ends = new PollEnds(clock);
    this.#writer = writer;
    this.leaseEnds = leaseEnds;
    this.#scripts = scripts;
    this.#supply = supply;
    this.peerHandOver = new PeerHandOver({
      ...{ ...shared, headLeases, supply, tasksMax: settings.popMax },
    });
  }

  /** Before the first poll. Without `notices` there are no other nodes. */
  connect({ owner, notices = noNotices }: { owner: AttemptOwner; notices?: QueueNotices }): void {
    this.#partners.connect({ owner, notices });
  }

  // ---- polls ----

  get parkedPolls(): number {
    return this.#parkedCount;
  }

  /** Long polls that wait, by task type over its domains. */
  get parkedByType(): ReadonlyMap<string, number> {
    const byType = new Map<string, number>();
    for (const { name, parked } of this.#table.all()) {
      if (parked.size === 0) continue;
      byType.set(name.taskType, (byType.get(name.taskType) ?? 0) + parked.size);
    }
    return byType;
  }

  queue(name: QueueName): TaskQueue {
    return this.#table.of(name);
  }

  get waitingQueues(): QueueName[] {
    return [...this.#table.all()].filter(({ parked }) => parked.size > 0).map(({ name }) => name);
  }

  poll(request: PollRequest): Promise<TaskText[]> {
    if (this.#closed) return Promise.resolve([]);
    const queue = this.#table.of(request.queue);
    queue.lastPollAt = this.parts.clock.now();
    this.parts.pollLog.note(request.queue, request.workerId);
    if (this.#parkedCount >= this.parts.settings.parkedPollsMax) {
      return Promise.reject(
        new AppError('too-many', 'Too many long polls are waiting at this node', {
          retryAfterSeconds: 1,
        }),
      );
    }
    const place = (queue.place ??= this.#placeAt(queue));
    return new Promise((answer) => {
      const poll = new ParkedPoll({ request, ends: this.#ends, answer, place });
      this.#park(queue, poll);
      request.onParked?.(leaveOf(queue, poll));
    });
  }

  #placeAt(queue: TaskQueue): PollPlace {
    return {
      leave: (poll) => {
        queue.leaving.delete(poll);
        if (!queue.parked.delete(poll)) return;
        this.#parkedCount -= 1;
        if (queue.parked.size > 0) return;
        this.#partners.part.notices.wanted(queue.name, false);
        // Offers the tasks that the poll could not take; those that others wait for were offered
        // when they became ready.
        if (!poll.isWaiting) this.#supply.offerLeft(queue);
      },
      waitAgain: (poll) => this.#waitAgain(queue, poll),
      giveBack: (lease) => this.#returnLease(queue, lease),
      handedOut: (count) => this.parts.counters.queue(queue.name, 'handedOut').add(count),
    };
  }

  #park(queue: TaskQueue, poll: ParkedPoll): void {
    queue.parked.add(poll);
    if (queue.parked.size === 1) this.#partners.part.notices.wanted(queue.name, true);
    this.#parkedCount += 1;
    this.#bringTo(queue, poll);
  }

  /** One that asked for many may never have left. */
  #waitAgain(queue: TaskQueue, poll: ParkedPoll): void {
    if (queue.parked.has(poll)) this.#bringTo(queue, poll);
    else this.#park(queue, poll);
  }

  /** Brings ready tasks, or tasks that may be ready, to a poll that begins to wait. */
  #bringTo(queue: TaskQueue, poll: ParkedPoll): void {
    this.#supply.giveFromHead(queue, poll);
    this.peerHandOver.parked(queue);
    if (queue.signals.isUnasked && poll.wants(fetchBatch) > 0) this.#supply.fetch(queue);
  }

  #returnLease(queue: TaskQueue, lease: HeldLease): void {
    const { attempt, leaseNumber } = lease;
    if (lease.keeper === 'queue') this.#scripts.giveBack(queue, [{ attempt, leaseNumber }]);
    else this.#partners.part.owner.returnLease(attempt, leaseNumber);
  }

  /**
   * The node stops: polls that wait are answered as if their time were over, and none waits any
   * more.
   */
  close(): void {
    this.#closed = true;
    for (const queue of this.#table.all()) {
      for (const poll of [...queue.parked]) poll.expire();
    }
  }

  // ---- tasks ----

  /** The commits collected so far go out: a poll takes what one batch brings. */
  nextBatch(): void {
    this.#supply.nextBatch();
  }

  /**
   * A parked poll for a task that is being scheduled right now; it leases the task in the same
   * commit.
   */
  match(name: QueueName): Ticket | undefined {
    return this.#supply.match(name);
  }

  /** An attempt stands in ready: the commit that put it there is through. */
  ready(ready: Durable<ReadyAttempt>, priority: number): void {
    this.#supply.ready(ready, priority);
  }

  /** Resolves once the store's queue has the attempt; never if it is dropped before. */
  push(push: Durable<Push>): Promise<void> {
    return this.#writer.push(push);
  }

  /** Removes an attempt that is over. */
  finish(name: QueueName, attempt: Durable<Attempt>): void {
    this.#writer.finish(name, attempt);
  }

  drained(): Promise<void> {
    return this.#writer.drained();
  }

  /** Executions were dropped: nothing that was derived from them is sent any more. */
  drop(isDropped: (id: ExecutionId) => boolean): void {
    const isLost = ({ taskId }: Attempt): boolean => isDropped(executionOf(taskId));
    this.#writer.drop(isLost);
    for (const queue of this.#table.all()) {
      queue.head.removeWhere(isLost);
      queue.signals.raise();
    }
  }

  // ---- what may be ready in the store ----

  /** Members may have become ready in the store. False when no poll waits for them here. */
  wake(name: QueueName): boolean {
    return this.#supply.wake(this.#table.of(name));
  }

  /**
   * The store is back: what became ready or was lost on the way meanwhile is looked for at once.
   */
  wakeAll(): void {
    for (const queue of this.#table.all()) this.#supply.look(queue);
  }

  /** Polls of the queue wait at another node, or did until now. */
  polledElsewhere(name: QueueName): void {
    this.parts.pollLog.noteElsewhere(name);
  }

  /** Whether members may be ready that no poll of this node waits for. */
  hasLeft(name: QueueName): boolean {
    return this.#table.find(name)?.hasLeft ?? false;
  }
}

/** Apart from the poll's promise, so that its closure keeps no request. */
function leaveOf(queue: TaskQueue, poll: ParkedPoll): () => void {
  return () => {
    if (!poll.isWaiting) return;
    queue.leaving.add(poll);
    queue.settle();
  };
}
