// A step of placement's turn that asks the store: one run at a time, and a turn waits for it no
// longer than a moment. Where one of several servers answers nothing at all, the renewal of the
// lease, which each turn begins with, must not wait for it.
import { within, type Clock } from '../std/clock.js';

/** Well below what is left of a lease when a turn is late. */
const waitMs = 500;

export class BoundedStep {
  #running: Promise<void> | undefined;

  constructor(
    private readonly clock: Clock,
    /** Of a run that nobody waits for any more. */
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Whether a run has not ended. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Begins a run, where none is under way; rejects as it does, if it ends within `withinMs`. One
   * that was under way already tells its failure to `failed`.
   */
  async run(step: () => Promise<void>, withinMs = waitMs): Promise<void> {
    let isAwaited = true;
    this.#running ??= step()
      .catch((error: unknown) => {
        if (isAwaited) throw error;
        this.failed(error);
      })
      .finally(() => (this.#running = undefined));
    try {
      await this.ended(withinMs);
    } finally {
      isAwaited = false;
    }
  }

  /** Resolves when the run under way has ended, or after `withinMs`. */
  async ended(withinMs: number): Promise<void> {
    if (this.#running !== undefined) await within(this.clock, this.#running, withinMs);
  }
}
