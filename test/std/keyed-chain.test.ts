import { describe, expect, it } from 'vitest';
import { KeyedChain } from '../../src/std/keyed-chain.js';

function held(): { promise: Promise<string>; end: (text: string) => void; fail: () => void } {
  let end = (_text: string): void => undefined;
  let fail = (): void => undefined;
  const promise = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = () => reject(new Error('failed'));
  });
  return { promise, end, fail };
}

describe('a chain of work', () => {
  it('carries work of one key out in order, of different keys at the same time', async () => {
    const chain = new KeyedChain();
    const begun: string[] = [];
    const first = held();
    const work = (name: string, until: Promise<string>) => async (): Promise<string> => {
      begun.push(name);
      return until;
    };
    const one = chain.run('a', work('a1', first.promise));
    const two = chain.run('a', work('a2', Promise.resolve('two')));
    const other = chain.run('b', work('b1', Promise.resolve('other')));
    expect(begun).toEqual(['a1', 'b1']);
    expect(await other).toBe('other');
    first.end('one');
    expect(await Promise.all([one, two])).toEqual(['one', 'two']);
    expect(begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('goes on after a failure, and forgets keys whose work has settled', async () => {
    const chain = new KeyedChain();
    const first = held();
    const one = chain.run('a', () => first.promise);
    const two = chain.run('a', async () => 'two');
    expect(chain.last('a')).toBe(two);
    first.fail();
    await expect(one).rejects.toThrow('failed');
    expect(await two).toBe('two');
    await Promise.resolve();
    expect(chain.last('a')).toBeUndefined();
  });

  it('carries out what has several keys while nothing else of any of them is under way', async () => {
    const chain = new KeyedChain();
    const begun: string[] = [];
    const held1 = held();
    const one = chain.run('a', () => held1.promise);
    const note = (name: string) => async (): Promise<string> => {
      begun.push(name);
      return name;
    };
    const both = chain.runAll(['b', 'a', 'b'], note('both'));
    const reversed = chain.runAll(['a', 'b'], note('reversed'));
    const free = chain.run('b', note('free'));
    expect(await free).toBe('free');
    expect(begun).toEqual(['free']);
    held1.end('one');
    expect(await Promise.all([one, both, reversed])).toEqual(['one', 'both', 'reversed']);
    expect(begun).toEqual(['free', 'both', 'reversed']);
    const many = Array.from({ length: 20_000 }, (_, i) => `k${i}`);
    expect(await chain.runAll(many, note('many'))).toBe('many');
    expect(chain.last('k1')).toBeUndefined();
  });
});
