// Which timers count as overdue: those that were late in two checks.
import { describe, expect, it } from 'vitest';
import { OverdueTimers, type DueWakeUp } from '../../src/shard/overdue-timers.js';
import { executionIdOf } from '../../src/std/ids.js';

const now = 1_700_000_000_000;
const due = (n: number, secondsAgo: number): DueWakeUp => ({
  id: executionIdOf(0, Buffer.alloc(10, n)),
  at: now - secondsAgo * 1000,
});

describe('overdue timers', () => {
  it('are those that a second check finds unchanged, oldest first over all shards', () => {
    const timers = new OverdueTimers();
    timers.seen(1, [due(1, 60), due(2, 30), due(3, 1), due(4, -10)], now);
    timers.seen(2, [due(5, 40)], now);
    expect(timers.list()).toEqual([]);
    expect(timers.shards).toEqual([1, 2]);
    timers.seen(1, [due(1, 60), due(2, 29), due(3, 1)], now);
    timers.seen(2, [due(5, 40)], now);
    expect(timers.list()).toEqual([due(1, 60), due(5, 40)]);
  });

  it('are none any more once they were carried out, or the shard is another node’s', () => {
    const timers = new OverdueTimers();
    for (const shard of [1, 2]) {
      timers.seen(shard, [due(shard, 60)], now);
      timers.seen(shard, [due(shard, 60)], now);
    }
    expect(timers.list()).toHaveLength(2);
    timers.seen(1, [due(9, -1)], now);
    timers.forget(2);
    expect([timers.list(), timers.shards]).toEqual([[], []]);
  });
});
