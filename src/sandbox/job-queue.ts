// Which job of the sandbox runs next (worker-pool.ts). Callers take turns by the time that their
// scripts have taken, within a caller its definitions, and within a definition its scripts. So many
// jobs of one slow script delay the script of another caller by one job, however many wait.
import { FairQueue, type Path } from '../std/fair-queue.js';
import type { WeightOf } from '../std/weights.js';
import { Lru } from '../std/lru.js';
import { SharedQuota } from '../std/shared-quota.js';
import type { ScriptAnswer, ScriptJob } from './job.js';
import type { ScriptQuotas } from './script-quotas.js';
import type { ScriptShare } from './script-share.js';

export interface Waiting {
  readonly job: ScriptJob;
  /** For whom it runs. */
  readonly share: ScriptShare;
  /** False: nobody waits for the answer any more. Absent: somebody does. */
  readonly isWanted?: (() => boolean) | undefined;
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

/** Jobs that wait for a process; more are turned away. */
const waitingJobsMax = 10_000;
/**
 * Characters of their inputs in all; a job that alone is larger still gets its turn when nothing of
 * its caller waits.
 */
const waitingCharsMax = 128 * 1024 * 1024;

export class JobQueue {
  readonly #short: FairQueue<Waiting>;
  readonly #long: FairQueue<Waiting>;
  readonly #jobs = new SharedQuota(waitingJobsMax);
  readonly #chars = new SharedQuota(waitingCharsMax);
  #longRunning = 0;
  /** With a single worker the two kinds take turns. */
  #tookLong = false;
  readonly #longSources = new Lru<string, true>(longSourcesMax);

  #heldMs = 0;

  constructor(
    /** Long jobs that may run at the same time, 1 or more. */
    readonly longRunningMax: number,
    private readonly quotas: ScriptQuotas,
    /** Monotonic ms. */
    private readonly now: () => number,
    /** Of callers. */
    weightOf?: WeightOf,
  ) {
    this.#short = new FairQueue(weightOf);
    this.#long = new FairQueue(weightOf);
  }

  get size(): number {
    return this.#short.size + this.#long.size;
  }

  /** Whether `take` has a job. */
  get hasNext(): boolean {
    return this.#short.size > 0 || this.#mayTakeLong;
  }

  /** Characters of the inputs of all waiting jobs. */
  get chars(): number {
    return this.#chars.taken;
  }

  /** Whether one more job of this caller may wait. */
  hasRoom({ caller }: ScriptShare, chars: number): boolean {
    return this.#jobs.allows(caller, 1) && this.#chars.allows(caller, chars);
  }

  push(waiting: Waiting): void {
    const { share, job, isLong } = waiting;
    this.#jobs.take(share.caller, 1);
    this.#chars.take(share.caller, job.inputText.length);
    (isLong ? this.#long : this.#short).push(pathOf(waiting), waiting);
  }

  /**
   * Removes and returns the next job; the caller calls `done` when it ends. A long job goes first
   * where none runs, so that neither kind starves. undefined: quotas hold all that wait (see
   * `heldMs`), or there is none.
   */
  take(): Waiting | undefined {
    this.#heldMs = 0;
    const longFirst = this.#mayTakeLong && (this.#short.size === 0 || this.#isTurnOfLong);
    const next =
      this.#takeOf(longFirst) ??
      (longFirst || this.#mayTakeLong ? this.#takeOf(!longFirst) : undefined);
    if (next === undefined) return undefined;
    this.#tookLong = next.isLong;
    if (next.isLong) this.#longRunning++;
    this.#left(next);
    // Its whole time is not known yet: until then others that wait go first.
    this.#charge(next, leastCostMs);
    return next;
  }

  /** Ms until a quota lets something go on that the last `take` passed over; 0: it passed none. */
  get heldMs(): number {
    return this.#heldMs;
  }

  /** `ms`: how long it ran. */
  done(waiting: Waiting, ms = 0): void {
    if (waiting.isLong) this.#longRunning--;
    this.#charge(waiting, ms);
    this.quotas.count(waiting.share, ms, this.now());
  }

  /** The next jobs of this source start as long ones. */
  rememberLong(job: ScriptJob): void {
    this.#longSources.set(signOf(job.source), true);
  }

  isKnownLong(job: ScriptJob): boolean {
    return this.#longSources.get(signOf(job.source)) === true;
  }

  removeAll(): Waiting[] {
    const all = [...this.#short.removeAll(), ...this.#long.removeAll()];
    for (const waiting of all) this.#left(waiting);
    return all;
  }

  #takeOf(long: boolean): Waiting | undefined {
    const queue = long ? this.#long : this.#short;
    if (this.quotas.isNone) return queue.take();
    const now = this.now();
    return queue.take((path) => this.#isHeld(path, now));
  }

  /** Callers and definitions have quotas; the scripts of one have none of their own. */
  #isHeld([caller = '', definition, script]: Path, now: number): boolean {
    if (script !== undefined) return false;
    const held = this.quotas.heldBy(definition === undefined ? { caller } : { definition }, now);
    if (held === undefined) return false;
    this.#heldMs = Math.min(this.#heldMs || Infinity, held.waitMs);
    return true;
  }

  get #mayTakeLong(): boolean {
    return this.#long.size > 0 && this.#longRunning < this.longRunningMax;
  }

  get #isTurnOfLong(): boolean {
    return this.#longRunning === 0 && !this.#tookLong;
  }

  #left({ share, job }: Waiting): void {
    this.#jobs.release(share.caller, 1);
    this.#chars.release(share.caller, job.inputText.length);
  }

  /** Adds the time that a caller has used, in both queues. */
  #charge(waiting: Waiting, ms: number): void {
    const path = pathOf(waiting);
    this.#short.charge(path, ms);
    this.#long.charge(path, ms);
  }
}

/** The least cost of a job, ms. */
const leastCostMs = 1;

function pathOf({ share, job }: Waiting): Path {
  return [share.caller, share.definition, signOf(job.source)];
}
