// The head of a queue in memory: attempts that stand in ready in the store, in the order in which
// polls get them (urgency first, then first in, first out).
import type { QueueName } from '../engine/decision.js';
import type { Attempt } from '../store/queue-store.js';

/** An attempt in ready. Its owner marks it here when it is over: then no poll gets it. */
export interface ReadyAttempt {
  readonly queue: QueueName;
  readonly attempt: Attempt;
  isGone: boolean;
}

interface Rank {
  readonly urgency: number;
  readonly entries: ReadyAttempt[];
  /** Position of the first entry that has not been taken. */
  next: number;
}

/** Taken entries in front of a rank are cut off in portions of so many. */
const cutAt = 1024;

export class ReadyHead {
  /** Most urgent first. */
  #ranks: Rank[] = [];
  #size = 0;

  /** Number of entries; one that is over counts until a poll meets it. */
  get size(): number {
    return this.#size;
  }

  /** `urgency`: lower goes first. */
  add(ready: ReadyAttempt, urgency: number): void {
    this.#rank(urgency).entries.push(ready);
    this.#size += 1;
  }

  take(): Attempt | undefined {
    if (this.#size === 0) return undefined;
    for (const rank of this.#ranks) {
      for (let ready = this.#shift(rank); ready !== undefined; ready = this.#shift(rank)) {
        if (!ready.isGone) return ready.attempt;
      }
    }
    return undefined;
  }

  removeWhere(isGone: (attempt: Attempt) => boolean): void {
    for (const { ready } of this.entries()) if (isGone(ready.attempt)) ready.isGone = true;
  }

  clear(): void {
    this.#ranks = [];
    this.#size = 0;
  }

  /** In order, with their urgency. */
  *entries(): Generator<{ ready: ReadyAttempt; urgency: number }> {
    for (const { entries, next, urgency } of this.#ranks) {
      for (let i = next; i < entries.length; i++) {
        const ready = entries[i] as ReadyAttempt;
        if (!ready.isGone) yield { ready, urgency };
      }
    }
  }

  #shift(rank: Rank): ReadyAttempt | undefined {
    const ready = rank.entries[rank.next];
    if (ready === undefined) return undefined;
    this.#size -= 1;
    rank.next += 1;
    if (rank.next >= cutAt || rank.next === rank.entries.length) {
      rank.entries.splice(0, rank.next);
      rank.next = 0;
    }
    return ready;
  }

  #rank(urgency: number): Rank {
    let at = 0;
    while (at < this.#ranks.length && (this.#ranks[at] as Rank).urgency < urgency) at++;
    const found = this.#ranks[at];
    if (found?.urgency === urgency) return found;
    const rank = { urgency, entries: [], next: 0 };
    this.#ranks.splice(at, 0, rank);
    return rank;
  }
}
