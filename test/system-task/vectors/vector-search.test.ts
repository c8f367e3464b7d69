// The exact search: the nearest of all vectors, whatever slices they come in.
import { expect, it } from 'vitest';
import type { VectorSlice } from '../../../src/store/vector-store.js';
import { measureNamed, nearestOf } from '../../../src/system-task/vectors/vector-search.js';

const byMeasure = async (
  measure: string,
  target: readonly number[],
  count: number,
  ...slices: readonly VectorSlice[]
): Promise<string[]> => {
  async function* all(): AsyncGenerator<VectorSlice> {
    yield* slices;
  }
  const { nearness } = measureNamed(measure) ?? {};
  if (nearness === undefined) throw new Error(`no measure ${measure}`);
  const found = await nearestOf(all(), target, { count, measure: nearness });
  return found.map(({ key }) => key);
};

const vector = (key: string, ...values: number[]): VectorSlice[number] => ({
  ...{ key, vector: Float32Array.from(values) },
});
const slices = [
  [vector('long', 9, 9), vector('right', 1, 0), vector('of another size', 1, 0, 0)],
  [vector('near', 1, 0.5), vector('left', -1, 0)],
];

it.each([
  ['', ['right', 'near']],
  ['COSINE', ['right', 'near']],
  ['dot', ['long', 'near']],
  ['inner_product', ['long', 'near']],
  ['l2', ['near', 'right']],
])('the nearest by "%s" come first', async (measure, nearest) => {
  const target = measure === '' || measure === 'COSINE' ? [1, 0.2] : [1, 0.9];
  expect(await byMeasure(measure, target, 2, ...slices)).toEqual(nearest);
});

it('a vector that comes twice counts once, and an unknown measure is none', async () => {
  const [first = []] = slices;
  expect(await byMeasure('', [1, 0], 5, first, first)).toEqual(['right', 'long']);
  expect(measureNamed('nearest')).toBeUndefined();
});

it('few of many are the nearest of all', async () => {
  const many = Array.from({ length: 9 }, (_, slice) =>
    Array.from({ length: 300 }, (__, i) => vector(`${slice * 300 + i}`, slice * 300 + i)),
  );
  expect(await byMeasure('l2', [1500.1], 3, ...many)).toEqual(['1500', '1501', '1499']);
});
