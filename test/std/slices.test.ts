import { describe, expect, it } from 'vitest';
import { atOnce, eachInSteps, inSlices, itemsPerSlice, type Steps } from '../../src/std/slices.js';

const items = Array.from({ length: itemsPerSlice * 3 + 1 }, (_, i) => i);

function* summing(seen: number[]): Steps<number> {
  yield* eachInSteps(items, (item, index) => seen.push(item + index));
  return seen.length;
}

describe('a computation in steps', () => {
  it('goes through without a pause at once', () => {
    const seen: number[] = [];
    expect(atOnce(summing(seen))).toBe(items.length);
    expect(seen).toEqual(items.map((i) => 2 * i));
  });

  it('lets the event loop turn after every slice', async () => {
    const seen: number[] = [];
    const atTurns: number[] = [];
    let isDone = false;
    const look = (): void => {
      atTurns.push(seen.length);
      if (!isDone) setImmediate(look);
    };
    setImmediate(look);
    expect(await inSlices(summing(seen))).toBe(items.length);
    isDone = true;
    expect(seen).toEqual(items.map((i) => 2 * i));
    expect(atTurns.slice(0, 3)).toEqual([1, 2, 3].map((turn) => turn * itemsPerSlice));
  });

  it('rejects with what it throws', async () => {
    function* failing(): Steps<void> {
      throw new Error('broken');
    }
    await expect(inSlices(failing())).rejects.toThrow('broken');
    expect(() => atOnce(failing())).toThrow('broken');
  });
});
