import { Ajv2020 as Ajv } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { systemCaller } from '../../../src/model/caller.js';
import type { JsonMap } from '../../../src/model/json.js';
import { JsonSchemas } from '../../../src/operation/schemas/json-schema.js';
import { systemClock } from '../../../src/std/clock.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const slow = { allOf: Array.from({ length: 20_000 }, () => ({ type: 'object' })) };

function schemasWith(timeMsMax: number): JsonSchemas {
  return new JsonSchemas(timeMsMax, systemClock);
}

describe('the check of values', () => {
  it('refuses what takes too long to read, and nothing else before it is used', async () => {
    await expect(schemasWith(1).checkTime(systemCaller, slow, 'data')).rejects.toThrow(
      /^data is no JSON Schema: it took more/,
    );
    await schemasWith(60_000).checkTime(systemCaller, { type: 'odd' }, 'data');
  });

  it('says of every value that the schema is none', () => {
    const schemas = schemasWith(60_000);
    const odd = { type: 'odd' };
    for (const value of [1, {}]) {
      expect(schemas.violation(odd, value)).toMatch(/^it is no JSON Schema: schema is invalid/);
    }
    expect(schemas.violation({ type: 'number' }, 1)).toBeUndefined();
  });

  it('reads a slow schema again after a while, not for each value', () => {
    const clock = new VirtualClock();
    const schemas = new JsonSchemas(1, clock);
    let reads = 0;
    const watched = {
      get allOf() {
        return (reads += 1) > 0 ? slow.allOf : [];
      },
    };
    expect(schemas.violation(watched, {})).toMatch(/took more than 1 ms/);
    const readsOfOne = reads;
    expect(schemas.violation(watched, {})).toMatch(/took more than 1 ms/);
    expect(reads).toBe(readsOfOne);
    clock.advance(10_000);
    expect(schemas.violation(watched, {})).toMatch(/took more than 1 ms/);
    expect(reads).toBe(2 * readsOfOne);
  });

  it('keeps small schemas compiled, and large ones as far as their texts have space', () => {
    const schemas = schemasWith(60_000);
    let reads = 0;
    const watched = (description: string): JsonMap => ({
      get type() {
        reads += 1;
        return 'object';
      },
      description,
    });
    const readsOf = (schema: JsonMap): number => {
      const before = reads;
      expect(schemas.violation(schema, {})).toBeUndefined();
      return reads - before;
    };
    const [small, large, other] = ['', 'a', 'b'].map((text) => watched(text.repeat(3_000_000)));
    if (small === undefined || large === undefined || other === undefined) throw new Error();
    for (const schema of [small, large]) {
      expect(readsOf(schema)).toBeGreaterThan(0);
      expect(readsOf(schema)).toBe(0);
    }
    expect(readsOf(other)).toBeGreaterThan(0);
    expect(readsOf(large)).toBeGreaterThan(0);
  });

  it('knows what a schema has left unevaluated', () => {
    const schemas = schemasWith(60_000);
    const closed = {
      allOf: [{ properties: { a: { type: 'string' } } }],
      unevaluatedProperties: false,
    };
    expect(schemas.violation(closed, { a: 'x' })).toBeUndefined();
    expect(schemas.violation(closed, { b: 'x' })).toMatch(/must NOT have unevaluated properties/);
  });

  it('reads a schema in a fraction of the time that the schema of schemas takes', () => {
    const schemas = schemasWith(60_000);
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
    const one = quickest(() => schemas.violation({ type: 'object', required: ['a'] }, { a: 1 }));
    expect(one).toBeLessThan(schemaOfSchemas / 4);
  });
});
