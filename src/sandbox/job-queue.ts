// Which job of the sandbox runs next (worker-pool.ts). Short jobs run in their order. Long jobs
// take turns by source: many jobs of one slow script delay another slow script by one job per
// round.
import { Lru } from '../std/lru.js';
import type { ScriptAnswer, ScriptJob } from './job.js';

export interface Waiting {
  readonly job: ScriptJob;
  /** It has its full time; otherwise it is tried for a short time first. */
  readonly isLong: boolean;
  readonly resolve: (answer: ScriptAnswer) => void;
}

/** Sources remembered as long ones. */
const longSourcesMax = 1000;
/**
 * Characters at either end that identify a long source. Two sources taken for one only share their
 * turns.
 */
const signChars = 512;

function signOf(source: string): string {
  if (source.length <= 2 * signChars) return source;
  return `${source.length} ${source.slice(0, signChars)} ${source.slice(-signChars)}`;
}

export class JobQueue {
  readonly #short: Waiting[] = [];
  /** By source, the next turn first. */
  readonly #long = new Map<string, Waiting[]>();
  #longCount = 0;
  #chars = 0;
  #longRunning = 0;
  /** With a single worker the two kinds take turns. */
  #tookLong = false;
  readonly #longSources = new Lru<string, true>(longSourcesMax);

  /** `longRunningMax`: long jobs that may run at the same time, 1 or more. */
  constructor(readonly longRunningMax: number) {}

  get size(): number {
    return this.#short.length + this.#longCount;
  }

  /** Whether `take` has a job. */
  get hasNext(): boolean {
    return this.#short.length > 0 || this.#mayTakeLong;
  }

  /** Characters of the inputs of all waiting jobs. */
  get chars(): number {
    return this.#chars;
  }

  push(waiting: Waiting): void {
    this.#chars += waiting.job.inputText.length;
    if (!waiting.isLong) {
      this.#short.push(waiting);
      return;
    }
    const { source } = waiting.job;
    const same = this.#long.get(source);
    if (same === undefined) this.#long.set(source, [waiting]);
    else same.push(waiting);
    this.#longCount++;
  }

  /**
   * Removes and returns the next job; the caller calls `done` when it ends. A long job goes first
   * where none runs, so that neither kind starves.
   */
  take(): Waiting {
    const long = this.#mayTakeLong && (this.#short.length === 0 || this.#isTurnOfLong);
    this.#tookLong = long;
    const next = long ? this.#takeLong() : (this.#short.shift() as Waiting);
    this.#chars -= next.job.inputText.length;
    return next;
  }

  done(waiting: Waiting): void {
    if (waiting.isLong) this.#longRunning--;
  }

  /** The next jobs of this source start as long ones. */
  rememberLong(job: ScriptJob): void {
    this.#longSources.set(signOf(job.source), true);
  }

  isKnownLong(job: ScriptJob): boolean {
    return this.#longSources.get(signOf(job.source)) === true;
  }

  removeAll(): Waiting[] {
    const all = [...this.#short.splice(0), ...[...this.#long.values()].flat()];
    this.#long.clear();
    this.#longCount = 0;
    this.#chars = 0;
    return all;
  }

  get #mayTakeLong(): boolean {
    return this.#longCount > 0 && this.#longRunning < this.longRunningMax;
  }

  get #isTurnOfLong(): boolean {
    return this.#longRunning === 0 && !this.#tookLong;
  }

  #takeLong(): Waiting {
    const [source, same] = this.#long.entries().next().value as [string, Waiting[]];
    const next = same.shift() as Waiting;
    // The source goes to the end of the queue.
    this.#long.delete(source);
    if (same.length > 0) this.#long.set(source, same);
    this.#longCount--;
    this.#longRunning++;
    return next;
  }
}
