// A map and a set that cost next to nothing while they are empty. An execution has a dozen of them,
// and most stay empty for all of its life; the language's own allocate their table when they are
// made.

const nothing: IterableIterator<never> = [][Symbol.iterator]();

export class SparseMap<K, V> {
  #entries: Map<K, V> | undefined;

  get size(): number {
    return this.#entries === undefined ? 0 : this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries?.get(key);
  }

  has(key: K): boolean {
    return this.#entries !== undefined && this.#entries.has(key);
  }

  set(key: K, value: V): void {
    (this.#entries ??= new Map<K, V>()).set(key, value);
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    return this.#entries !== undefined && this.#entries.delete(key);
  }

  clear(): void {
    this.#entries = undefined;
  }
}

/** Iterates in the order of insertion. */
export class SparseSet<T> implements Iterable<T> {
  #values: Set<T> | undefined;

  get size(): number {
    return this.#values === undefined ? 0 : this.#values.size;
  }

  has(value: T): boolean {
    return this.#values !== undefined && this.#values.has(value);
  }

  add(value: T): this {
    (this.#values ??= new Set<T>()).add(value);
    return this;
  }

  /** Whether it was there. */
  delete(value: T): boolean {
    return this.#values !== undefined && this.#values.delete(value);
  }

  clear(): void {
    this.#values = undefined;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#values === undefined ? nothing : this.#values.values();
  }
}
