// What a node knows of the workers that talk to it, and how that stays bounded.
import { beforeEach, describe, expect, it } from 'vitest';
import { queuesToldMax, WorkerNotes, workersMax } from '../../src/queue/worker-notes.js';
import { VirtualClock } from '../support/virtual-clock.js';

const minuteMs = 60_000;
const origin =
  (address: string, client = 'sdk/1') =>
  () => ({ address, client });
const charge = { workerId: 'w1', taskType: 'charge', domain: undefined };

describe('notes about workers', () => {
  let clock: VirtualClock;
  let notes: WorkerNotes;
  beforeEach(() => {
    clock = new VirtualClock(1_700_000_000_000);
    notes = new WorkerNotes(clock);
  });

  it('tell where a worker polls from, what its client is, and each queue with its last poll', () => {
    notes.polled(charge, origin('10.0.0.7'));
    const firstAt = clock.now();
    clock.advance(2000);
    notes.polled({ ...charge, domain: 'eu' }, origin('10.0.0.8', 'sdk/2'));
    expect(notes.list()).toEqual([
      {
        ...{ workerId: 'w1', address: '10.0.0.8', client: 'sdk/2', reported: 0, failed: 0 },
        polled: [
          ['charge', '', firstAt],
          ['charge', 'eu', clock.now()],
        ],
      },
    ]);
  });

  it('look for the origin once a second, and keep it when a poll brings none', () => {
    let looks = 0;
    const counting = () => ({ address: `${(looks += 1)}`, client: undefined });
    for (let i = 0; i < 5; i += 1) notes.polled(charge, counting);
    expect(looks).toBe(1);
    clock.advance(1000);
    notes.polled(charge);
    expect(notes.list()).toMatchObject([{ address: '1', client: '' }]);
    notes.polled(charge, counting);
    expect(looks).toBe(2);
  });

  it('count results and failures of the last hour, of workers that have polled', () => {
    notes.polled(charge, origin('a'));
    notes.reported('w1', true);
    clock.advance(30 * minuteMs);
    notes.reported('w1', false);
    notes.reported('another', true);
    notes.polled(charge, origin('a'));
    expect(notes.list()).toMatchObject([{ workerId: 'w1', reported: 2, failed: 1 }]);
    clock.advance(35 * minuteMs);
    expect(notes.list()).toMatchObject([{ workerId: 'w1', reported: 1, failed: 0 }]);
  });

  it('tell no more queues than fit a report, those of the workers that polled last', () => {
    for (let i = 0; i < 60; i += 1) {
      clock.advance(1);
      for (let type = 0; type < 120; type += 1) {
        notes.polled({ workerId: `w${i}`, taskType: `t${type}`, domain: undefined });
      }
    }
    const told = notes.list();
    expect(told.reduce((sum, { polled }) => sum + polled.length, 0)).toBe(queuesToldMax);
    expect(told.map(({ workerId }) => workerId)).toEqual(
      Array.from({ length: 50 }, (_, i) => `w${59 - i}`),
    );
  });

  it('forget who has not polled for an hour, and beyond the bound who polled longest ago', () => {
    notes.polled(charge, origin('a'));
    for (let i = 1; i < workersMax; i += 1) {
      clock.advance(1);
      notes.polled({ ...charge, workerId: `n${i}` }, origin('a'));
    }
    expect(notes.list()).toHaveLength(workersMax);
    notes.polled({ ...charge, workerId: 'new' }, origin('a'));
    const ids = notes.list().map(({ workerId }) => workerId);
    expect(ids).toHaveLength(workersMax);
    expect(ids).not.toContain('w1');
    clock.advance(61 * minuteMs);
    expect(notes.list()).toEqual([]);
  });
});
