import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisVectorStore } from '../../src/redis/vector-store.js';
import type { Piece, VectorSpace } from '../../src/store/vector-store.js';
import { startStore, storeKinds, type TestStore } from '../../testkit/samples.js';

const space = (index: string): VectorSpace => ({ store: 'kept {x}', index, namespace: 'n' });
const piece = (text: string, ...vector: number[]): Piece => ({ text, vector, metadata: '{"a":1}' });

describe.each(storeKinds)('vectors on %s', (kind) => {
  let test: TestStore;
  let store: RedisVectorStore;
  beforeAll(async () => {
    test = await startStore(kind);
    store = new RedisVectorStore(test.redis, { vectorsPerIndexMax: 250 });
  });
  afterAll(async () => test.stop());

  async function keysIn(where: VectorSpace): Promise<string[]> {
    const keys: string[] = [];
    for await (const slice of store.slices(where)) keys.push(...slice.map(({ key }) => key));
    return keys.sort();
  }

  it('come back in slices, each once, with their texts', async () => {
    const where = space('slices');
    // Redis keeps a hash of small values in one piece.
    const rest = new Array<number>(30).fill(-1);
    const pieces = Array.from({ length: 240 }, (_, i) => piece(`text ${i}`, i, 0.5, ...rest));
    expect(await store.put(where, 'doc', pieces)).toEqual({ outcome: 'stored' });
    const seen = new Map<string, Float32Array>();
    let slices = 0;
    for await (const slice of store.slices(where)) {
      slices += 1;
      for (const { key, vector } of slice) seen.set(key, vector);
    }
    expect(slices).toBeGreaterThan(1);
    expect(seen.size).toBe(240);
    expect([...(seen.get('7:doc') ?? [])]).toEqual([7, 0.5, ...rest]);
    expect(await store.pieces(where, ['7:doc', 'none', '239:doc'])).toEqual([
      { documentId: 'doc', number: 7, pieces: 240, text: 'text 7', metadata: '{"a":1}' },
      undefined,
      { documentId: 'doc', number: 239, pieces: 240, text: 'text 239', metadata: '{"a":1}' },
    ]);
  });

  it('of a document take the place of its earlier ones', async () => {
    const where = space('again');
    await store.put(where, 'd', [piece('a', 1), piece('b', 2), piece('c', 3)]);
    await store.put(where, 'other', [piece('z', 9)]);
    await store.put(where, 'd', [piece('A', 4)]);
    expect(await keysIn(where)).toEqual(['0:d', '0:other']);
    await store.put(where, 'd', [piece('A', 4), piece('B', 5)]);
    expect(await keysIn(where)).toEqual(['0:d', '0:other', '1:d']);
    expect(await store.pieces(where, ['2:d'])).toEqual([undefined]);
  });

  it('are refused beyond the limit and in other dimensions, and then nothing is stored', async () => {
    const where = space('limits');
    const many = Array.from({ length: 248 }, (_, i) => piece('x', i, i));
    await store.put(where, 'd', many);
    const three = [piece('a', 1, 1), piece('b', 1, 1), piece('c', 1, 1)];
    expect(await store.put(where, 'e', three)).toEqual({ outcome: 'full', count: 248 });
    expect(await store.put(where, 'e', three.slice(1))).toEqual({ outcome: 'stored' });
    expect(await store.put(where, 'd', many)).toEqual({ outcome: 'stored' });
    expect(await store.put(where, 'd', [piece('x', 1)])).toEqual({
      outcome: 'dimensions',
      dimensions: 2,
    });
    expect((await keysIn(where)).length).toBe(250);
  });

  it('go with their store', async () => {
    const kept = { ...space('kept'), store: 'other' };
    await store.put(kept, 'd', [piece('a', 1)]);
    await store.put(space('gone'), 'd', [piece('a', 1)]);
    await store.forget(kept.store);
    expect(await keysIn(kept)).toEqual([]);
    expect(await keysIn(space('gone'))).toEqual(['0:d']);
    await store.put(kept, 'd', [piece('a', 1, 2)]);
    expect(await keysIn(kept)).toEqual(['0:d']);
  });
});
