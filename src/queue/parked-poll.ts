// One long poll that waits. It is answered as soon as what was matched to it in one commit is
// through the gate, so that tasks which become ready together travel together and none waits for a
// later commit.
import type { HeldLease, Ticket } from './attempt-owner.js';
import type { Ending, PollEnds } from './poll-ends.js';
import type { PollRequest, TaskText } from './task-queues.js';

/** Tasks fetched for a poll from elsewhere belong to no commit batch of this node. */
export const fetchBatch = -2;

/** The queue that a poll waits at. */
export interface PollPlace {
  /** The poll takes no more: all that it asked for is on its way to it, or it has ended. */
  leave(poll: ParkedPoll): void;
  /** A task that was on its way to the poll did not come: the poll takes whatever else there is. */
  waitAgain(poll: ParkedPoll): void;
  /** The client has gone: what it was to get goes back. */
  giveBack(lease: HeldLease): void;
  /** So many tasks leave for the client. */
  handedOut(count: number): void;
}

const noLeases: readonly HeldLease[] = [];

/** Thousands may wait: it holds little, and nothing of its request. */
export class ParkedPoll implements Ending {
  readonly workerId: string | undefined;
  #remaining: number;
  #outstanding = 0;
  #batch = -1;
  /** Each with the lease at the same place; forgotten with the answer. */
  #texts: TaskText[] | undefined;
  #leases: HeldLease[] | undefined;
  #state: 'waiting' | 'expired' | 'answered' | 'gone' = 'waiting';
  readonly endAt: number;
  readonly lengthMs: number;
  readonly #ends: PollEnds;
  readonly #answer: (tasks: TaskText[]) => void;
  readonly #place: PollPlace;

  constructor(options: {
    request: PollRequest;
    ends: PollEnds;
    answer: (tasks: TaskText[]) => void;
    place: PollPlace;
  }) {
    this.workerId = options.request.workerId;
    this.#remaining = options.request.count;
    this.#answer = options.answer;
    this.#place = options.place;
    this.#ends = options.ends;
    this.lengthMs = options.request.timeoutMs;
    this.endAt = this.#ends.endAt(this.lengthMs);
    this.#ends.add(this);
    options.request.onAbort(() => this.#abort());
  }

  /**
   * How many tasks it would still take in the commit batch of this number; a poll takes from one
   * batch only.
   */
  wants(batch: number): number {
    if (this.#state !== 'waiting') return 0;
    return this.#batch === -1 || this.#batch === batch ? this.#remaining : 0;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Reserves room for one task; every ticket must be delivered or failed. */
  ticket(batch: number): Ticket {
    this.#batch = batch;
    this.#remaining -= 1;
    this.#outstanding += 1;
    if (this.#remaining === 0) this.#place.leave(this);
    return new PollTicket(this);
  }

  /** For tickets. */
  take(text: TaskText, lease: HeldLease): void {
    this.#outstanding -= 1;
    if (this.#state === 'gone') return this.#place.giveBack(lease);
    (this.#texts ??= []).push(text);
    (this.#leases ??= []).push(lease);
    this.#settle();
  }

  /** For tickets. */
  miss(): void {
    this.#outstanding -= 1;
    this.#remaining += 1;
    this.#settle();
    if (this.#outstanding === 0 && this.#state === 'waiting') this.#place.waitAgain(this);
  }

  #settle(): void {
    if (this.#outstanding > 0 || this.#state === 'gone') return;
    if (this.#leases !== undefined || this.#state === 'expired') return this.#finish();
    this.#batch = -1;
  }

  /** Its time is over: it takes nothing new and is answered with what is on its way to it. */
  expire(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'expired';
    if (this.#outstanding === 0) this.#finish();
  }

  #finish(): void {
    if (this.#state === 'answered') return;
    this.#state = 'answered';
    this.#ends.remove(this);
    this.#place.leave(this);
    const texts = newestTexts(this.#texts ?? [], this.#leases ?? noLeases);
    // A poll that has waited is an old object: until the next collection of those, texts that it
    // names would be kept and copied, although nobody can reach it (docs/performance.md).
    this.#texts = undefined;
    if (texts.length > 0) this.#place.handedOut(texts.length);
    this.#answer(texts);
  }

  #abort(): void {
    if (this.#state === 'answered') {
      // The answer was on its way: what it carried goes back at once instead of waiting for its
      // lease to end.
      for (const lease of this.#leases ?? noLeases) this.#place.giveBack(lease);
      return;
    }
    this.#state = 'gone';
    this.#ends.remove(this);
    this.#place.leave(this);
    for (const lease of this.#leases ?? noLeases) this.#place.giveBack(lease);
    this.#answer([]);
  }
}

/** A task that was given back while it was on its way here may have come again: the last counts. */
function newestTexts(texts: TaskText[], leases: readonly HeldLease[]): TaskText[] {
  if (texts.length < 2) return texts;
  const newest = new Map<string, TaskText>();
  for (const [i, { attempt }] of leases.entries()) newest.set(attempt.taskId, texts[i] as TaskText);
  return newest.size === texts.length ? texts : [...newest.values()];
}

class PollTicket implements Ticket {
  constructor(private readonly poll: ParkedPoll) {}

  get workerId(): string | undefined {
    return this.poll.workerId;
  }

  deliver(text: TaskText, lease: HeldLease): void {
    this.poll.take(text, lease);
  }

  fail(): void {
    this.poll.miss();
  }
}
