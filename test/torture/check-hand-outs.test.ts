// The judgement of hand-outs, on journals written by hand.
import { describe, expect, it } from 'vitest';
import { checkHandOuts } from './check-hand-outs.js';
import { Journal, type HandOutRecord, type ReportRecord } from './journal.js';

function handOut(askedAt: number, report?: Partial<ReportRecord>): HandOutRecord {
  const ids = { taskId: 't', workflowId: 'w' };
  return {
    ...{ ...ids, taskType: 'a', ref: 'a', retryCount: 0, askedAt, receivedAt: askedAt + 10, leaseMs: 4000 },
    ...(report === undefined
      ? {}
      : {
          report: {
            ...{ ...ids, status: 'COMPLETED', marker: '', firstSentAt: askedAt + 20, attempts: 1, outcome: 'unknown' },
            ...report,
          },
        }),
  }; // prettier-ignore
}

function judged(...handOuts: HandOutRecord[]): string[] {
  const journal = new Journal();
  journal.handOuts.push(...handOuts);
  return checkHandOuts(journal);
}

const gaveBack = { status: 'IN_PROGRESS', acknowledgedAt: 50 } as const;

describe('the judgement of hand-outs', () => {
  it('lets a task be handed out again after its worker gave it back', () => {
    expect(judged(handOut(0, gaveBack), handOut(100))).toEqual([]);
  });

  it('lets it be taken from its worker by a report of the one before that was repeated', () => {
    const repeated = { ...gaveBack, attempts: 3, acknowledgedAt: 1500 };
    expect(judged(handOut(0, repeated), handOut(1000, {}), handOut(2000))).toEqual([]);
  });

  it.each([
    ['a second hand-out within the lease', [handOut(0), handOut(100)], 'twice within its lease'],
    [
      'one after a report that was acknowledged',
      [handOut(0, { acknowledgedAt: 50 }), handOut(100)],
      'COMPLETED was acknowledged',
    ],
    ['one after the lease', [handOut(0), handOut(5000)], 'under the same id'],
    [
      'one within the lease of who got it after it was given back',
      [handOut(0, gaveBack), handOut(1000, {}), handOut(2000)],
      'twice within its lease',
    ],
    [
      'one from its worker by a report of the one before that was sent once',
      [handOut(0, { ...gaveBack, acknowledgedAt: 1500 }), handOut(1000, {}), handOut(2000)],
      'twice within its lease',
    ],
  ])('finds %s', (_what, handOuts, found) => {
    expect(judged(...handOuts)).toEqual([expect.stringContaining(found)]);
  });
});
