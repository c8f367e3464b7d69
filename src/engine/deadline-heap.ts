// Binary heap of tasks by the moment they are next to be looked at. Entries are not removed when a
// deadline moves: the armed time of a task is kept beside the heap, and an entry that no longer
// agrees with it is skipped when it surfaces.
import type { Task } from '../model/execution.js';

interface Entry {
  readonly at: number;
  readonly task: Task;
}

export class DeadlineHeap {
  #entries: Entry[] = [];
  readonly #armed = new Map<Task, number>();

  /** Sets the moment of a task, epoch ms; 0 takes it out. */
  arm(task: Task, at: number): void {
    const before = this.#armed.get(task) ?? 0;
    if (before === at) return;
    if (at === 0) {
      this.#armed.delete(task);
      return;
    }
    this.#armed.set(task, at);
    this.#add({ at, task });
  }

  /** Earliest armed moment, 0 when there is none. */
  get nextAt(): number {
    this.#dropStale();
    return this.#entries[0]?.at ?? 0;
  }

  /** Takes out a task whose moment is not after `now`; undefined when there is none. */
  popDue(now: number): Task | undefined {
    this.#dropStale();
    const first = this.#entries[0];
    if (first === undefined || first.at > now) return undefined;
    this.#removeFirst();
    this.#armed.delete(first.task);
    return first.task;
  }

  clear(): void {
    this.#entries = [];
    this.#armed.clear();
  }

  #dropStale(): void {
    for (;;) {
      const first = this.#entries[0];
      if (first === undefined || this.#armed.get(first.task) === first.at) return;
      this.#removeFirst();
    }
  }

  #add(entry: Entry): void {
    const entries = this.#entries;
    let index = entries.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((entries[parent] as Entry).at <= entry.at) break;
      entries[index] = entries[parent] as Entry;
      index = parent;
    }
    entries[index] = entry;
  }

  #removeFirst(): void {
    const entries = this.#entries;
    const last = entries.pop() as Entry;
    if (entries.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) break;
      const right = entries[child + 1];
      if (right !== undefined && right.at < (entries[child] as Entry).at) child++;
      if ((entries[child] as Entry).at >= last.at) break;
      entries[index] = entries[child] as Entry;
      index = child;
    }
    entries[index] = last;
  }
}
