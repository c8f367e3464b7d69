// Signals that the store's ready of a queue may hold members that its head does not. They come from
// pushes, returned leases and times; the supply (queue-supply.ts) reads the store upon them.
import type { Port } from '../std/port.js';
import type { Clock } from '../std/clock.js';
import type { QueueName } from '../engine/decision.js';
import type { QueuePartners } from './queue-partners.js';
import type { QueueTable } from './queue-table.js';
import type { TaskQueue } from './task-queue.js';

/** Reads ready for the polls of this node, or tells other nodes. */
export type LookAtReady = (queue: TaskQueue) => void;

/** Between two reads of ready that look for what was lost, while there is enough else. */
const readAgainMs = 60_000;

export class ReadySignals {
  constructor(
    private readonly clock: Clock,
    private readonly table: QueueTable,
    private readonly partners: Port<QueuePartners>,
    private readonly look: LookAtReady,
  ) {}

  /** Members may have become ready in the store, for polls of any node. */
  becameReady(name: QueueName): void {
    const queue = this.table.of(name);
    queue.signals.raise();
    this.look(queue);
  }

  /**
   * A limit of the type may let more through. Its domains share the limit, so polls of all of them
   * look, here and at other nodes; those that found nothing held back have nothing to look for.
   */
  roomFor(taskType: string): void {
    for (const queue of this.table.ofType(taskType)) {
      if (queue.blockedBy !== undefined || queue.fetching) this.becameReady(queue.name);
    }
    this.partners.part.notices.roomFor(taskType);
  }

  /** A hidden member becomes visible, or a rate window opens, at `at`, epoch ms. */
  visibleAt(queue: TaskQueue, at: number): void {
    if (queue.nextVisibleAt !== 0 && queue.nextVisibleAt <= at) return;
    queue.nextVisibleAt = at;
    this.clock.after(at - this.clock.now(), () => {
      if (queue.nextVisibleAt !== at) return;
      queue.nextVisibleAt = 0;
      this.becameReady(queue.name);
    });
  }

  /**
   * Ready may hold members that the head lacks: a read finds them. While the head is not empty,
   * ready is read once a minute only: a read that leaves members in the store sends the next ones
   * there as well.
   */
  mayHaveLost(queue: TaskQueue): void {
    const isFresh = this.clock.now() - queue.readAt < readAgainMs;
    if (queue.head.size === 0 || !isFresh) this.becameReady(queue.name);
  }
}
