import { expect, it } from 'vitest';
import { inHashTableOrder } from '../../src/engine/failed-names.js';

/** As the reference showed them. */
it.each([
  [
    ['fj', 'a', 'b'],
    ['a', 'b', 'fj'],
  ],
  [
    ['a__1', 'a__2'],
    ['a__2', 'a__1'],
  ],
  [
    ['a__1', 'l'],
    ['l', 'a__1'],
  ],
  [
    ['JOIN', 'c'],
    ['c', 'JOIN'],
  ],
  [['x'], ['x']],
  [[], []],
])('failed names %j are shown as %j', (names, shown) => {
  expect(inHashTableOrder(new Set(names))).toEqual(shown);
});
