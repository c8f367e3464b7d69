// Time of a test server: real time and what was skipped. Skipping goes from one due time to the
// next, in order, and waits at each until the server rests, so that what is due later sees what
// came before it. Leases of nodes and time-outs of connections are measured by the monotonic clock
// and stay real.
//
// It is moved in two ways. `advance` moves by a length, whatever workers do meanwhile. `run` and
// the automatic clock (test-auto-clock.ts) move to the next due time whenever nothing is under way,
// turn by turn: everything is written, no worker holds or could take a task, and no request has
// come since the turn began. The final check and the skip happen without a pause between them.
import { AppError } from '../model/errors.js';
import type { StoreClock } from '../placement/store-clock.js';
import { type Clock, sleep } from '../std/clock.js';
import { dueSourcesOf } from '../std/due-sources.js';
import type { WorkUnderWay } from './test-work.js';

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
/** Between two turns while something holds the clock, real ms. */
const heldPauseMs = 4;

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
  readonly work: () => WorkUnderWay;
}

/** How a turn ended. */
export type Turn = 'moved' | 'held' | 'nothing-due';

/** How `run` ended. */
export interface TestRun {
  /** Due times that were passed. */
  readonly stops: number;
  /** `waited-enough`: something held the clock for too long. */
  readonly end: 'over' | 'nothing-due' | 'waited-enough';
}

export class TestTime {
  #last: Promise<unknown> = Promise.resolve();
  /** Requests that may change something. */
  #requests = 0;

  constructor(private readonly parts: TestTimeParts) {}

  get now(): number {
    return this.parts.clock.now();
  }

  get skippedMs(): number {
    return this.parts.skipped.ms;
  }

  /** One sentence about what keeps `run` from moving on; undefined: nothing does. */
  get heldBy(): string | undefined {
    if (this.parts.isRunning()) return 'The server carries out a task.';
    return this.parts.work().heldBy;
  }

  /** A request that may change something has come. */
  noteRequest(): void {
    this.#requests += 1;
  }

  /** Time of what is due next, epoch ms; Infinity: nothing is. */
  async nextDueAt(): Promise<number> {
    const times = await Promise.all(dueSourcesOf(this.parts.clock).map((each) => each.nextDueAt()));
    return Math.min(this.parts.work().visibleAt, ...times);
  }

  /**
   * Moves on by `ms`; resolves with the number of due times passed once the server rests. One call
   * at a time: a second one begins where the first one ends.
   */
  advance(ms: number): Promise<number> {
    return this.#inTurn(() => this.#advance(ms));
  }

  /**
   * Moves on, whenever nothing is under way, until `isOver`, or nothing is due and nothing under
   * way, or something has held the clock for `waitMs` of real time in a row. Throws AppError
   * 'conflict' when it does not end.
   */
  async run(isOver: () => Promise<boolean>, waitMs: number): Promise<TestRun> {
    const { realClock } = this.parts;
    let giveUpAt = realClock.monotonic() + waitMs;
    let last: Turn = 'moved';
    for (let stops = 0; stops < stopsMax;) {
      if (await isOver()) return { stops, end: 'over' };
      if (last === 'nothing-due') return { stops, end: 'nothing-due' };
      last = await this.turn();
      if (last === 'moved') {
        stops += 1;
        giveUpAt = realClock.monotonic() + waitMs;
      } else if (last === 'held') {
        if (realClock.monotonic() > giveUpAt) return { stops, end: 'waited-enough' };
        await sleep(realClock, heldPauseMs);
      }
    }
    throw new AppError('conflict', `More than ${stopsMax} due times came before the end.`);
  }

  /** Moves to the next due time unless something is under way. */
  turn(): Promise<Turn> {
    return this.#inTurn(() => this.#turn());
  }

  #inTurn<T>(move: () => Promise<T>): Promise<T> {
    const moved = this.#last.then(move);
    this.#last = moved.catch(() => undefined);
    return moved;
  }

  async #turn(): Promise<Turn> {
    const requests = this.#requests;
    for (let quiet = 0; quiet < quietLooks; quiet++) {
      if (!(await this.#isQuiet())) return 'held';
    }
    if (this.heldBy !== undefined) return 'held';
    const { clock } = this.parts;
    const drawing = dueSourcesOf(clock).map(async (each) => (await each.drawsAt?.()) ?? Infinity);
    const drawnAt = Math.min(this.parts.work().visibleAt, ...(await Promise.all(drawing)));
    const nextAt = await this.nextDueAt();
    if (this.#requests !== requests || this.heldBy !== undefined) return 'held';
    if (drawnAt === Infinity) return 'nothing-due';
    await this.#skipTo(nextAt);
    return 'moved';
  }

  async #isQuiet(): Promise<boolean> {
    await this.parts.drained();
    await sleep(this.parts.realClock, lookEveryMs);
    return !this.parts.isRunning();
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
    const { realClock, isRunning } = this.parts;
    const giveUpAt = realClock.monotonic() + restWithinMs;
    for (let quiet = 0; quiet < quietLooks;) {
      quiet = (await this.#isQuiet()) ? quiet + 1 : 0;
      if (isRunning() && realClock.monotonic() > giveUpAt) {
        throw new AppError(
          'conflict',
          `The server still carries out a task after ${restWithinMs} ms, so time stands here.`,
        );
      }
    }
  }
}
