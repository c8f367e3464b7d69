import { describe, expect, it } from 'vitest';
import { RunLimits } from '../../src/system-task/run-limits.js';
import { VirtualClock } from '../support/virtual-clock.js';

const place = (lane: string, caller = ''): { lane: string; caller: string } => ({ lane, caller });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts runs that end when told to; names of those running now. */
class Runs {
  readonly running = new Set<string>();
  readonly #ends = new Map<string, () => void>();

  readonly task = (name: string) => async (): Promise<void> => {
    this.running.add(name);
    await new Promise<void>((end) => this.#ends.set(name, end));
    this.running.delete(name);
  };

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await turn();
  }
}

describe('RunLimits', () => {
  it('lets a slow lane hold up only itself', async () => {
    const limits = new RunLimits({ runsMax: 3, runsPerLaneMax: 2 }, new VirtualClock());
    const runs = new Runs();
    for (const name of ['a', 'b', 'c', 'd'])
      void limits.run(place('slow'), undefined, runs.task(name));
    void limits.run(place('fast'), undefined, runs.task('e'));
    await turn();
    expect([...runs.running]).toEqual(['a', 'b', 'e']);
    await runs.end('a');
    expect([...runs.running]).toEqual(['b', 'e', 'c']);
  });

  it('lets a caller whose runs never end hold up neither all of a node nor a lane', async () => {
    const limits = new RunLimits({ runsMax: 8, runsPerLaneMax: 3 }, new VirtualClock());
    const runs = new Runs();
    for (let i = 0; i < 9; i += 1) {
      void limits.run(place(`host${i % 3}`, 'flooder'), undefined, runs.task(`f${i}`));
    }
    await turn();
    expect(runs.running.size).toBe(4);
    for (const name of ['n1', 'n2']) {
      void limits.run(place('host0', 'neighbour'), undefined, runs.task(name));
    }
    await turn();
    expect([...runs.running]).toEqual(expect.arrayContaining(['n1', 'n2']));
  });

  it('keeps to the concurrency of a definition', async () => {
    const limits = new RunLimits({ runsMax: 10, runsPerLaneMax: 10 }, new VirtualClock());
    const runs = new Runs();
    const definition = {
      defName: 'one',
      concurrentExecLimit: 1,
      rateLimitPerFrequency: 0,
      rateLimitFrequencyInSeconds: 0,
    };
    for (const name of ['a', 'b']) void limits.run(place('lane'), definition, runs.task(name));
    await turn();
    expect([...runs.running]).toEqual(['a']);
    await runs.end('a');
    expect([...runs.running]).toEqual(['b']);
  });

  it('keeps to the rate of a definition', async () => {
    const clock = new VirtualClock();
    const limits = new RunLimits({ runsMax: 10, runsPerLaneMax: 10 }, clock);
    const runs = new Runs();
    const definition = {
      defName: 'two',
      concurrentExecLimit: 0,
      rateLimitPerFrequency: 2,
      rateLimitFrequencyInSeconds: 10,
    };
    for (const name of ['a', 'b', 'c']) void limits.run(place('lane'), definition, runs.task(name));
    await turn();
    expect([...runs.running]).toEqual(['a', 'b']);
    clock.advance(9_999);
    await turn();
    expect(runs.running.size).toBe(2);
    clock.advance(1);
    await turn();
    expect([...runs.running]).toEqual(['a', 'b', 'c']);
  });

  it('passes on what a run rejects with and frees its place', async () => {
    const limits = new RunLimits({ runsMax: 1, runsPerLaneMax: 1 }, new VirtualClock());
    const failing = limits.run(place('lane'), undefined, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await limits.run(place('lane'), undefined, () => Promise.resolve('yes'))).toBe('yes');
  });
});
