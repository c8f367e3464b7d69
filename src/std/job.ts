// The contract of every loop that wakes by itself, and what is known of each on a node: how often
// it has run, when, how long its runs took and what failed last. `PeriodicLoop` supervises a job:
// it alone arms its timer, catches its errors and stops it (invariants M15; a test holds that).
import type { Clock } from './clock.js';

export interface Job {
  /** For people, and the label of its metrics. */
  readonly name: string;
  /** From the end of a run to the next one, ms. */
  readonly everyMs: number;
  /**
   * Where a run does its work: on each node, on each node for the shards that it owns, or on the
   * leader only. A job asks for the shards or the leadership itself, since it may lose them during
   * a run.
   */
  readonly runsOn: 'node' | 'owner' | 'leader';
  /** `stopping` is read by a long run, which then ends early. */
  runOnce(stopping: AbortSignal): Promise<unknown>;
}

/** The counts and times of a job since its start. */
export interface JobState {
  readonly name: string;
  readonly runsOn: Job['runsOn'];
  readonly everyMs: number;
  /** Runs that ended, those that failed among them. */
  readonly runs: number;
  readonly failures: number;
  /** Of all runs together. */
  readonly tookMs: number;
  /** When the last run ended, epoch ms; undefined before the first. */
  readonly lastRunAt?: number;
  /** Kind of the last error; the log has its sentence. */
  readonly lastError?: string;
}

/** Several jobs of one name as one: their runs together, and what came last. */
function joined(one: JobState, other: JobState): JobState {
  const isLater = (other.lastRunAt ?? -1) >= (one.lastRunAt ?? -1);
  return {
    ...(isLater ? { ...one, ...other } : { ...other, ...one }),
    runs: one.runs + other.runs,
    failures: one.failures + other.failures,
    tookMs: one.tookMs + other.tookMs,
  };
}

interface Supervised {
  readonly state: JobState;
  /** Whether no run has come through for several intervals. */
  readonly isSilent: boolean;
}

/** The jobs that are not stopped, by their clock: a node that is gone takes its own with it. */
const running = new WeakMap<Clock, Set<Supervised>>();

export function enterJob(clock: Clock, job: Supervised): void {
  if (!running.has(clock)) running.set(clock, new Set());
  running.get(clock)?.add(job);
}

export function leaveJob(clock: Clock, job: Supervised): void {
  running.get(clock)?.delete(job);
}

/**
 * Names of the running jobs on a clock of which no run has come through for several of their
 * intervals.
 */
export function silentLoops(clock: Clock): string[] {
  return [...(running.get(clock) ?? [])]
    .filter((job) => job.isSilent)
    .map(({ state }) => state.name);
}

/** Every job that runs on one of the clocks, by name. */
export function jobsOn(clocks: readonly Clock[]): JobState[] {
  const byName = new Map<string, JobState>();
  for (const { state } of clocks.flatMap((clock) => [...(running.get(clock) ?? [])])) {
    const known = byName.get(state.name);
    byName.set(state.name, known === undefined ? state : joined(known, state));
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
