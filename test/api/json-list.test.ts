import { describe, expect, it } from 'vitest';
import { jsonList, jsonListInSlices } from '../../src/api/json-list.js';

describe('a list of JSON texts', () => {
  const sent = (items: readonly string[]): unknown =>
    JSON.parse(String(jsonList(items).body ?? ''));

  it('is answered as one JSON list', () => {
    expect(sent([])).toEqual([]);
    expect(sent(['1'])).toEqual([1]);
    expect(sent(['{"a":"é€😀"}', 'null', '"x"'])).toEqual([{ a: 'é€😀' }, null, 'x']);
  });

  it('may be larger than what is written at once', () => {
    const large = JSON.stringify('€'.repeat(200_000));
    const items = Array.from({ length: 10 }, () => large);
    expect(sent(items)).toEqual(items.map((item) => JSON.parse(item) as unknown));
  });

  it('stays as it is when the next one is made', () => {
    const { body } = jsonList(['"first"']);
    jsonList(['"other"']);
    expect(String(body)).toBe('["first"]');
  });
});

describe('a list of items whose texts are made for it', () => {
  const sent = async (items: readonly string[]): Promise<string> => {
    const { body } = await jsonListInSlices(items, function* (item) {
      yield;
      return JSON.stringify(item);
    });
    return String(body);
  };

  it.each([
    ['none', []],
    ['one', ['a']],
    ['some of all lengths', ['', 'é€😀', 'x'.repeat(300_000), '€'.repeat(100_000), 'y']],
    ['one of a slice', ['x'.repeat(65_536)]],
    ['many', Array.from({ length: 20_000 }, (_, n) => `item ${n} €`)],
  ])('is the same list: %s', async (_which, items) => {
    expect(await sent(items)).toBe(JSON.stringify(items));
  });

  it('leaves the event loop to others between its slices', async () => {
    let turns = 0;
    let isAnswered = false;
    const turn = (): void => {
      turns += 1;
      if (!isAnswered) setImmediate(turn);
    };
    setImmediate(turn);
    const text = 'x'.repeat(32 * 1024);
    const answer = await jsonListInSlices(Array.from({ length: 200 }), function* () {
      return text;
    });
    isAnswered = true;
    expect(answer.body?.length).toBe(200 * (text.length + 1) + 1);
    // 100 slices of two texts, and some for the bytes.
    expect(turns).toBeGreaterThan(100);
  });
});
