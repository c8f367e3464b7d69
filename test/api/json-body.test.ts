import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/api/json-body.js';

const limits = { depthMax: 4, keysMax: 10 };
const read = (text: string): unknown => readJson(Buffer.from(text), limits);

describe('the bounds of a body with long strings', () => {
  const long = 'x'.repeat(200);
  it.each([
    ['an escaped quote', `${long}\\"`],
    ['escaped backslashes before its end', `${long}\\\\\\\\`],
    ['an escaped backslash, then an escaped quote', `${long}\\\\\\"${long}`],
    ['an escape at the place where the search begins', `${'x'.repeat(63)}\\"${long}`],
    ['many escaped quotes', '\\"'.repeat(300)],
  ])('do not count what stands in one with %s', (_what, text) => {
    const body = `{"a":"${text}${'[{:'.repeat(50)}","b":[1]}`;
    expect(read(body)).toEqual(JSON.parse(body));
  });

  it.each([
    ['an escaped backslash at its end', `${long}\\\\`],
    ['an escaped quote', `${long}\\"${long}`],
  ])('count what stands behind one with %s', (_what, text) => {
    expect(() => read(`{"a":"${text}","b":[[[[1]]]]}`)).toThrow('nested deeper than 4');
    const keys = Array.from({ length: 10 }, (_, at) => `"k${at}":1`).join();
    expect(() => read(`{"a":"${text}",${keys}}`)).toThrow('more than 10 keys');
  });

  it('hold for a body that ends within a string', () => {
    expect(() => read(`{"a":"${long}\\"`)).toThrow('JSON parse error');
  });
});
