// A loop that takes a turn, pauses, and takes the next one until it is stopped (invariants M15). A
// turn that fails is reported, and the loop goes on.
import type { Clock, TimerHandle } from './clock.js';
import type { Service } from './service.js';

export interface PeriodicLoopOptions {
  readonly clock: Clock;
  /** From the end of a turn to the next one, ms. */
  readonly everyMs: number;
  readonly turn: () => Promise<unknown>;
  readonly failed: (error: unknown) => void;
}

export class PeriodicLoop implements Service {
  #timer: TimerHandle | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = true;

  constructor(private readonly options: PeriodicLoopOptions) {}

  get isStopped(): boolean {
    return this.#isStopped;
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    this.#arm();
  }

  /** Waits for the turn that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#timer = this.options.clock.after(this.options.everyMs, () => {
      this.#running = this.#takeTurn().finally(() => this.#arm());
    });
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.options.turn();
    } catch (error) {
      this.options.failed(error);
    }
  }
}
