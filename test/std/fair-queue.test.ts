import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/std/fair-queue.js';

/** Takes so many items, each at the given cost, and counts them by their first letter. */
function served(queue: FairQueue<string>, count: number, cost: (item: string) => number): object {
  const counts: Record<string, number> = {};
  for (let left = count; left > 0; left--) {
    const item = queue.take();
    if (item === undefined) break;
    const [caller = '', definition = ''] = item.split('/');
    queue.charge([caller, definition], cost(item));
    counts[caller] = (counts[caller] ?? 0) + 1;
  }
  return counts;
}

function fill(queue: FairQueue<string>, path: string, count: number): void {
  for (let left = count; left > 0; left--) queue.push(path.split('/'), path);
}

describe('a fair queue', () => {
  it('keeps the order of one source', () => {
    const queue = new FairQueue<number>();
    for (let item = 0; item < 3000; item++) queue.push(['a'], item);
    expect(queue.size).toBe(3000);
    expect(queue.removeAll()).toEqual(Array.from({ length: 3000 }, (_, item) => item));
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  it('serves sources by what their items cost', () => {
    const queue = new FairQueue<string>();
    fill(queue, 'dear/x', 1000);
    fill(queue, 'cheap/x', 1000);
    const counts = served(queue, 440, (item) => (item.startsWith('dear') ? 10 : 1));
    expect(counts).toEqual({ dear: 40, cheap: 400 });
  });

  it('gives a caller with many definitions no more than one with one', () => {
    const queue = new FairQueue<string>();
    for (let at = 0; at < 50; at++) fill(queue, `many/${at}`, 20);
    fill(queue, 'one/x', 1000);
    expect(served(queue, 200, () => 1)).toEqual({ many: 100, one: 100 });
  });

  it('serves callers by their weights, whatever their definitions', () => {
    const queue = new FairQueue<string>((caller) => (caller === 'heavy' ? 3 : 1));
    for (let at = 0; at < 10; at++) fill(queue, `light/${at}`, 100);
    fill(queue, 'heavy/x', 1000);
    expect(served(queue, 400, () => 1)).toEqual({ heavy: 300, light: 100 });
  });

  it('lets a source that had nothing to do begin where the others are', () => {
    const queue = new FairQueue<string>();
    fill(queue, 'a/x', 1000);
    served(queue, 500, () => 1);
    fill(queue, 'b/x', 1000);
    expect(served(queue, 100, () => 1)).toEqual({ a: 50, b: 50 });
  });

  it('remembers what a source has had while it had nothing more to do', () => {
    const queue = new FairQueue<string>();
    fill(queue, 'a/x', 1);
    fill(queue, 'b/x', 100);
    queue.charge(['a', 'x'], 50);
    queue.take();
    fill(queue, 'a/x', 100);
    expect(served(queue, 49, () => 1)).toEqual({ b: 49 });
  });
});
