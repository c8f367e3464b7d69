import { expect, it } from 'vitest';
import { PeriodicLoop } from '../../src/std/periodic-loop.js';
import { VirtualClock } from '../support/virtual-clock.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('pauses between turns, reports what fails and goes on, and waits for its turn at a stop', async () => {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const ends: (() => void)[] = [];
  const loop = new PeriodicLoop({
    clock,
    everyMs: 100,
    turn: () => {
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
});
