// The head of a queue in memory: attempts that stand in ready in the store, in the order in which
// polls get them (urgency first, then first in, first out).
import type { TaskId } from '../std/ids.js';
import type { Attempt } from '../store/queue-store.js';

interface Entry {
  readonly attempt: Attempt;
  readonly urgency: number;
  isTaken: boolean;
}

interface Rank {
  readonly urgency: number;
  readonly entries: Entry[];
  /** Position of the first entry that has not been taken. */
  next: number;
}

/** Taken entries in front of a rank are cut off in portions of so many. */
const cutAt = 1024;

export class ReadyHead {
  readonly #byTask = new Map<TaskId, Entry>();
  /** Most urgent first. */
  #ranks: Rank[] = [];

  get size(): number {
    return this.#byTask.size;
  }

  /** `urgency`: lower goes first. An attempt that is here already stays where it is. */
  add(attempt: Attempt, urgency: number): void {
    const known = this.#byTask.get(attempt.taskId);
    if (known?.attempt.reopenCount === attempt.reopenCount) return;
    if (known !== undefined) known.isTaken = true;
    const entry: Entry = { attempt, urgency, isTaken: false };
    this.#byTask.set(attempt.taskId, entry);
    this.#rank(urgency).entries.push(entry);
  }

  take(): Attempt | undefined {
    if (this.#byTask.size === 0) return undefined;
    for (const rank of this.#ranks) {
      const entry = nextOf(rank);
      if (entry === undefined) continue;
      entry.isTaken = true;
      this.#byTask.delete(entry.attempt.taskId);
      return entry.attempt;
    }
    return undefined;
  }

  remove({ taskId, reopenCount }: Attempt): void {
    const entry = this.#byTask.get(taskId);
    if (entry?.attempt.reopenCount !== reopenCount) return;
    entry.isTaken = true;
    this.#byTask.delete(taskId);
  }

  removeWhere(isGone: (attempt: Attempt) => boolean): void {
    for (const { attempt } of this.#byTask.values()) if (isGone(attempt)) this.remove(attempt);
  }

  clear(): void {
    this.#byTask.clear();
    this.#ranks = [];
  }

  /** In order, with their urgency. */
  *entries(): Generator<{ attempt: Attempt; urgency: number }> {
    for (const rank of this.#ranks) {
      for (const entry of rank.entries) if (!entry.isTaken) yield entry;
    }
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

function nextOf(rank: Rank): Entry | undefined {
  const { entries } = rank;
  while (rank.next < entries.length && (entries[rank.next] as Entry).isTaken) rank.next++;
  if (rank.next >= cutAt || rank.next === entries.length) {
    entries.splice(0, rank.next);
    rank.next = 0;
  }
  return entries[rank.next];
}
