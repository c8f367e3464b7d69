import { Ajv2020 as Ajv } from 'ajv/dist/2020.js';
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

  it('reads a schema in a fraction of the time that the schema of schemas takes', () => {
    const schemas = new JsonSchemas(60_000);
    const quickest = (work: () => void): number => {
      const times = Array.from({ length: 10 }, () => {
        const before = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      return Math.min(...times);
    };
    const schemaOfSchemas = quickest(() => void new Ajv().validateSchema({}));
    const one = quickest(() => schemas.check({ type: 'object', required: ['a'] }, 'data'));
    expect(one).toBeLessThan(schemaOfSchemas / 4);
  });
});
