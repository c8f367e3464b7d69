// Where a page far down a list begins, for lists of every shape.
import { describe, expect, it } from 'vitest';
import { markOf } from '../../src/redis/page-start.js';

const shapes: { readonly [name: string]: (i: number) => number } = {
  'spread evenly': (i) => i * 10,
  'in bursts': (i) => Math.floor(i / 1000) * 1_000_000 + (i % 1000),
  'denser and denser': (i) => Math.round(1e9 * Math.log(i + 1)),
  'sparser and sparser': (i) => i * i * 7,
  'all at one time': () => 5,
  'at two times': (i) => (i < 9000 ? 1 : 2),
};

describe.each(Object.entries(shapes))('entries %s', (_name, timeOf) => {
  const times = Array.from({ length: 10_000 }, (_, i) => timeOf(i));

  it.each([true, false])(
    'has little left in front of any page (reversed: %s)',
    async (reversed) => {
      const list = reversed ? [...times].reverse() : times;
      const [first, last] = [list[0] as number, list.at(-1) as number];
      for (const start of [501, 2000, 5000, 8999, 9000, 9001, 9999]) {
        let asked = 0;
        const countBefore = (at: number): Promise<number> => {
          asked += 1;
          return Promise.resolve(list.filter((time) => (reversed ? time > at : time < at)).length);
        };
        const marked = await markOf(
          start,
          { first, last, total: list.length },
          { skippedMax: 500, countBefore },
        );
        expect(marked.before).toBeLessThanOrEqual(start);
        expect(marked.before).toBe(await countBefore(marked.at));
        // Entries of one time cannot be told apart by it.
        const atMark = list.filter((time) => time === marked.at).length;
        expect(start - marked.before).toBeLessThanOrEqual(Math.max(1500, atMark));
        expect(asked).toBeLessThanOrEqual(13);
      }
    },
  );
});
