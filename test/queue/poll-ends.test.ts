import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/std/clock.js';
import { PollEnds, type Ending } from '../../src/queue/poll-ends.js';
import { VirtualClock } from '../support/virtual-clock.js';

function ending(clock: VirtualClock): {
  ends: PollEnds;
  ended: string[];
  /** Timers that have been set. */
  timers: () => number;
  wait: (name: string, lengthMs: number, then?: () => void) => Ending;
} {
  let timers = 0;
  const counting: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, fire) => {
      timers += 1;
      return clock.after(delayMs, fire);
    },
  };
  const ends = new PollEnds(counting);
  const ended: string[] = [];
  const wait = (name: string, lengthMs: number, then?: () => void): Ending => {
    const expire = (): void => {
      ended.push(name);
      then?.();
    };
    const poll: Ending = { endAt: ends.endAt(lengthMs), lengthMs, expire };
    ends.add(poll);
    return poll;
  };
  return { ends, ended, timers: () => timers, wait };
}

describe('the ends of polls', () => {
  it('come each at its time, whatever others wait', () => {
    const clock = new VirtualClock();
    const { ended, wait } = ending(clock);
    wait('a', 100);
    clock.advance(40);
    wait('b', 100);
    wait('c', 10);
    clock.advance(9);
    expect(ended).toEqual([]);
    clock.advance(1);
    expect(ended).toEqual(['c']);
    clock.advance(50);
    expect(ended).toEqual(['c', 'a']);
    clock.advance(39);
    expect(ended).toEqual(['c', 'a']);
    clock.advance(1);
    expect(ended).toEqual(['c', 'a', 'b']);
  });

  it('do not come to one that was answered before', () => {
    const clock = new VirtualClock();
    const { ends, ended, wait } = ending(clock);
    const first = wait('first', 100);
    clock.advance(50);
    const second = wait('second', 100);
    ends.remove(first);
    clock.advance(99);
    ends.remove(second);
    clock.advance(200);
    expect(ended).toEqual([]);
  });

  it('come to those that begin to wait while others end', () => {
    const clock = new VirtualClock();
    const { ended, wait } = ending(clock);
    wait('a', 100, () => wait('again', 100));
    clock.advance(100);
    expect(ended).toEqual(['a']);
    clock.advance(100);
    expect(ended).toEqual(['a', 'again']);
  });

  it('come to the others, too, when the end of one fails', () => {
    const clock = new VirtualClock();
    const { ended, wait } = ending(clock);
    wait('fails', 100, () => {
      throw new Error('for the test');
    });
    wait('behind', 100);
    expect(() => clock.advance(100)).toThrow('for the test');
    wait('later', 100);
    clock.advance(1);
    expect(ended).toEqual(['fails', 'behind']);
    clock.advance(100);
    expect(ended).toEqual(['fails', 'behind', 'later']);
  });

  it('take one timer for all that wait equally long', () => {
    const clock = new VirtualClock();
    const { ended, timers, wait } = ending(clock);
    for (let poll = 0; poll < 1_000; poll++) wait(`${poll}`, 5_000);
    expect(timers()).toBe(1);
    clock.advance(5_000);
    expect(ended).toHaveLength(1_000);
    expect(timers()).toBe(1);
  });
});
