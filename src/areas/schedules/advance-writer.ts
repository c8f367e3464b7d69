// Stores the steps of schedules in groups: whatever comes in while a write is under way goes out
// with the next one. So 10,000 schedules that are due together take 20 writes, and those wait until
// all of them have started: a start is what somebody waits for, its record may come later.
import { advancesMax, type ScheduleAdvance, type ScheduleRunStore } from './run-store.js';

/** Another node leads now; nothing was stored. */
export class FenceLostError extends Error {}

interface Waiting {
  readonly advance: ScheduleAdvance;
  readonly stored: () => void;
  readonly refused: (error: unknown) => void;
}

export class AdvanceWriter {
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(
    private readonly store: ScheduleRunStore,
    private readonly fence: number,
    /** Resolves when nothing waits to be started, or has waited long enough. */
    private readonly turn: () => Promise<void>,
  ) {}

  /** Steps that are not stored yet. */
  get unwritten(): number {
    return this.#waiting.length;
  }

  /** Resolves once the step is durable. Rejects with FenceLostError or StoreError. */
  write(advance: ScheduleAdvance): Promise<void> {
    return new Promise((stored, refused) => {
      this.#waiting.push({ advance, stored, refused });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      await this.turn();
      await this.#writeSome(this.#waiting.splice(0, advancesMax));
    }
    this.#isWriting = false;
  }

  async #writeSome(some: readonly Waiting[]): Promise<void> {
    try {
      const outcome = await this.store.advance(
        this.fence,
        some.map(({ advance }) => advance),
      );
      if (outcome === 'stale-fence') throw new FenceLostError('another node leads the scheduler');
      for (const { stored } of some) stored();
    } catch (error) {
      for (const { refused } of some) refused(error);
    }
  }
}
