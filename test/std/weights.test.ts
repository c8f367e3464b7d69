import { expect, it } from 'vitest';
import { parseWeights } from '../../src/std/weights.js';

it('weights are 1 but for names that have one', () => {
  const weightOf = parseWeights('--w', ['app:a=4', 'kim=x@y.org=100']);
  expect(['app:a', 'kim=x@y.org', 'other'].map(weightOf)).toEqual([4, 100, 1]);
  expect(parseWeights('--w', [])('app:a')).toBe(1);
});

it.each(['app:a', 'app:a=', 'app:a=0', 'app:a=101', 'app:a=1.5', 'app:a=-1', 'app:a=x', '=3', ''])(
  'the entry %j is refused by name',
  (entry) => {
    const rule = /^--w takes entries NAME=WEIGHT with a whole weight from 1 to 100, not /;
    expect(() => parseWeights('--w', [entry])).toThrow(rule);
  },
);

it('a name that stands twice is refused', () => {
  expect(() => parseWeights('--w', ['a=1', 'a=2'])).toThrow("--w names 'a' twice.");
});
