// Keys and the time at which each is due. A binary heap that is not searched when a time moves: the
// time of each key is kept beside it, and an entry that no longer agrees is skipped when it
// surfaces.

interface Entry<Key> {
  readonly at: number;
  readonly key: Key;
}

export class DueTimes<Key> {
  #entries: Entry<Key>[] = [];
  readonly #timeOf = new Map<Key, number>();

  get size(): number {
    return this.#timeOf.size;
  }

  /** Time of a key, epoch ms; 0 = none. */
  timeOf(key: Key): number {
    return this.#timeOf.get(key) ?? 0;
  }

  /** Sets the time of a key, epoch ms; 0 takes it out. */
  arm(key: Key, at: number): void {
    const before = this.#timeOf.get(key) ?? 0;
    if (before === at) return;
    if (at === 0) {
      this.#timeOf.delete(key);
      return;
    }
    this.#timeOf.set(key, at);
    this.#add({ at, key });
  }

  /** Earliest time, 0 when there is none. */
  get nextAt(): number {
    this.#dropStale();
    return this.#entries[0]?.at ?? 0;
  }

  /**
   * Takes out a key whose time is not after `now`, earliest first; undefined when there is none.
   */
  popDue(now: number): Key | undefined {
    this.#dropStale();
    const first = this.#entries[0];
    if (first === undefined || first.at > now) return undefined;
    this.#removeFirst();
    this.#timeOf.delete(first.key);
    return first.key;
  }

  clear(): void {
    this.#entries = [];
    this.#timeOf.clear();
  }

  #dropStale(): void {
    for (;;) {
      const first = this.#entries[0];
      if (first === undefined || this.#timeOf.get(first.key) === first.at) return;
      this.#removeFirst();
    }
  }

  #add(entry: Entry<Key>): void {
    const entries = this.#entries;
    let index = entries.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((entries[parent] as Entry<Key>).at <= entry.at) break;
      entries[index] = entries[parent] as Entry<Key>;
      index = parent;
    }
    entries[index] = entry;
  }

  #removeFirst(): void {
    const entries = this.#entries;
    const last = entries.pop() as Entry<Key>;
    if (entries.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) break;
      const right = entries[child + 1];
      if (right !== undefined && right.at < (entries[child] as Entry<Key>).at) child++;
      if ((entries[child] as Entry<Key>).at >= last.at) break;
      entries[index] = entries[child] as Entry<Key>;
      index = child;
    }
    entries[index] = last;
  }
}
