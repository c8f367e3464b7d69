// Rounds of the event loop are real here; the clock moves only when work says so.
import { describe, expect, it } from 'vitest';
import { FairTurns, unshared, type Sharing } from '../../src/shard/fair-turns.js';
import { VirtualClock } from '../support/virtual-clock.js';

function turnsOf(sharing: Sharing = unshared): {
  clock: VirtualClock;
  crowd: { isCrowded: boolean };
  turns: FairTurns;
  /** Work of a caller that takes so many ms and goes on for good, and how often it has gone on. */
  endless: (caller: string, ms: number) => { turns: number };
} {
  const clock = new VirtualClock();
  const crowd = { isCrowded: false };
  const turns = new FairTurns({ clock, sharing, isCrowded: () => crowd.isCrowded });
  const endless = (caller: string, ms: number): { turns: number } => {
    const seen = { turns: 0 };
    const turn = (): void => {
      seen.turns += 1;
      clock.advance(ms);
      turns.add({ caller, definition: 'd' }, turn);
    };
    turns.add({ caller, definition: 'd' }, turn);
    return seen;
  };
  return { clock, crowd, turns, endless };
}

async function rounds(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}

describe('work that goes on and on', () => {
  it('takes a few ms of a round, however much of it there is', async () => {
    const { endless } = turnsOf();
    const all = Array.from({ length: 50 }, () => endless('a', 1));
    await rounds(2);
    const turns = all.reduce((sum, seen) => sum + seen.turns, 0);
    expect(turns).toBeLessThanOrEqual(8);
    expect(turns).toBeGreaterThan(0);
  });

  it('shares the time between callers, not between what each has', async () => {
    const { endless } = turnsOf();
    const many = Array.from({ length: 20 }, () => endless('flooder', 2));
    const one = endless('neighbour', 2);
    await rounds(200);
    const flooder = many.reduce((sum, seen) => sum + seen.turns, 0);
    expect(Math.abs(flooder - one.turns)).toBeLessThanOrEqual(2);
  });

  it('stops while many commits wait, and goes on when it is woken', async () => {
    const { endless, crowd, turns } = turnsOf();
    const work = endless('a', 1);
    await rounds(3);
    crowd.isCrowded = true;
    await rounds(3);
    const before = work.turns;
    await rounds(5);
    expect(work.turns).toBe(before);
    crowd.isCrowded = false;
    turns.wake();
    await rounds(3);
    expect(work.turns).toBeGreaterThan(before);
  });

  it('leaves a pause behind each round while other callers are active', async () => {
    const sharing = {
      othersThan: (caller: string) => caller === 'flooder',
      longWorkPercentMax: 25,
    };
    const { endless, clock } = turnsOf(sharing);
    const work = endless('flooder', 2);
    await rounds(5);
    expect(work.turns).toBe(1);
    clock.advance(5);
    await rounds(5);
    expect(work.turns).toBe(1);
    clock.advance(1);
    await rounds(5);
    expect(work.turns).toBe(2);
  });
});
