// Watches the ends of leases that the queues keep (invariants M7): a provisional lease returns to
// ready inside the store, the end of a full one is a command to the owner of the execution
// (response timeout, semantics 2.5). The ends themselves are durable in the store; what is known
// here only tells when to look. After a start every queue is looked at once.
import type { Port } from '../std/port.js';
import type { Clock } from '../std/clock.js';
import { addDueSource, removeDueSource, type DueSource } from '../std/due-sources.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { Attempt, QueueStore } from '../store/queue-store.js';
import type { QueuePartners } from './queue-partners.js';
import type { QueueTable } from './queue-table.js';
import type { QueueWriter } from './queue-writer.js';
import type { ReadySignals } from './ready-signals.js';
import type { TaskQueue } from './task-queue.js';

const checkEveryMs = 200;
const endedPerCallMax = 1000;
/** Each queue is looked at this often, ms: this node does not know the leases of others. */
const sweepEveryMs = 10_000;

export interface LeaseEndsParts {
  readonly clock: Clock;
  readonly store: Pick<QueueStore, 'queues' | 'endedLeases'>;
  readonly table: QueueTable;
  readonly writer: Pick<QueueWriter, 'finish'>;
  readonly partners: Port<QueuePartners>;
  readonly signals: ReadySignals;
  readonly failed: (error: unknown) => void;
}

export class LeaseEnds extends PeriodicService implements DueSource {
  #sweptAt = 0;

  constructor(private readonly parts: LeaseEndsParts) {
    super({ clock: parts.clock, everyMs: checkEveryMs, failed: parts.failed, runsOn: 'node' });
  }

  override async start(): Promise<void> {
    await super.start();
    addDueSource(this.parts.clock, this);
  }

  override async stop(): Promise<void> {
    removeDueSource(this.parts.clock, this);
    await super.stop();
  }

  /** For test servers (due-sources.ts): ends of leases, and of what is hidden in a queue. */
  nextDueAt(): number {
    let nextAt = Infinity;
    for (const { nextLeaseEndAt, nextVisibleAt } of this.parts.table.all()) {
      nextAt = Math.min(nextAt, nextLeaseEndAt || Infinity, nextVisibleAt || Infinity);
    }
    return nextAt;
  }

  async timeMoved(): Promise<void> {
    const now = this.parts.clock.now();
    for (const queue of this.parts.table.all()) {
      if (queue.nextVisibleAt === 0 || queue.nextVisibleAt > now) continue;
      queue.nextVisibleAt = 0;
      this.parts.signals.becameReady(queue.name);
    }
    await this.runOnce();
  }

  /** A lease of this queue ends at `endAt`, epoch ms. */
  expect(queue: TaskQueue, endAt: number): void {
    if (queue.nextLeaseEndAt === 0 || endAt < queue.nextLeaseEndAt) queue.nextLeaseEndAt = endAt;
  }

  /** Looks at the queues whose next lease end has come, every `sweepEveryMs` at all of them. */
  override async runOnce(): Promise<void> {
    const { clock, store, table } = this.parts;
    const now = clock.now();
    const swept = new Set<TaskQueue>();
    if (now - this.#sweptAt >= sweepEveryMs) {
      this.#sweptAt = now;
      for (const name of await store.queues()) swept.add(table.of(name));
    }
    for (const queue of table.all()) {
      const isDue = queue.nextLeaseEndAt !== 0 && queue.nextLeaseEndAt <= now;
      if (isDue || swept.has(queue)) await this.#end(queue, isDue);
    }
  }

  async #end(queue: TaskQueue, isKnown: boolean): Promise<void> {
    queue.nextLeaseEndAt = 0;
    queue.lookingForEnds = true;
    try {
      await this.#tellEnded(queue, isKnown);
    } catch (error) {
      // The leases that were to be checked are still unchecked.
      this.expect(queue, this.parts.clock.now() + checkEveryMs);
      throw error;
    } finally {
      queue.lookingForEnds = false;
    }
  }

  async #tellEnded(queue: TaskQueue, isKnown: boolean): Promise<void> {
    const { signals } = this.parts;
    const result = await this.parts.store.endedLeases(queue.name, endedPerCallMax);
    if (result.nextEndAt > 0) this.expect(queue, result.nextEndAt);
    if (result.ended.length === endedPerCallMax) this.expect(queue, this.parts.clock.now());
    if (isKnown || result.ended.length > 0) signals.becameReady(queue.name);
    else signals.mayHaveLost(queue);
    if (result.ended.length > 0) signals.roomFor(queue.name.taskType);
    await Promise.all(
      result.ended.map((attempt) =>
        this.#tell(queue, attempt).catch((error: unknown) => {
          this.expect(queue, this.parts.clock.now() + checkEveryMs);
          this.parts.failed(error);
        }),
      ),
    );
  }

  /**
   * An attempt that is over may still be leased, when a node crashed between a commit and the word
   * to the queue: then the lease is removed.
   */
  async #tell(queue: TaskQueue, attempt: Attempt): Promise<void> {
    const isOpen = await this.parts.partners.part.owner.leaseEnded(attempt);
    if (!isOpen) this.parts.writer.finish(queue.name, attempt);
  }
}
