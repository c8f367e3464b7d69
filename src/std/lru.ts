// A map that forgets what was used longest ago once it is full. Relies on Map keeping the order of
// insertion. While less than half of it is taken, nothing is about to be forgotten, so a use does
// not move its entry: each move leaves a hole that Map closes by copying all of it.

export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>();

  /** `sizeMax`: entries kept, at least 1. `forgotten` is told of each value that leaves. */
  constructor(
    readonly sizeMax: number,
    private readonly forgotten?: (value: Value) => void,
  ) {}

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
    this.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.sizeMax) this.deleteOldest();
  }

  delete(key: Key): void {
    if (this.forgotten === undefined) {
      this.#entries.delete(key);
      return;
    }
    const value = this.#entries.get(key);
    if (this.#entries.delete(key)) this.forgotten(value as Value);
  }

  /** Forgets what was used longest ago, if anything is here. */
  deleteOldest(): void {
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.delete(oldest.value);
  }

  /** Those used longest ago come first, about. */
  keys(): IterableIterator<Key> {
    return this.#entries.keys();
  }

  clear(): void {
    const { forgotten } = this;
    if (forgotten !== undefined) for (const value of this.#entries.values()) forgotten(value);
    this.#entries.clear();
  }
}
