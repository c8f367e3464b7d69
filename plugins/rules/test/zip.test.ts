// Archives that would take too much memory: what counts is all entries together.
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readZip } from '../src/zip.js';

const archiveOf = (sizes: readonly number[]): Buffer => {
  const entries = sizes.map((size, index) => [`f${index}`, Buffer.alloc(size, 65)] as const);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
};

describe('an archive', () => {
  it('is read up to the limit and refused past it, over all of its entries', async () => {
    const archive = archiveOf([600, 400]);
    const sizes = [...(await readZip(archive, 1000)).values()].map(({ length }) => length);
    expect(sizes).toEqual([600, 400]);
    await expect(readZip(archive, 999)).rejects.toThrow('too large once it is unpacked');
  });

  it('may have a thousand entries', async () => {
    const empty = (count: number): Buffer => archiveOf(new Array<number>(count).fill(0));
    expect((await readZip(empty(1000), 1)).size).toBe(1000);
    await expect(readZip(empty(1001), 1)).rejects.toThrow('more than 1000 entries');
  });
});
