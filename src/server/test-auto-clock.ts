// The automatic clock of a test server: turn by turn time goes to the next thing due, whenever
// nothing is under way (test-time.ts says what that means). While nothing is due it looks rarely;
// a request wakes it.
import { within, type Clock } from '../std/clock.js';
import type { Service } from '../std/service.js';
import type { TestTime } from './test-time.js';

/** Between two turns while something holds the clock, real ms. */
const heldPauseMs = 4;
/** While nothing is due: doubled from turn to turn up to this, real ms. */
const idlePauseMsMax = 64;

export interface AutoClockParts {
  readonly time: TestTime;
  /** Timers that stay real. */
  readonly realClock: Clock;
  readonly failed: (error: unknown) => void;
}

export class AutoClock implements Service {
  #isOn: boolean;
  #isStopped = true;
  #running: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  constructor(
    private readonly parts: AutoClockParts,
    isOn: boolean,
  ) {
    this.#isOn = isOn;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** A request that may change something has come: a turn begins at once. */
  wake(): void {
    this.#wake();
  }

  /** Resolves once no turn is under way that this forbids. */
  async set(isOn: boolean): Promise<void> {
    this.#isOn = isOn;
    if (isOn) this.#begin();
    else {
      this.#wake();
      await this.#running;
    }
  }

  start(): Promise<void> {
    this.#isStopped = false;
    this.#begin();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#running;
  }

  get #mayMove(): boolean {
    return this.#isOn && !this.#isStopped;
  }

  #begin(): void {
    if (!this.#mayMove || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.#begin();
    });
  }

  async #run(): Promise<void> {
    const { time } = this.parts;
    let idlePauseMs = heldPauseMs;
    while (this.#mayMove) {
      const turn = await time.turn().catch((error: unknown) => {
        this.parts.failed(error);
        return 'held' as const;
      });
      if (turn === 'nothing-due') idlePauseMs = Math.min(2 * idlePauseMs, idlePauseMsMax);
      else idlePauseMs = heldPauseMs;
      if (turn !== 'moved' && this.#mayMove) await this.#pause(idlePauseMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    await within(this.parts.realClock, woken, ms);
    this.#wake = () => undefined;
  }
}
