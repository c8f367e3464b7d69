// Work that is carried out one after the other.

export class Chain {
  #last: Promise<unknown> = Promise.resolve();

  /** Carries `work` out once all earlier work has settled, whatever became of that. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all work so far has settled. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
