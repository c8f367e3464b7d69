// The way of a task through the store's scripts (invariants M7): popped with a provisional lease,
// claimed at the owner of its execution, confirmed with the full lease, handed out.
import type { Port } from '../std/port.js';
import type { Clock } from '../std/clock.js';
import type { Attempt, Popped, QueueStore } from '../store/queue-store.js';
import type { Claimed, Ticket } from './attempt-owner.js';
import type { LeaseEnds } from './lease-ends.js';
import { fetchBatch } from './parked-poll.js';
import type { QueuePartners } from './queue-partners.js';
import type { QueueWriter } from './queue-writer.js';
import type { ReadySignals } from './ready-signals.js';
import type { TaskQueue } from './task-queue.js';
import { claimInTime } from './timed-claim.js';

export interface ScriptHandOutParts {
  readonly clock: Clock;
  readonly store: Pick<QueueStore, 'pop' | 'confirm' | 'giveBack'>;
  readonly leaseEnds: LeaseEnds;
  /** Whether moves in queues ride with commits (ExecutionStore.movesRideWithCommits). */
  readonly ridesWithCommits: boolean;
  readonly settings: { readonly provisionalLeaseMs: number; readonly claimTimeoutMs: number };
  readonly writer: Pick<QueueWriter, 'finish'>;
  readonly partners: Port<QueuePartners>;
  readonly signals: ReadySignals;
  readonly failed: (error: unknown) => void;
}

export class ScriptHandOut {
  constructor(private readonly parts: ScriptHandOutParts) {}

  /**
   * Pops up to `count` members, as many as polls take, and hands them out. Rejects when the store
   * cannot be asked: members may have been popped all the same.
   */
  async handOut(queue: TaskQueue, count: number): Promise<void> {
    const { provisionalLeaseMs } = this.parts.settings;
    const asked = queue.signals.ask();
    const result = await this.parts.store.pop(queue.name, count, provisionalLeaseMs);
    queue.blockedBy = result.blockedBy;
    if (result.nextVisibleAt > 0) this.parts.signals.visibleAt(queue, result.nextVisibleAt);
    if (!result.moreReady) {
      queue.signals.nothingElse(asked);
      // Nothing is left for scripts to decide about.
      if (this.parts.ridesWithCommits) queue.scriptsDecide = false;
    }
    if (result.popped.length === 0) return;
    // A provisional lease that is not confirmed has to be returned when it ends.
    this.expectProvisionalEnd(queue);
    await this.#deliver(queue, result.popped);
    if (result.moreReady) queue.fetchAgain = true;
  }

  /** A provisional lease may begin now: its queue is looked at when it ends. */
  expectProvisionalEnd(queue: TaskQueue): void {
    const endAt = this.parts.clock.now() + this.parts.settings.provisionalLeaseMs;
    this.parts.leaseEnds.expect(queue, endAt);
  }

  /**
   * Claims what was popped at its owners, sets the leases to their full length, and answers polls
   * (invariants M7).
   */
  async #deliver(queue: TaskQueue, popped: Popped[]): Promise<void> {
    const tickets: { ticket: Ticket; popped: Popped }[] = [];
    const surplus: Popped[] = [];
    for (const item of popped) {
      const ticket = queue.waiting(fetchBatch)?.ticket(fetchBatch);
      if (ticket) tickets.push({ ticket, popped: item });
      else surplus.push(item);
    }
    if (surplus.length > 0) this.giveBack(queue, surplus);
    const claims = await Promise.all(
      tickets.map((entry) => this.#claim(entry.popped.attempt, entry.ticket.workerId)),
    );
    const confirmed: { ticket: Ticket; popped: Popped; claimed: Claimed }[] = [];
    for (const [i, entry] of tickets.entries()) {
      const claimed = claims[i];
      if (claimed === undefined || claimed === 'no-answer') {
        if (claimed === undefined) this.parts.writer.finish(queue.name, entry.popped.attempt);
        entry.ticket.fail();
      } else confirmed.push({ ...entry, claimed });
    }
    if (confirmed.length === 0) return;
    await this.#confirm(queue, confirmed);
  }

  /** Leases that no poll takes, or whose worker has gone, return to ready. */
  giveBack(queue: TaskQueue, popped: readonly Popped[]): void {
    const { store, signals, failed } = this.parts;
    const returned = (): void => {
      signals.becameReady(queue.name);
      // A place that they had, polls of other domains may take.
      signals.roomFor(queue.name.taskType);
    };
    store.giveBack(queue.name, popped).then(returned, failed);
  }

  async #confirm(
    queue: TaskQueue,
    confirmed: { ticket: Ticket; popped: Popped; claimed: Claimed }[],
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
        queue.signals.raise();
        ticket.fail();
        continue;
      }
      if (claimed.leaseMs > 0) this.parts.leaseEnds.expect(queue, now + claimed.leaseMs);
      ticket.deliver(claimed.text, { ...popped, keeper: 'queue' });
    }
  }

  #claim(
    attempt: Attempt,
    workerId: string | undefined,
  ): Promise<Claimed | undefined | 'no-answer'> {
    const { clock, failed, settings } = this.parts;
    const parts = {
      clock,
      failed,
      owner: this.parts.partners.part.owner,
      timeoutMs: settings.claimTimeoutMs,
    };
    return claimInTime(parts, attempt, workerId);
  }
}
