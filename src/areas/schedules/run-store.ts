// How far each schedule has come, and what became of its due times. Written by the leader's
// scheduler only, under a fence, so that a former leader that wakes up late changes nothing.
import type { ScheduleRun } from './schedule-run.js';

/** How far a schedule has come. */
export interface ScheduleCursor {
  /** The schedule's `activeFrom` that this counts for; of another one it says nothing. */
  readonly activeFrom: number;
  /** By cron entry: every due time up to here, inclusively, has been dealt with (epoch ms). */
  readonly handledUntil: readonly number[];
}

/** One step of a schedule: its new cursor and the runs that go with it, stored together. */
export interface ScheduleAdvance {
  readonly name: string;
  readonly cursor: ScheduleCursor;
  readonly runs: readonly ScheduleRun[];
}

export interface RunFilter {
  /** Empty: all. */
  readonly scheduleNames: readonly string[];
  /** Empty: all. */
  readonly executionIds: readonly string[];
  /** Epoch ms, both exclusive. */
  readonly scheduledAfter?: number;
  readonly scheduledBefore?: number;
}

export interface ScheduleRunStore {
  /**
   * Makes the caller the only one whose advances are taken; its fence. No two terms have the same
   * one, also when a failover has undone the taking of the first: the step from the newest fence to
   * the next is random, as the token of a shard's owner record is (invariants M1). Fences grow for
   * the sake of nodes of earlier versions, which refuse the lower of two.
   */
  takeFence(): Promise<number>;
  cursors(): Promise<Map<string, ScheduleCursor>>;
  /** Stores all advances (at most `advancesMax`), or none when another fence is the newest. */
  advance(fence: number, advances: readonly ScheduleAdvance[]): Promise<'stored' | 'stale-fence'>;
  /** Drops the cursors of schedules that are gone. */
  forget(names: readonly string[]): Promise<void>;
  /** Newest due time first, with how many there are. */
  newest(start: number, size: number): Promise<{ runs: ScheduleRun[]; total: number }>;
  /** The newest `limit` runs that fit, newest due time first. */
  find(filter: RunFilter, limit: number): Promise<ScheduleRun[]>;
  /** By name the newest `limit` runs, newest due time first; a schedule without one is absent. */
  newestOfEach(names: readonly string[], limit: number): Promise<Map<string, ScheduleRun[]>>;
  /** Removes runs that were due before; true when there may be more. */
  expire(before: number): Promise<boolean>;
}

/** Advances of one write. */
export const advancesMax = 500;
