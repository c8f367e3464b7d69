// The leader's plan of one schedule: up to where each cron entry has been dealt with, and when it
// is due next.
import { nextDue, nextDueTimes } from './due-times.js';
import { entriesOf, type WorkflowSchedule } from './schedule.js';
import type { ScheduleRun } from './schedule-run.js';
import {
  skippedRun,
  startScheduledRun,
  type DueRun,
  type ScheduledStartContext,
} from './start-scheduled-run.js';
import type { ScheduleAdvance, ScheduleCursor } from './run-store.js';

/** Due times that have passed and were dealt with together. */
export interface ScheduleStep {
  readonly advance: ScheduleAdvance;
  /** Next due times after it, by entry; Infinity: never again. */
  readonly next: readonly number[];
  /** Runs in a row that began when the next due time had passed already, by entry. */
  readonly late: readonly number[];
}

/** Skipped due times are counted up to here. */
const skippedCountedMax = 1000;

export class SchedulePlan {
  /** One step of a schedule at a time. */
  isRunning = false;
  #handledUntil: number[];
  /** By entry; Infinity: never again. */
  #next: number[] = [];
  #late: number[] = [];

  constructor(
    public schedule: WorkflowSchedule,
    cursor: ScheduleCursor | undefined,
    /** Late due times of an entry that run with catch-up before the others are skipped. */
    private readonly catchupMax: number,
  ) {
    const entries = entriesOf(schedule);
    const counts =
      cursor?.activeFrom === schedule.activeFrom && cursor.handledUntil.length === entries.length;
    this.#handledUntil = counts ? [...cursor.handledUntil] : entries.map(() => schedule.activeFrom);
    this.#plan();
  }

  /** Next due time of any entry, epoch ms; 0 when there is none or the schedule is paused. */
  get nextAt(): number {
    const next = this.schedule.paused ? Infinity : Math.min(...this.#next);
    return next === Infinity ? 0 : next;
  }

  isDue(now: number): boolean {
    const { nextAt } = this;
    return nextAt > 0 && nextAt <= now;
  }

  /** The schedule has changed. A new `activeFrom` starts it anew. */
  replace(schedule: WorkflowSchedule): void {
    const isSame = schedule.activeFrom === this.schedule.activeFrom;
    this.schedule = schedule;
    if (!isSame) this.#handledUntil = entriesOf(schedule).map(() => schedule.activeFrom);
    this.#plan();
  }

  /**
   * Starts what is due, one due time of each entry. Due times after `since` were never tried
   * before. Rejects when it may work later.
   */
  async step(operations: ScheduledStartContext, since: number): Promise<ScheduleStep> {
    const { schedule } = this;
    const now = operations.clock.now();
    const handledUntil = [...this.#handledUntil];
    const next = [...this.#next];
    const late = [...this.#late];
    const runs: ScheduleRun[] = [];
    for (const [index, entry] of entriesOf(schedule).entries()) {
      const dueAt = this.#next[index] ?? Infinity;
      if (dueAt > now || schedule.paused) continue;
      const due = { schedule, index, entry, dueAt, isFirst: dueAt > since };
      runs.push(await startScheduledRun(operations, due));
      const following = nextDue(entry, schedule, dueAt) ?? Infinity;
      const { runCatchupScheduleInstances: catchesUp } = schedule;
      const lateRuns = following <= now ? (late[index] ?? 0) + 1 : 0;
      const skips = lateRuns >= (catchesUp ? this.catchupMax : 1);
      if (skips) runs.push(...skippedAfter(due, now));
      late[index] = skips ? 0 : lateRuns;
      handledUntil[index] = catchesUp && !skips ? dueAt : now;
      next[index] = skips ? (nextDue(entry, schedule, now) ?? Infinity) : following;
    }
    const cursor = { activeFrom: schedule.activeFrom, handledUntil };
    return { advance: { name: schedule.name, cursor, runs }, next, late };
  }

  /** The step is stored. It says nothing of a schedule that has started anew meanwhile. */
  done({ advance, next, late }: ScheduleStep): void {
    if (advance.cursor.activeFrom !== this.schedule.activeFrom) return;
    this.#handledUntil = [...advance.cursor.handledUntil];
    this.#next = [...next];
    this.#late = [...late];
  }

  #plan(): void {
    this.#next = entriesOf(this.schedule).map(
      (entry, index) =>
        nextDue(entry, this.schedule, this.#handledUntil[index] as number) ?? Infinity,
    );
  }
}

/** The record of the due times that passed between a late run and now, if there are any. */
function skippedAfter(due: DueRun, now: number): ScheduleRun[] {
  const bounds = {
    ...due.schedule,
    scheduleEndTime: Math.min(now, due.schedule.scheduleEndTime ?? now),
  };
  const passed = nextDueTimes(due.entry, bounds, {
    after: due.dueAt,
    limit: skippedCountedMax + 1,
  });
  const first = passed[0];
  if (first === undefined) return [];
  const count =
    passed.length > skippedCountedMax ? `more than ${skippedCountedMax}` : String(passed.length);
  return [skippedRun({ ...due, dueAt: first }, { until: now, count, now })];
}
