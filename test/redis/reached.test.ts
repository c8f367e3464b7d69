import { expect, it } from 'vitest';
import { reached, requireAny } from '../../src/redis/reached.js';

it('what nothing answers has an unclear outcome, beside the answers of others', async () => {
  const outcomes = await reached([new Promise(() => undefined), Promise.resolve(1)]);
  expect(outcomes).toEqual([
    { error: expect.objectContaining({ name: 'StoreError', outcome: 'unclear' }) },
    { reply: 1 },
  ]);
});

it('where nothing was reached at all the first failure tells', async () => {
  const failure = new Error('away');
  const outcomes = await reached([Promise.reject(failure)]);
  expect(() => requireAny(outcomes)).toThrow(failure);
});
