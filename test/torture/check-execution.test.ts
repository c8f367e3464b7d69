// The judgement of acknowledged reports, on a task and records written by hand: what may have come
// second changes nothing, everything else stands (invariants I2).
import { describe, expect, it } from 'vitest';
import type { WireTask, WireWorkflow } from '../../testkit/wire.js';
import { checkExecution } from './check-execution.js';
import type { HandOutRecord, ReportRecord } from './journal.js';

const taskIds = ['t1', 't2'] as const;

/** An execution of two tasks; the second one stands as completed by the report `marker`. */
function workflowWith(marker: string): WireWorkflow {
  const tasks = (['first', 'last'] as const).map((ref, i): WireTask => {
    return {
      ...{ taskId: taskIds[i] as string, taskType: 'torture_returning', referenceTaskName: ref },
      ...{ taskDefName: 'torture_returning', workflowInstanceId: 'w', status: 'COMPLETED' },
      ...{ seq: i + 1, retryCount: 0, retried: false, iteration: 0, pollCount: 3 },
      ...{ scheduledTime: 1, startTime: 2, endTime: 3, responseTimeoutSeconds: 4 },
      ...{ inputData: { start: 0 }, outputData: { marker: ref === 'first' ? 'm1' : marker } },
    };
  });
  return {
    ...{ workflowId: 'w', workflowName: 'torture_any', workflowVersion: 1, status: 'COMPLETED' },
    ...{ startTime: 1, endTime: 3, input: { start: 0 }, output: {}, variables: {}, tasks },
  };
}

function handOut(askedAt: number, given: Partial<ReportRecord>, taskId = 't2'): HandOutRecord {
  const ids = { taskId, workflowId: 'w' };
  const report: ReportRecord = {
    ...{ ...ids, status: 'COMPLETED', marker: 'none', attempts: 1, outcome: 'acknowledged' },
    ...{ firstSentAt: askedAt + 20, acknowledgedAt: askedAt + 30, ...given },
  };
  const type = { taskType: 'torture_returning', ref: 'last', retryCount: 0, leaseMs: 4000 };
  return { ...ids, ...type, askedAt, receivedAt: askedAt + 10, report };
}

function judged(standing: string, ...handOuts: HandOutRecord[]): string[] {
  const all = [handOut(0, { marker: 'm1' }, 't1'), ...handOuts];
  const handOutsOf = (id: string): HandOutRecord[] => all.filter(({ taskId }) => taskId === id);
  return checkExecution(workflowWith(standing), 'COMPLETED', {
    handOutsOf,
    reportsOf: (id) => handOutsOf(id).flatMap(({ report }) => report ?? []),
  });
}

/** Repeated, and answered when the second worker had the task. */
const gaveBackTwice: Partial<ReportRecord> = {
  ...{ marker: 'back', status: 'IN_PROGRESS', attempts: 2 },
  ...{ firstSentAt: 120, acknowledgedAt: 1060 },
};
const one = { marker: 'one', firstSentAt: 1100, acknowledgedAt: 1110 };
const other = { marker: 'other', firstSentAt: 1120, acknowledgedAt: 1130 };

describe('the judgement of acknowledged reports', () => {
  it('lets the second report of an attempt given back from its worker change nothing', () => {
    const handOuts = [handOut(100, gaveBackTwice), handOut(1000, one), handOut(1050, other)];
    expect(judged('one', ...handOuts)).toEqual([]);
  });

  it('lets either stand of two reports that were under way at once', () => {
    const slow = { ...one, acknowledgedAt: 1200 };
    const handOuts = [handOut(100, gaveBackTwice), handOut(1000, slow), handOut(1050, other)];
    expect(judged('one', ...handOuts)).toEqual([]);
    expect(judged('other', ...handOuts)).toEqual([]);
  });

  it.each([
    [
      'a first report that the second has overwritten',
      [handOut(100, gaveBackTwice), handOut(1000, one), handOut(1050, other)],
      'one',
    ],
    [
      'a report lost to one of a worker that had the attempt although nobody gave it back',
      [handOut(1000, { ...one, acknowledgedAt: 1200 }), handOut(1050, other)],
      'one',
    ],
    [
      'one lost although what gave the attempt back was sent once',
      [
        handOut(100, { ...gaveBackTwice, attempts: 1 }),
        handOut(1000, { ...one, acknowledgedAt: 1200 }),
        handOut(1050, other),
      ],
      'one',
    ],
    [
      'one lost although what gave the attempt back was answered before',
      [
        handOut(100, { ...gaveBackTwice, acknowledgedAt: 900 }),
        handOut(1000, { ...one, acknowledgedAt: 1200 }),
        handOut(1050, other),
      ],
      'one',
    ],
  ])('finds %s', (_what, handOuts, lost) => {
    const found = `but COMPLETED with ${lost} was acknowledged`;
    expect(judged('other', ...handOuts)).toEqual([expect.stringContaining(found)]);
  });

  it('finds a report that was acknowledged when what stands is of nobody', () => {
    const handOuts = [handOut(100, gaveBackTwice), handOut(1000, one), handOut(1050, other)];
    expect(judged('unknown', ...handOuts)).toEqual([
      expect.stringContaining('COMPLETED with unknown, never reported'),
      expect.stringContaining('but COMPLETED with one was acknowledged'),
      expect.stringContaining('but COMPLETED with other was acknowledged'),
    ]);
  });
});
