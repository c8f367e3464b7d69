// What a schedule does with due times that have passed: one runs late, or with catch-up a bounded
// number of them; the others have one record.
import { describe, expect, it } from 'vitest';
import { SchedulePlan } from '../../../src/areas/schedules/schedule-plan.js';
import type { ScheduleRun } from '../../../src/areas/schedules/schedule-run.js';
import type { WorkflowSchedule } from '../../../src/areas/schedules/schedule.js';
import type { ScheduledStartContext } from '../../../src/areas/schedules/start-scheduled-run.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const startAt = Date.UTC(2026, 0, 1);

function scheduleOf(catchesUp: boolean): WorkflowSchedule {
  return {
    ...{ name: 'each second', zoneId: 'UTC', cronExpression: '* * * * * *', cronSchedules: [] },
    ...{ runCatchupScheduleInstances: catchesUp, paused: false, startWorkflowRequest: {} },
    ...{ createTime: startAt, updatedTime: startAt, createdBy: 'gone', updatedBy: 'gone' },
    activeFrom: startAt,
  };
}

/** Runs all that is due `ms` later. Nobody may start anything: each due time has its record. */
async function runsAfter(
  ms: number,
  catchesUp: boolean,
  catchupMax: number,
): Promise<ScheduleRun[]> {
  const clock = new VirtualClock(startAt);
  const context = { clock, ownerOf: () => undefined } as unknown as ScheduledStartContext;
  const plan = new SchedulePlan(scheduleOf(catchesUp), undefined, catchupMax);
  clock.advance(ms);
  const runs: ScheduleRun[] = [];
  while (plan.isDue(clock.now())) {
    const step = await plan.step(context, startAt);
    plan.done(step);
    runs.push(...step.advance.runs);
  }
  return runs;
}

/** Seconds after the start by which runs were due; of a record of skipped ones what it says. */
function summary(runs: readonly ScheduleRun[]): unknown[] {
  return runs.map(({ scheduledTime, reason = '' }) => {
    return /Skipped .* due times/.exec(reason)?.[0] ?? (scheduledTime - startAt) / 1000;
  });
}

describe('due times that have passed', () => {
  it('run once without catch-up', async () => {
    expect(summary(await runsAfter(5000, false, 100))).toEqual([1, 'Skipped 4 due times']);
  });

  it('all run with catch-up', async () => {
    expect(summary(await runsAfter(5000, true, 100))).toEqual([1, 2, 3, 4, 5]);
  });

  it('run up to the bound with catch-up, then the others are skipped together', async () => {
    expect(summary(await runsAfter(9000, true, 3))).toEqual([1, 2, 3, 'Skipped 6 due times']);
  });

  it('are all run when they are as many as the bound', async () => {
    expect(summary(await runsAfter(3000, true, 3))).toEqual([1, 2, 3]);
  });
});
