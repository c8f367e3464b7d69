import { expect, it } from 'vitest';
import { Chain } from '../../src/std/chain.js';

it('carries work out in order, and goes on after work that fails', async () => {
  const chain = new Chain();
  const steps: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const first = chain.run(async () => {
    steps.push('first begins');
    await held;
    steps.push('first fails');
    throw new Error('failed');
  });
  const second = chain.run(async () => {
    steps.push('second');
    return 2;
  });
  const settled = chain.settled().then(() => steps.push('settled'));
  await Promise.resolve();
  expect(steps).toEqual(['first begins']);
  release();
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe(2);
  await settled;
  expect(steps).toEqual(['first begins', 'first fails', 'second', 'settled']);
});
