import { describe, expect, it } from 'vitest';
import { JsonSchemas } from '../../../src/operation/schemas/json-schema.js';

const slow = { allOf: Array.from({ length: 20_000 }, () => ({ type: 'object' })) };

describe('the check of values', () => {
  it('refuses what takes too long to read, and nothing else before it is used', () => {
    const schemas = new JsonSchemas(1);
    expect(() => schemas.checkTime(slow, 'data')).toThrow(/^data is no JSON Schema: it took more/);
    expect(() => new JsonSchemas(60_000).checkTime({ type: 'odd' }, 'data')).not.toThrow();
  });

  it('says of every value that the schema is none', () => {
    const schemas = new JsonSchemas(60_000);
    const odd = { type: 'odd' };
    for (const value of [1, {}]) {
      expect(schemas.violation(odd, value)).toMatch(/^it is no JSON Schema: schema is invalid/);
    }
    expect(schemas.violation({ type: 'number' }, 1)).toBeUndefined();
  });
});
