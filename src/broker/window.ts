// Handles messages of one reader at the same time, up to its prefetch. The first failure is kept:
// nothing more is taken then, and what runs is waited for.
export class Window {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly size: number,
    /** Called once, with the first failure. */
    private readonly failed: () => void,
  ) {}

  get free(): number {
    return this.size - this.#running.size;
  }

  /** Begins to run `work`. */
  add(work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => {
        const isFirst = this.#failure === undefined;
        this.#failure ??= { error };
        if (isFirst) this.failed();
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves once a place is free. Rejects with the first failure. */
  async room(): Promise<void> {
    while (this.free <= 0 && this.#failure === undefined) await Promise.race(this.#running);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Resolves once nothing runs. Rejects with the first failure. */
  async drained(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
