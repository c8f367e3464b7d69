// Time of a test server: real time and what was skipped. Skipping goes from one due time to the
// next, in order, and waits at each until the server rests, so that what is due later sees what
// came before it. Leases of nodes and time-outs of connections are measured by the monotonic clock and
// stay real.
import { AppError } from '../model/errors.js';
import type { StoreClock } from '../placement/store-clock.js';
import { type Clock, sleep } from '../std/clock.js';
import { dueSourcesOf } from '../std/due-sources.js';

/** A year and a day: the longest wait is shorter. */
export const advanceMsMax = 366 * 86_400_000;
/** Something that comes round so often within one advance would keep the caller waiting. */
const stopsMax = 100_000;
/** Between two looks whether the server rests, real ms. */
const lookEveryMs = 1;
/** It rests when so many looks in a row found it at rest: what was decided may cause more. */
const quietLooks = 4;
/** How long it may take to rest at one due time, real ms. */
const restWithinMs = 10_000;

/** How far a test server is ahead of real time; the store is told the same. */
export class SkippedTime {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  add(ms: number): void {
    this.#ms += ms;
  }
}

export interface TestTimeParts {
  readonly clock: StoreClock;
  /** Timers that stay real. */
  readonly realClock: Clock;
  readonly skipped: SkippedTime;
  /** Resolves when what is decided is written. */
  readonly drained: () => Promise<void>;
  /** Whether the server itself carries out a task now. */
  readonly isRunning: () => boolean;
}

export class TestTime {
  #advancing: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: TestTimeParts) {}

  get now(): number {
    return this.parts.clock.now();
  }

  get skippedMs(): number {
    return this.parts.skipped.ms;
  }

  /** Time of what is due next, epoch ms; Infinity: nothing is. */
  async nextDueAt(): Promise<number> {
    const times = await Promise.all(dueSourcesOf(this.parts.clock).map((each) => each.nextDueAt()));
    return Math.min(Infinity, ...times);
  }

  /**
   * Moves on by `ms`; resolves with the number of due times passed once the server rests. One call
   * at a time: a second one begins where the first one ends.
   */
  advance(ms: number): Promise<number> {
    const advanced = this.#advancing.then(() => this.#advance(ms));
    this.#advancing = advanced.catch(() => undefined);
    return advanced;
  }

  async #advance(ms: number): Promise<number> {
    await this.#rest();
    const until = this.now + ms;
    for (let stops = 0; stops < stopsMax; stops++) {
      const nextAt = await this.nextDueAt();
      if (nextAt > until) {
        await this.#skipTo(until);
        return stops;
      }
      await this.#skipTo(nextAt);
    }
    throw new AppError(
      'conflict',
      `More than ${stopsMax} due times lie within ${ms} ms: advance by less.`,
    );
  }

  async #skipTo(at: number): Promise<void> {
    const { clock, skipped } = this.parts;
    const ms = Math.max(0, at - clock.now());
    skipped.add(ms);
    clock.skip(ms);
    for (const source of dueSourcesOf(clock)) await source.timeMoved();
    await this.#rest();
  }

  async #rest(): Promise<void> {
    const { realClock, drained, isRunning } = this.parts;
    const giveUpAt = realClock.monotonic() + restWithinMs;
    for (let quiet = 0; quiet < quietLooks;) {
      await drained();
      await sleep(realClock, lookEveryMs);
      quiet = isRunning() ? 0 : quiet + 1;
      if (realClock.monotonic() > giveUpAt) {
        throw new AppError(
          'conflict',
          `The server still carries out a task after ${restWithinMs} ms, so time stands here.`,
        );
      }
    }
  }
}
