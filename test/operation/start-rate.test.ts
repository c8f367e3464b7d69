// Starts per second at a node (invariants S18).
import { expect, it } from 'vitest';
import { StartRate } from '../../src/operation/start-rate.js';
import { VirtualClock } from '../support/virtual-clock.js';

it('takes so many starts a second, and refuses the next with a time', () => {
  const clock = new VirtualClock();
  const rate = new StartRate(3, clock);
  const refused = expect.objectContaining({
    kind: 'too-many',
    message: expect.stringContaining('startsPerSecondMax') as string,
    details: { retryAfterSeconds: 1 },
  }) as Error;
  for (let i = 0; i < 3; i += 1) rate.admit();
  expect(() => rate.admit()).toThrow(refused);
  clock.advance(334);
  rate.admit();
  expect(() => rate.admit()).toThrow(refused);
});
