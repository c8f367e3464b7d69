// A map that forgets what was used longest ago once it is full. Relies on Map keeping the order of
// insertion. While less than half of it is taken, nothing is about to be forgotten, so a use does
// not move its entry: each move leaves a hole that Map closes by copying all of it.

export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>();

  /** `sizeMax`: entries kept, at least 1. */
  constructor(readonly sizeMax: number) {}

  get size(): number {
    return this.#entries.size;
  }

  /**
   * The value of `key`, which becomes the most recently used; undefined when it is not (or no
   * longer) here.
   */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || 2 * this.#entries.size < this.sizeMax) return value;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.sizeMax) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
