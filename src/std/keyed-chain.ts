// Work that is carried out one after the other per key, and at the same time for different keys.

export class KeyedChain {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Carries `work` out once all earlier work of the key has settled, whatever became of that. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, result);
    const forget = (): void => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }

  /** The newest work of the key that has not settled. */
  last(key: string): Promise<unknown> | undefined {
    return this.#last.get(key);
  }
}
