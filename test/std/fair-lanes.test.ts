import { describe, expect, it } from 'vitest';
import { FairLanes, type Lane } from '../../src/std/fair-lanes.js';

const stranger = (name: string): Lane => ({ name, isKnown: false });
const known = (name: string): Lane => ({ name, isKnown: true });

/** Runs everything one at a time and tells in which order. */
function trial(limits = { atOnceMax: 1, waitingMax: 12, waitingOfLaneMax: 4 }): {
  ask: (lane: Lane) => void;
  outcome: () => Promise<{ order: string[]; refused: string[]; most: number }>;
} {
  const queue = new FairLanes(limits);
  const order: string[] = [];
  const refused: string[] = [];
  let running = 0;
  let most = 0;
  const asked: Promise<void>[] = [];
  return {
    ask: (lane) => {
      const work = async (): Promise<void> => {
        most = Math.max(most, ++running);
        order.push(lane.name);
        await new Promise(setImmediate);
        running--;
      };
      const done = queue.run(lane, work).then((result) => {
        if (result === undefined) refused.push(lane.name);
      });
      asked.push(done);
    },
    outcome: async () => {
      await Promise.all(asked);
      expect(queue.waiting).toBe(0);
      return { order, refused, most };
    },
  };
}

describe('fair lanes', () => {
  it('lets one who asks for much delay himself only', async () => {
    const { ask, outcome } = trial();
    for (let i = 0; i < 8; i++) ask(stranger('many'));
    ask(stranger('one'));
    const { order, refused, most } = await outcome();
    // One runs, four wait, the rest has no room; the other one is the second of those who wait.
    expect(refused).toEqual(['many', 'many', 'many']);
    expect(order).toEqual(['many', 'many', 'one', 'many', 'many', 'many']);
    expect(most).toBe(1);
  });

  it('keeps half of the turns and places for known lanes', async () => {
    const { ask, outcome } = trial();
    for (let i = 0; i < 20; i++) ask(stranger(`s${i}`));
    for (let i = 0; i < 3; i++) ask(known('owner'));
    const { order, refused } = await outcome();
    expect(refused).toHaveLength(20 - 7);
    expect(refused).not.toContain('owner');
    expect(order.slice(1, 7).map((name) => name === 'owner')).toEqual([
      ...[true, false, true, false, true, false],
    ]);
  });

  it('goes on after work that fails', async () => {
    const queue = new FairLanes({ atOnceMax: 1, waitingMax: 4, waitingOfLaneMax: 4 });
    const failing = queue.run(known('a'), () => Promise.reject(new Error('failed')));
    const next = queue.run(known('a'), () => Promise.resolve(7));
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toEqual({ value: 7 });
  });
});
