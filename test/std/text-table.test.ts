import { describe, expect, it } from 'vitest';
import { TextTable } from '../../src/std/text-table.js';

describe('a table of texts', () => {
  it('holds a long key in as much room as a short one', () => {
    const table = new TextTable<number>({ entriesMax: 1000 });
    for (let i = 0; i < 20; i++) table.set('x'.repeat(1_000_000) + i, i);
    expect(table.size).toBe(20);
    expect(table.bytes).toBeLessThan(20 * 300);
    expect(table.get('x'.repeat(1_000_000) + 7)).toBe(7);
    expect(table.get('x'.repeat(1_000_000))).toBeUndefined();
  });

  it('forgets what was used longest ago, beyond its entries and beyond its bytes', () => {
    const few = new TextTable<number>({ entriesMax: 3 });
    for (const [i, key] of ['a', 'b', 'c'].entries()) few.set(key, i);
    few.get('a');
    few.set('d', 3);
    expect(['a', 'b', 'c', 'd'].map((key) => few.get(key))).toEqual([0, undefined, 2, 3]);
    const bytesOf = (text: string): number => text.length;
    const light = new TextTable<string>({ entriesMax: 100, bytesMax: 2000, bytesOf });
    for (let i = 0; i < 10; i++) light.set(`k${i}`, 'v'.repeat(500));
    expect(light.bytes).toBeLessThanOrEqual(2000);
    expect(light.get('k9')).toHaveLength(500);
    expect(light.get('k0')).toBeUndefined();
    light.set('huge', 'v'.repeat(5000));
    expect(light.get('huge')).toBeUndefined();
    expect(light.get('k9')).toHaveLength(500);
  });

  it('counts what leaves', () => {
    const table = new TextTable<string>({ entriesMax: 10, bytesOf: (text) => text.length });
    table.set('a', 'v'.repeat(100));
    table.set('a', 'w');
    table.set('b', 'w');
    table.delete('a');
    table.delete('never');
    const { bytes } = table;
    table.set('c', 'w');
    expect(table.bytes).toBe(2 * bytes);
    table.clear();
    expect([table.bytes, table.size]).toEqual([0, 0]);
  });
});
