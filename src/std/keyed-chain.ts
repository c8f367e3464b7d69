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

  /**
   * The same for several keys: carries `work` out while no other work of any of them is under way.
   * Keys are taken in their order, so that no two wait for each other.
   */
  runAll<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const sorted = [...new Set(keys)].sort();
    const from = async (index: number): Promise<T> => {
      const key = sorted[index];
      if (key === undefined) return await work();
      return await this.run(key, async () => {
        // Many keys are no deep stack.
        await Promise.resolve();
        return await from(index + 1);
      });
    };
    return from(0);
  }

  /** The newest work of the key that has not settled. */
  last(key: string): Promise<unknown> | undefined {
    return this.#last.get(key);
  }
}
