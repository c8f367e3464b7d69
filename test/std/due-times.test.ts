import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueTimes } from '../../src/std/due-times.js';

it('gives keys in order of their newest times, however often those have moved', () => {
  const moves = fc.array(fc.tuple(fc.nat(20), fc.nat(50)), { maxLength: 200 });
  fc.assert(
    fc.property(moves, (all) => {
      const due = new DueTimes<number>();
      const expected = new Map<number, number>();
      for (const [key, at] of all) {
        due.arm(key, at);
        if (at === 0) expected.delete(key);
        else expected.set(key, at);
      }
      expect(due.size).toBe(expected.size);
      expect(due.nextAt).toBe(expected.size === 0 ? 0 : Math.min(...expected.values()));
      const popped: number[] = [];
      for (let key = due.popDue(50); key !== undefined; key = due.popDue(50)) {
        popped.push(expected.get(key) as number);
        expected.delete(key);
      }
      expect(popped).toEqual([...popped].sort((a, b) => a - b));
      expect(expected.size).toBe(0);
    }),
  );
});

it('keeps what is not due', () => {
  const due = new DueTimes<string>();
  due.arm('later', 10);
  expect(due.popDue(9)).toBeUndefined();
  expect(due.timeOf('later')).toBe(10);
  expect(due.popDue(10)).toBe('later');
  expect(due.timeOf('later')).toBe(0);
});
