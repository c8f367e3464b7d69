import { describe, expect, it } from 'vitest';
import { StoreClock } from '../../src/placement/store-clock.js';
import { VirtualClock } from '../support/virtual-clock.js';

function setUp(): { local: VirtualClock; clock: StoreClock; measure: (aheadMs: number) => void } {
  const local = new VirtualClock();
  const clock = new StoreClock(local);
  const measure = (aheadMs: number): void => {
    const askedAt = local.monotonic();
    local.advance(4);
    clock.measured(local.now() - 2 + aheadMs, askedAt, local.monotonic());
  };
  return { local, clock, measure };
}

describe('the estimate of store time', () => {
  it('follows a store that is ahead, and goes on with the local clock between measurements', () => {
    const { local, clock, measure } = setUp();
    measure(5000);
    expect(clock.now()).toBe(local.now() + 5000);
    local.advance(700);
    expect(clock.now()).toBe(local.now() + 5000);
  });

  it('stands still while the store is behind what it has shown, and never runs backwards', () => {
    const { local, clock, measure } = setUp();
    const shown = clock.now();
    measure(-1000);
    expect(clock.now()).toBe(shown);
    local.advance(500);
    expect(clock.now()).toBe(shown);
    local.advance(600);
    expect(clock.now()).toBe(local.now() - 1000);
  });

  it('does not go by an answer that was asked for before time was skipped', () => {
    const { local, clock, measure } = setUp();
    measure(0);
    const askedAt = local.monotonic();
    local.advance(2);
    const answered = local.now();
    clock.skip(86_400_000);
    local.advance(2);
    clock.measured(answered, askedAt, local.monotonic());
    local.advance(10);
    expect(clock.now()).toBe(local.now() + 86_400_000);
    measure(86_400_000 + 500);
    expect(clock.now()).toBe(local.now() + 86_400_500);
  });

  it('is left alone by differences that the round trip explains', () => {
    const { local, clock, measure } = setUp();
    measure(2);
    expect(clock.now()).toBe(local.now());
  });
});
