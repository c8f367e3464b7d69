// An exact search: compares a vector with all vectors of a space and keeps the nearest ones. The
// vectors come in slices, so the event loop turns between them.
import type { VectorSlice } from '../../store/vector-store.js';

/** How near two vectors are; the larger, the nearer. */
export type Nearness = (a: Float32Array, b: Float32Array) => number;

export interface Nearest {
  readonly key: string;
  readonly score: number;
}

/** A measure under one name, whatever a configuration calls it. */
export interface Measure {
  readonly kind: 'cosine' | 'inner-product' | 'euclidean';
  readonly nearness: Nearness;
}

const byInnerProduct: Measure = { kind: 'inner-product', nearness: dot };
const byDistance: Measure = { kind: 'euclidean', nearness: nearBy };
/** Names of the measures in configurations (`distance_metric`). */
const measures: { readonly [name: string]: Measure } = {
  cosine: { kind: 'cosine', nearness: cosine },
  inner_product: byInnerProduct,
  dot: byInnerProduct,
  euclidean: byDistance,
  l2: byDistance,
};

/** Cosine for an empty name; undefined for one that is not known. */
export function measureNamed(name: string): Measure | undefined {
  const plain = name === '' ? 'cosine' : name.toLowerCase();
  return Object.hasOwn(measures, plain) ? measures[plain] : undefined;
}

/** The `count` nearest vectors, nearest first; those of other dimensions are passed over. */
export async function nearestOf(
  slices: AsyncIterable<VectorSlice>,
  target: readonly number[],
  { count, measure }: { readonly count: number; readonly measure: Nearness },
): Promise<Nearest[]> {
  const wanted = Float32Array.from(target);
  let best = new Map<string, number>();
  for await (const slice of slices) {
    for (const { key, vector } of slice) {
      if (vector.length === wanted.length) best.set(key, measure(wanted, vector));
    }
    // Sorting now and then keeps what is held in memory small.
    if (best.size > 4 * count + 1000) best = new Map(top(best, count));
  }
  return top(best, count).map(([key, score]) => ({ key, score }));
}

function top(found: ReadonlyMap<string, number>, count: number): [string, number][] {
  return [...found].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, count);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function cosine(a: Float32Array, b: Float32Array): number {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

/** 1 for the same vector, towards 0 with the distance. */
function nearBy(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return 1 / (1 + Math.sqrt(sum));
}
