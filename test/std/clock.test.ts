import { describe, expect, it } from 'vitest';
import { late, settledWithin, within } from '../../src/std/clock.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('a bounded wait', () => {
  it('ends as the work does, and leaves no timer', async () => {
    const clock = new VirtualClock();
    await expect(within(clock, Promise.resolve(7), 100)).resolves.toBe(7);
    await expect(within(clock, Promise.reject(new Error('no')), 100)).rejects.toThrow('no');
    expect(clock.timers).toBe(0);
  });

  it('is over after its time, and work that fails later disturbs nobody', async () => {
    const clock = new VirtualClock();
    let fail = (_error: Error): void => undefined;
    const work = new Promise<void>((_resolve, reject) => (fail = reject));
    const waited = within(clock, work, 100);
    clock.advance(100);
    await expect(waited).resolves.toBe(late);
    fail(new Error('too late'));
  });

  it('hides a failure where only the end of the work matters', async () => {
    const clock = new VirtualClock();
    const work = Promise.reject(new Error('no'));
    await expect(settledWithin(clock, work, 100)).resolves.toBeUndefined();
    expect(clock.timers).toBe(0);
  });
});
