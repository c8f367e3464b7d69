// Leases what was taken from the head of a queue, for polls of this node and of others. Attempts
// that could not be leased are dealt with here: it is over, somebody else has it, or it is tried
// again.
import type { Port } from '../std/port.js';
import type { Clock } from '../std/clock.js';
import type { Attempt } from '../store/queue-store.js';
import type { Leased, LeaseWish, NotLeased } from './attempt-owner.js';
import type { LeaseEnds } from './lease-ends.js';
import type { QueuePartners } from './queue-partners.js';
import type { QueueWriter } from './queue-writer.js';
import type { ReadySignals } from './ready-signals.js';
import type { TaskQueue } from './task-queue.js';

export interface HeadLeasesParts {
  readonly clock: Clock;
  readonly leaseEnds: LeaseEnds;
  readonly writer: Pick<QueueWriter, 'finish'>;
  readonly partners: Port<QueuePartners>;
  readonly signals: ReadySignals;
  readonly failed: (error: unknown) => void;
}

/** Before an attempt is tried again whose execution could not be asked. */
const laterMs = 50;

export class HeadLeases {
  constructor(private readonly parts: HeadLeasesParts) {}

  /** In order; undefined: not leased. */
  async lease(
    queue: TaskQueue,
    wish: Omit<LeaseWish, 'queue'>,
  ): Promise<readonly (Leased | undefined)[]> {
    let results: readonly (Leased | NotLeased)[];
    try {
      results = await this.parts.partners.part.owner.lease({ ...wish, queue: queue.name });
    } catch (error) {
      this.parts.signals.becameReady(queue.name);
      this.parts.failed(error);
      return wish.attempts.map(() => undefined);
    }
    return wish.attempts.map((attempt, i) => {
      const leased = results[i] ?? 'taken';
      if (typeof leased === 'string') return this.#refused(queue, attempt, leased);
      if (leased.endAt > 0) this.parts.leaseEnds.expect(queue, leased.endAt);
      return leased;
    });
  }

  #refused(queue: TaskQueue, attempt: Attempt, why: NotLeased): undefined {
    switch (why) {
      case 'over':
        this.parts.writer.finish(queue.name, attempt);
        return;
      case 'later':
        this.parts.clock.after(laterMs, () => this.parts.signals.becameReady(queue.name));
        return;
      case 'by-script':
        this.parts.signals.becameReady(queue.name);
        return;
      case 'taken':
    }
  }
}
