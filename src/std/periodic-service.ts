// A service that is nothing but a loop: `runOnce` is its turn (periodic-loop.ts).
import { PeriodicLoop, type PeriodicLoopOptions } from './periodic-loop.js';
import type { Service } from './service.js';

export abstract class PeriodicService implements Service {
  readonly #loop: PeriodicLoop;

  constructor(options: Omit<PeriodicLoopOptions, 'runOnce' | 'name'>) {
    const { name } = new.target;
    this.#loop = new PeriodicLoop({ ...options, name, runOnce: () => this.runOnce() });
  }

  /** One turn; a rejection is reported, and the next turn comes all the same. */
  abstract runOnce(): Promise<void>;

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Waits for the turn that is under way. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Read by a long turn, which then ends early. */
  protected get isStopped(): boolean {
    return this.#loop.isStopped;
  }
}
