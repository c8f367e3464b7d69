import { describe, expect, it } from 'vitest';
import { callerOf, noteCaller } from '../../src/system-task/run-callers.js';
import { SharedLimiter } from '../../src/std/shared-limiter.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the caller of a run', () => {
  it('is told by its signal, also where it is not known', () => {
    const [named, nameless] = [new AbortController().signal, new AbortController().signal];
    noteCaller(named, 'kim@x.co');
    noteCaller(nameless, '');
    expect([callerOf(named), callerOf(nameless)]).toEqual(['kim@x.co', '']);
  });

  it('shares places also where a plug-in made the signal itself', async () => {
    const places = new SharedLimiter(4);
    let begun = 0;
    const run = async (signal: AbortSignal): Promise<void> => {
      void places.run(callerOf(signal), () => new Promise(() => (begun += 1)));
    };
    for (let i = 0; i < 8; i++) await run(AbortSignal.any([new AbortController().signal]));
    await turn();
    expect(begun).toBe(2);
    const named = new AbortController().signal;
    noteCaller(named, 'kim@x.co');
    await run(named);
    await turn();
    expect(begun).toBe(3);
  });
});
