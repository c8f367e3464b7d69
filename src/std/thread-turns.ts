// Work that holds the thread, such as reading what users have sent: one piece at a time, those who
// ask in turn by what theirs has cost, and behind each piece the thread is free for as long as it
// took.
import { sleep, type Clock } from './clock.js';
import { FairQueue } from './fair-queue.js';

interface Turn {
  readonly path: readonly [asker: string];
  carryOut(): void;
}

export class ThreadTurns {
  readonly #waiting = new FairQueue<Turn>();
  #isWorking = false;

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves with what `work` gives when it is the turn of `asker`; rejects as `work` throws. No
   * turn waits for a promise of it.
   */
  take<T>(asker: string, work: () => T | PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const carryOut = (): void => {
        try {
          resolve(work());
        } catch (error) {
          reject(error as Error);
        }
      };
      this.#waiting.push([asker], { path: [asker], carryOut });
      if (!this.#isWorking) void this.#takeTurns();
    });
  }

  async #takeTurns(): Promise<void> {
    this.#isWorking = true;
    for (let turn = this.#waiting.take(); turn !== undefined; turn = this.#waiting.take()) {
      const startedAt = this.clock.monotonic();
      turn.carryOut();
      const ms = this.clock.monotonic() - startedAt;
      this.#waiting.charge(turn.path, ms);
      await sleep(this.clock, ms);
    }
    this.#isWorking = false;
  }
}
