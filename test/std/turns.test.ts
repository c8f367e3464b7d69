import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/std/turns.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  it('let so many go on in one turn, the others in order in the next ones', async () => {
    const turns = new Turns(2);
    const gone: number[] = [];
    for (let i = 0; i < 5; i++) void turns.take().then(() => gone.push(i));
    await Promise.resolve();
    await Promise.resolve();
    expect(gone).toEqual([0, 1]);
    await nextTurn();
    expect(gone).toEqual([0, 1, 2, 3]);
    await nextTurn();
    expect(gone).toEqual([0, 1, 2, 3, 4]);
  });

  it('do not let late callers overtake those who wait', async () => {
    const turns = new Turns(1);
    const gone: string[] = [];
    for (const name of ['a', 'b']) void turns.take().then(() => gone.push(name));
    await nextTurn();
    void turns.take().then(() => gone.push('c'));
    await nextTurn();
    await nextTurn();
    expect(gone).toEqual(['a', 'b', 'c']);
  });
});
