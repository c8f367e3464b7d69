import { expect, it } from 'vitest';
import { jobsOn, silentLoops } from '../../src/std/job.js';
import { PeriodicLoop } from '../../src/std/periodic-loop.js';
import { VirtualClock } from '../support/virtual-clock.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('pauses between turns, reports what fails and goes on, and waits for its turn at a stop', async () => {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const ends: (() => void)[] = [];
  const loop = new PeriodicLoop({
    name: 'a loop',
    clock,
    runsOn: 'node',
    everyMs: 100,
    runOnce: () => {
      if (ends.length === 1) {
        ends.push(() => undefined);
        throw new Error('turn 2');
      }
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    failed: (error) => failures.push(error),
  });
  await loop.start();
  clock.advance(99);
  expect(ends).toHaveLength(0);
  clock.advance(1);
  expect(ends).toHaveLength(1);
  clock.advance(1000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await settled();
  clock.advance(100);
  await settled();
  expect(failures.map(String)).toEqual(['Error: turn 2']);
  expect(jobsOn([clock])).toMatchObject([
    { name: 'a loop', runsOn: 'node', everyMs: 100, runs: 2, failures: 1, lastError: 'Error' },
  ]);
  clock.advance(100);
  expect(ends).toHaveLength(3);
  let isStopped = false;
  const stopped = loop.stop().then(() => (isStopped = true));
  await settled();
  expect(isStopped).toBe(false);
  ends[2]?.();
  await stopped;
  await loop.stop();
  expect(clock.timers).toBe(0);
  expect(jobsOn([clock])).toEqual([]);
});

it('is silent when no turn has come through for several of its intervals', async () => {
  const clock = new VirtualClock();
  let isBroken = false;
  const loop = new PeriodicLoop({
    name: 'a loop that fails',
    clock,
    runsOn: 'node',
    everyMs: 5000,
    runOnce: () => (isBroken ? Promise.reject(new Error('no store')) : Promise.resolve()),
    failed: () => undefined,
  });
  const takeTurns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) {
      clock.advance(5000);
      await settled();
    }
  };
  await loop.start();
  await takeTurns(10);
  expect(silentLoops(clock)).not.toContain('a loop that fails');
  isBroken = true;
  await takeTurns(5);
  expect(silentLoops(clock)).not.toContain('a loop that fails');
  await takeTurns(1);
  expect(silentLoops(clock)).toContain('a loop that fails');
  isBroken = false;
  await takeTurns(1);
  expect(silentLoops(clock)).not.toContain('a loop that fails');
  isBroken = true;
  await takeTurns(6);
  await loop.stop();
  expect(silentLoops(clock)).not.toContain('a loop that fails');
});
