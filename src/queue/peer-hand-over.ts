// Tasks that are ready at one node for polls that wait at another one (architecture section 4). The
// node that holds them tells the other one (placement/peer-notices.ts), which asks for as many as
// one of its polls takes. The holder, which owns their executions, leases them by a grant as for
// polls of its own, and answers with the leased tasks. So a task costs one write and three frames.
//
// What cannot go this way stays in ready, and the other node pops it from the store: tasks with
// limits, tasks of other owners, and those whose lease has no end, because an answer that is lost
// on the way leaves the task to the end of its lease.
import type { Attempt, Popped } from '../store/queue-store.js';
import type { QueueName } from '../engine/decision.js';
import type { HeadLeases } from './head-leases.js';
import type { TaskQueue } from './task-queue.js';
import type { TaskText } from './task-queues.js';

/** What a poll of another node takes. */
export interface PeerWish {
  readonly count: number;
  readonly workerId: string | undefined;
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
  readonly leases: HeadLeases;
  /** Most tasks in one answer. */
  readonly tasksMax: number;
  queueOf(name: QueueName): TaskQueue;
  /** Reads what stands in ready where the head may lack some of it. */
  completeHead(queue: TaskQueue): Promise<void>;
  hasLeft(name: QueueName): boolean;
  wake(name: QueueName): boolean;
  giveBack(queue: TaskQueue, leases: readonly Popped[]): void;
}

/** Tasks fetched for a poll from elsewhere belong to no commit batch of this node. */
export const fetchBatch = -2;

export class PeerHandOver {
  /** Offers of other nodes that no poll has taken yet, by the holder's node id. */
  readonly #offers = new WeakMap<TaskQueue, Map<string, AskHolder>>();

  constructor(private readonly parts: PeerHandOverParts) {}

  /** Another node holds ready tasks. False when no poll waits for them here. */
  offered(name: QueueName, holder: string, ask: AskHolder): boolean {
    const queue = this.parts.queueOf(name);
    if (queue.waiting(fetchBatch) !== undefined) {
      void this.#takeFrom(queue, ask);
      return true;
    }
    const offers = this.#offers.get(queue);
    if (offers === undefined) this.#offers.set(queue, new Map([[holder, ask]]));
    else offers.set(holder, ask);
    return queue.parked.size > 0;
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
      // A holder that cannot be asked leaves its tasks in ready, or to the ends of their leases.
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
    this.parts.wake(queue.name);
  }

  /** Leases tasks of the head for a poll of another node; `signal`: it no longer waits. */
  async handOver(name: QueueName, wish: PeerWish, signal: AbortSignal): Promise<HandedOver> {
    const queue = this.parts.queueOf(name);
    await this.parts.completeHead(queue);
    const attempts = takeSome(queue, Math.min(wish.count, this.parts.tasksMax));
    if (attempts.length === 0) return { tasks: [], hasLeft: this.parts.hasLeft(name) };
    const { workerId } = wish;
    const leases = await this.parts.leases.lease(queue, { attempts, workerId, mustEnd: true });
    const tasks = leases.flatMap((leased, i) => {
      if (leased === undefined) return [];
      const { leaseNumber, text } = leased;
      return [{ attempt: attempts[i] as Attempt, leaseNumber, text }];
    });
    if (!signal.aborted) return { tasks, hasLeft: this.parts.hasLeft(name) };
    if (tasks.length > 0) this.parts.giveBack(queue, tasks);
    return nothing;
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
