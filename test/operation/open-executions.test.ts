// How many executions of a definition may be open: counted by the store, estimated in between.
import { describe, expect, it } from 'vitest';
import { OpenExecutions, OpenQuotas } from '../../src/operation/open-executions.js';
import { VirtualClock } from '../support/virtual-clock.js';

const openQuota = 'definitionOpenExecutionsMax';

interface Bench {
  clock: VirtualClock;
  refused: string[];
  /** What the store holds by name, and how often it was asked. */
  store: { open: number; asked: number; isBroken: boolean };
  executions: OpenExecutions;
}

function bench(most: number): Bench {
  const clock = new VirtualClock();
  const refused: string[] = [];
  const store = { open: 0, asked: 0, isBroken: false };
  const executions = new OpenExecutions({
    most,
    clock,
    quota: openQuota,
    said: (name) => `executions of ${name} are open`,
    refused: () => void refused.push(openQuota),
    countOpen: () => {
      store.asked++;
      return store.isBroken ? Promise.reject(new Error('gone')) : Promise.resolve(store.open);
    },
  });
  return { clock, refused, store, executions };
}

const started = (): Promise<string> => Promise.resolve('id');

const tooMany: Error = expect.objectContaining({
  kind: 'too-many',
  message: expect.stringContaining(openQuota) as string,
  details: { retryAfterSeconds: 1 },
}) as Error;

describe('open executions of a definition', () => {
  it('are not asked for where there is no quota', async () => {
    const { executions, store } = bench(0);
    await executions.during('d', started);
    expect(store.asked).toBe(0);
  });

  it('that a new process finds in the store count', async () => {
    const { executions, store, refused } = bench(3);
    store.open = 2;
    await executions.during('d', started);
    await expect(executions.during('d', started)).rejects.toEqual(tooMany);
    await expect(executions.hasRoom('d')).resolves.toBe(false);
    expect(refused).toEqual([openQuota, openQuota]);
  });

  it('are no more than the quota when many ask at once', async () => {
    const { executions } = bench(3);
    const asked = Array.from({ length: 10 }, () => executions.during('d', started));
    const answers = await Promise.allSettled(asked);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('that have ended make room, and a refusal asks the store 4 times a second at most', async () => {
    const { executions, store, clock } = bench(1);
    await executions.during('d', started);
    for (let i = 0; i < 20; i++)
      await expect(executions.during('d', started)).rejects.toEqual(tooMany);
    expect(store.asked).toBe(1);
    clock.advance(250);
    await executions.during('d', started);
    expect(store.asked).toBe(2);
  });

  it('are counted again each second, and nothing waits for that', async () => {
    const { executions, store, clock } = bench(10);
    await executions.during('d', started);
    store.open = 9;
    clock.advance(1000);
    await executions.during('d', started);
    expect(store.asked).toBe(2);
    await expect(executions.during('d', started)).rejects.toEqual(tooMany);
    store.open = 9;
    clock.advance(250);
    await executions.during('d', started);
    await expect(executions.during('d', started)).rejects.toEqual(tooMany);
  });

  it('include starts under way that the store does not know yet', async () => {
    const { executions, clock } = bench(2);
    let finish = (id: string): void => void id;
    const slow = executions.during('d', () => new Promise<string>((resolve) => (finish = resolve)));
    await executions.during('e', started);
    clock.advance(1000);
    await executions.during('d', started);
    await expect(executions.during('d', started)).rejects.toEqual(tooMany);
    clock.advance(250);
    await executions.during('d', started);
    finish('id');
    await slow;
  });

  it('of one name take nothing from another', async () => {
    const { executions } = bench(1);
    await executions.during('d', started);
    await executions.during('e', started);
    await expect(executions.during('d', started)).rejects.toEqual(tooMany);
  });

  it('are estimated on while the store does not answer', async () => {
    const { executions, store, clock } = bench(10);
    await executions.during('d', started);
    store.isBroken = true;
    clock.advance(1000);
    await executions.during('d', started);
  });
});

describe('open executions of a caller', () => {
  it('count whatever the definition, beside those of the definition', async () => {
    const refused: string[] = [];
    const quotas = new OpenQuotas({
      settings: { definitionOpenExecutionsMax: 3, callerOpenExecutionsMax: 2 },
      index: {
        count: ({ names }) => Promise.resolve(names?.[0] === 'full' ? 3 : 0),
        countOpenOf: (caller) => Promise.resolve(caller === 'busy' ? 1 : 0),
      },
      clock: new VirtualClock(),
      count: (quota) => void refused.push(quota),
    });
    await quotas.during('busy', 'd', started);
    await expect(quotas.during('busy', 'e', started)).rejects.toThrow(
      '2 executions that busy started, or that those started, are open already (callerOpenExecutionsMax)',
    );
    await expect(quotas.full('busy', 'f')).resolves.toBe('callerOpenExecutionsMax');
    await expect(quotas.full('other', 'full')).resolves.toBe('definitionOpenExecutionsMax');
    await expect(quotas.full('other', 'f')).resolves.toBeUndefined();
    expect(refused).toEqual([
      ...['callerOpenExecutionsMax', 'callerOpenExecutionsMax'],
      'definitionOpenExecutionsMax',
    ]);
  });
});
