// Schemas that are sent to be stored are read one at a time, callers in turn, with pauses between.
import { describe, expect, it } from 'vitest';
import { systemCaller, type Caller } from '../../../src/model/caller.js';
import { SchemaReader } from '../../../src/operation/schemas/schema-reader.js';
import type { Clock } from '../../../src/std/clock.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const callerOf = (id: string): Caller => ({ ...systemCaller, id }) as Caller;

describe('the turns of those who send schemas', () => {
  it('leave the thread free for as long as each took, and let another caller go before', async () => {
    const clock = new VirtualClock();
    const reader = new SchemaReader(1000, clock);
    const read: string[] = [];
    const work = (name: string) => (): void => {
      read.push(name);
      clock.advance(100);
    };
    const many = [1, 2, 3].map((n) => reader.inTurn(callerOf('many'), work(`many ${n}`)));
    const one = reader.inTurn(callerOf('one'), work('one'));
    expect(read).toEqual(['many 1']);
    clock.advance(99);
    await many[0];
    expect(read).toEqual(['many 1']);
    clock.advance(1);
    await one;
    expect(read).toEqual(['many 1', 'one']);
    for (const each of many) {
      clock.advance(100);
      await each;
    }
    expect(read).toEqual(['many 1', 'one', 'many 2', 'many 3']);
  });

  it('go on behind work that throws', async () => {
    const reader = new SchemaReader(1000, new VirtualClock());
    const broken = reader.inTurn(callerOf('a'), () => {
      throw new Error('broken');
    });
    await expect(broken).rejects.toThrow('broken');
  });
});

describe('work that cannot wait for a turn', () => {
  it('holds the thread for a bounded time, until other work has had its chance', () => {
    let now = 0;
    const due: (() => void)[] = [];
    const clock: Clock = {
      now: () => now,
      monotonic: () => now,
      after: (_ms, fire) => ({ cancel: () => undefined, at: due.push(fire) }),
    };
    const reader = new SchemaReader(1000, clock);
    const work = (): number => (now += 800);
    expect([reader.inTime(work), reader.inTime(work)]).toEqual([800, 1600]);
    expect(() => reader.inTime(work)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    for (const fire of due.splice(0)) fire();
    expect(reader.inTime(work)).toBe(2400);
  });
});
