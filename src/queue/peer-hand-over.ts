// Tasks that are ready at one node for polls that wait at another one (architecture section 4). The
// node that holds them tells the other one (placement/peer-notices.ts), which asks for as many as
// one of its polls takes. The holder, which owns their executions, leases them by a grant as for
// polls of its own, and answers with the leased tasks. So a task costs one write and three frames.
//
// When an answer is lost on the way, its tasks are leased and no worker has them. The node that
// asked says so as soon as it reaches the holder, which gives the leases back
// (hand-over-grants.ts).
//
// A task that cannot go this way stays in ready, and the other node pops it from the store: tasks
// with limits, tasks of other owners, and tasks whose lease has no end. Such a lease would stay for
// ever if one of the two nodes died before the holder is told.
import type { Clock } from '../std/clock.js';
import type { Attempt, QueueStore } from '../store/queue-store.js';
import type { QueueName } from '../engine/decision.js';
import {
  HandOverGrants,
  type Grant,
  type PeerRequest,
  type RequestName,
} from './hand-over-grants.js';
import type { HeadLeases } from './head-leases.js';
import { fetchBatch } from './parked-poll.js';
import type { QueueSupply } from './queue-supply.js';
import type { QueueTable } from './queue-table.js';
import type { ReadySignals } from './ready-signals.js';
import type { TaskQueue } from './task-queue.js';
import type { TaskText } from './task-queues.js';

/** The tasks that a poll of another node takes. */
export interface PeerWish {
  readonly count: number;
  readonly workerId: string | undefined;
}

/** A poll of another node asks for tasks. */
export interface TakeRequest {
  readonly queue: QueueName;
  readonly wish: PeerWish;
  readonly request: PeerRequest;
}

export interface HandedOver {
  readonly tasks: readonly {
    readonly attempt: Attempt;
    readonly leaseNumber: number;
    readonly text: TaskText;
  }[];
  /** More may be ready: held by the node that answers, or in the store. */
  readonly hasLeft: boolean;
}

/** Asks the node that holds ready tasks; rejects when it cannot be asked. */
export type AskHolder = (wish: PeerWish) => Promise<HandedOver>;

export interface PeerHandOverParts {
  readonly clock: Clock;
  readonly store: Pick<QueueStore, 'giveBack'>;
  readonly table: QueueTable;
  readonly headLeases: HeadLeases;
  readonly supply: Pick<QueueSupply, 'completeHead' | 'wake'>;
  readonly signals: ReadySignals;
  /** Most tasks in one answer. */
  readonly tasksMax: number;
  readonly failed: (error: unknown) => void;
}

export class PeerHandOver {
  /** Offers of other nodes that no poll has taken yet, by the holder's node id. */
  readonly #offers = new WeakMap<TaskQueue, Map<string, AskHolder>>();

  readonly #grants: HandOverGrants;

  constructor(private readonly parts: PeerHandOverParts) {
    this.#grants = new HandOverGrants(parts.clock);
  }

  /** Another node holds ready tasks. False when no poll takes them now: others may. */
  offered(name: QueueName, holder: string, ask: AskHolder): boolean {
    const queue = this.parts.table.of(name);
    if (queue.waiting(fetchBatch) !== undefined) {
      void this.#takeFrom(queue, ask);
      return true;
    }
    const offers = this.#offers.get(queue);
    if (offers === undefined) this.#offers.set(queue, new Map([[holder, ask]]));
    else offers.set(holder, ask);
    return false;
  }

  /** A poll waits from now on: it takes what was offered before. */
  parked(queue: TaskQueue): void {
    const offers = this.#offers.get(queue);
    if (offers === undefined) return;
    this.#offers.delete(queue);
    for (const ask of offers.values()) void this.#takeFrom(queue, ask);
  }

  /** Until the holder has no more, or no poll waits. */
  async #takeFrom(queue: TaskQueue, ask: AskHolder): Promise<void> {
    for (;;) {
      const poll = queue.waiting(fetchBatch);
      if (poll === undefined) break;
      const count = Math.min(poll.wants(fetchBatch), this.parts.tasksMax);
      const tickets = Array.from({ length: count }, () => poll.ticket(fetchBatch));
      // A holder that cannot be asked leaves its tasks in ready, or gives their leases back.
      const given = await ask({ count, workerId: poll.workerId }).catch(() => nothing);
      for (const [i, ticket] of tickets.entries()) {
        const task = given.tasks[i];
        if (task === undefined) ticket.fail();
        else {
          const { attempt, leaseNumber, text } = task;
          ticket.deliver(text, { attempt, leaseNumber, keeper: 'queue' });
        }
      }
      if (!given.hasLeft) return;
      if (given.tasks.length === 0) break;
    }
    this.parts.supply.wake(queue);
  }

  /** Leases tasks of the head for a poll of another node, which may stop to wait meanwhile. */
  async handOver(
    { queue: name, wish, request }: TakeRequest,
    call: { readonly isCancelled: boolean },
  ): Promise<HandedOver> {
    this.#grants.heard(request);
    const queue = this.parts.table.of(name);
    await this.parts.supply.completeHead(queue);
    if (!this.#grants.isWanted(request)) return nothing;
    const attempts = takeSome(queue, Math.min(wish.count, this.parts.tasksMax));
    if (attempts.length === 0) return { tasks: [], hasLeft: queue.hasLeft };
    const { workerId } = wish;
    const leases = await this.parts.headLeases.lease(queue, { attempts, workerId, mustEnd: true });
    const tasks = leases.flatMap((leased, i) => {
      if (leased === undefined) return [];
      const { leaseNumber, text } = leased;
      return [{ attempt: attempts[i] as Attempt, leaseNumber, text }];
    });
    const grant = {
      queue: name,
      leases: tasks.map(({ attempt, leaseNumber }) => ({ attempt, leaseNumber })),
    };
    if (tasks.length > 0) this.#grants.keep(request, grant);
    if (!call.isCancelled && this.#grants.isWanted(request)) {
      return { tasks, hasLeft: queue.hasLeft };
    }
    // The node that asked will tell that it got no answer: what fails now is repeated then.
    if (tasks.length > 0) this.#giveBack(request, grant).catch(this.parts.failed);
    return nothing;
  }

  /**
   * Another node got no answer to requests of its process, and drops one that comes late: what was
   * leased for them goes back. Rejects when the store cannot be told now.
   */
  async givenUp(bootId: string, numbers: readonly number[]): Promise<void> {
    const givingBack = numbers.map(async (number) => {
      const request = { bootId, number };
      const grant = this.#grants.giveUp(request);
      if (grant !== undefined) await this.#giveBack(request, grant);
    });
    await Promise.all(givingBack);
  }

  async #giveBack(request: RequestName, grant: Grant): Promise<void> {
    await this.parts.store.giveBack(grant.queue, grant.leases);
    this.#grants.returned(request);
    this.parts.signals.becameReady(grant.queue);
  }
}

/** The store is looked at instead. */
const nothing: HandedOver = { tasks: [], hasLeft: true };

function takeSome(queue: TaskQueue, count: number): Attempt[] {
  const attempts: Attempt[] = [];
  while (attempts.length < count) {
    const attempt = queue.head.take();
    if (attempt === undefined) break;
    attempts.push(attempt);
  }
  return attempts;
}
