import { describe, expect, it } from 'vitest';
import { jsonList } from '../../src/api/json-list.js';

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
