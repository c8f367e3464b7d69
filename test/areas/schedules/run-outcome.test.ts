// How the last run of a schedule ended, out of its newest runs and what they started.
import { expect, it } from 'vitest';
import { runOutcome } from '../../../src/areas/schedules/run-outcome.js';
import type { ScheduleRun } from '../../../src/areas/schedules/schedule-run.js';
import { skippedRun } from '../../../src/areas/schedules/start-scheduled-run.js';
import type { WorkflowStatus } from '../../../src/model/status.js';

const limit = 4;

const entry = { cronExpression: '* * * * * *', zoneId: 'UTC' };
const schedule = {
  ...{
    name: 's',
    zoneId: 'UTC',
    cronSchedules: [entry],
    paused: false,
    runCatchupScheduleInstances: false,
  },
  startWorkflowRequest: { name: 'w' },
  ...{ createTime: 1, updatedTime: 1, createdBy: 'ann', updatedBy: 'ann', activeFrom: 1 },
};

function run(over: Partial<ScheduleRun>): ScheduleRun {
  return {
    ...{ executionId: 'e', scheduleName: 's', scheduledTime: 1, executionTime: 1 },
    ...{ workflowName: 'w', startWorkflowRequest: {}, state: 'EXECUTED', zoneId: 'UTC' },
    ...over,
  };
}

/** Runs whose executions have these statuses, newest first; undefined: it is gone. */
function judged(...statuses: (WorkflowStatus | undefined | ScheduleRun)[]): unknown {
  const runs = statuses.map((each, index) =>
    typeof each === 'object' ? each : run({ workflowId: String(index) }),
  );
  const executions = new Map(
    statuses.flatMap((status, index) =>
      typeof status === 'string'
        ? [[String(index), { state: { status, reasonForIncompletion: `why ${index}` } }] as const]
        : [],
    ),
  );
  return runOutcome(runs, { executions, limit });
}

const notStarted = run({ state: 'FAILED', reason: 'there is no w' });
const due = { schedule, index: 0, entry, dueAt: 1000, isFirst: false };
const skipped = skippedRun(due, { until: 5000, count: '5', now: 6000 });

it('counts failures in a row up to the last success', () => {
  expect(judged('FAILED', 'TIMED_OUT', 'COMPLETED', 'FAILED')).toEqual({
    ...{ status: 'FAILED', failuresInRow: 2, isMore: false },
    ...{ workflowId: '0', reason: 'why 0' },
  });
});

it('leaves out what still runs, and names the failure before it', () => {
  expect(judged('RUNNING', 'FAILED', 'COMPLETED')).toMatchObject({
    ...{ status: 'RUNNING', failuresInRow: 1, workflowId: '1' },
  });
});

it('counts a run that started nothing, and shows one that did', () => {
  expect(judged(notStarted)).toMatchObject({ failuresInRow: 1, reason: 'there is no w' });
  expect(judged(notStarted, 'FAILED')).toMatchObject({ failuresInRow: 2, workflowId: '1' });
});

it('takes due times that passed while no server ran for no failure', () => {
  expect(judged(skipped)).toBeUndefined();
  expect(judged(skipped, 'COMPLETED')).toMatchObject({ status: 'COMPLETED', failuresInRow: 0 });
  expect(judged('FAILED', skipped, 'FAILED', 'COMPLETED')).toMatchObject({ failuresInRow: 2 });
});

it('says nothing of an execution that is gone', () => {
  expect(judged(undefined)).toEqual({ failuresInRow: 0, isMore: false, workflowId: '0' });
});

it('says that there may be more where all of as many as were asked for failed', () => {
  expect(judged('FAILED', 'FAILED', 'FAILED', 'FAILED')).toMatchObject({ isMore: true });
  expect(judged('FAILED', 'FAILED', 'FAILED')).toMatchObject({ isMore: false });
});
