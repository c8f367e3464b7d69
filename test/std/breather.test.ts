import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { breathe } from '../../src/std/breather.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Holds the thread. */
function work(ms: number): void {
  const endAt = performance.now() + ms;
  while (performance.now() < endAt);
}

/** Steps of 1 ms, at least, that loops took in each turn of the event loop. */
async function stepsByTurn(loops: number, stepsOfLoop: number): Promise<number[]> {
  let steps = 0;
  let left = loops;
  const loop = async (): Promise<void> => {
    for (let i = 0; i < stepsOfLoop; i++) {
      work(1);
      steps += 1;
      await breathe();
    }
    left -= 1;
  };
  await turn();
  const ended = Promise.all(Array.from({ length: loops }, loop));
  const byTurn: number[] = [];
  for (let before = 0; left > 0; before = steps) {
    await turn();
    byTurn.push(steps - before);
  }
  await ended;
  return byTurn;
}

describe('loops that let others in', () => {
  it('hold a turn of the event loop no longer together than one of them', async () => {
    const [first = 0, ...later] = await stepsByTurn(12, 20);
    // Each takes its first step when it is called, and what is counted first may be two turns.
    expect(first).toBeLessThanOrEqual(12 + 2 * 5);
    expect(Math.max(...later)).toBeLessThanOrEqual(5);
  });

  it('all come to their end, and one alone takes a few steps a turn', async () => {
    const byTurn = await stepsByTurn(1, 40);
    expect(byTurn.reduce((sum, steps) => sum + steps, 0)).toBe(40);
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(2 * 5);
  });
});
