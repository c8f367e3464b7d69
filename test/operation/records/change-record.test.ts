// Changes of one record: those of a node take turns, those of other nodes are noticed.
import { describe, expect, it } from 'vitest';
import { changeRecord, storeFirst } from '../../../src/operation/records/change-record.js';
import {
  jsonCodec,
  nothingBesides,
  RecordTable,
} from '../../../src/operation/records/record-table.js';
import type { RecordStore } from '../../../src/store/record-store.js';
import { MemoryRecordStore } from './memory-record-store.js';

interface Counter {
  readonly id: string;
  readonly count: number;
}

const counting = (known: Counter | undefined): Counter => ({
  id: 'a',
  count: (known?.count ?? 0) + 1,
});

function tableOf(store: RecordStore): RecordTable<Counter> {
  return new RecordTable<Counter>(
    store,
    jsonCodec('role', ({ id }: Counter) => id),
  );
}

describe('changes of one record', () => {
  it('at the same time on one node are all kept', async () => {
    const table = tableOf(new MemoryRecordStore());
    const all = Array.from({ length: 50 }, () => changeRecord(table, 'a', counting));
    expect((await Promise.all(all)).map(({ count }) => count).sort((a, b) => a - b)).toEqual(
      all.map((_, i) => i + 1),
    );
  });

  it('go on after one that was refused', async () => {
    const table = tableOf(new MemoryRecordStore());
    const refusing = changeRecord(table, 'a', () => {
      throw new Error('no such thing');
    });
    const next = changeRecord(table, 'a', counting);
    await expect(refusing).rejects.toThrow('no such thing');
    expect(await next).toEqual({ id: 'a', count: 1 });
  });

  it('build on what another node has stored meanwhile', async () => {
    const store = new MemoryRecordStore();
    const other = tableOf(store);
    await changeRecord(other, 'a', counting);
    expect(await changeRecord(tableOf(store), 'a', counting)).toEqual({ id: 'a', count: 2 });
  });

  it('are given up, with nothing stored, while other nodes keep being faster', async () => {
    const store = new MemoryRecordStore();
    const other = tableOf(store);
    const table = tableOf({
      load: (kind) => store.load(kind),
      changes: (kind, revision) => store.changes(kind, revision),
      revisions: () => store.revisions(),
      onChange: () => store.onChange(),
      process: () => store.process(),
      write: async (writes) => {
        await changeRecord(other, 'a', counting);
        return await store.write(writes);
      },
    });
    const change = changeRecord(table, 'a', () => ({ id: 'a', count: -1 }));
    await expect(change).rejects.toMatchObject({ kind: 'unavailable' });
    expect(other.get('a')?.count).toBeGreaterThan(1);
  });

  it('that begin a name are stored at once beside a node that writes name after name', async () => {
    const store = new MemoryRecordStore();
    const other = tableOf(store);
    let written = 0;
    const table = tableOf({
      load: (kind) => store.load(kind),
      changes: (kind, revision) => store.changes(kind, revision),
      revisions: () => store.revisions(),
      onChange: () => store.onChange(),
      process: () => store.process(),
      // The other node is faster each time.
      write: async (writes, unchanged) => {
        const id = `${++written}:other`;
        await changeRecord(other, id, () => ({ id, count: 0 }));
        return await store.write(writes, unchanged);
      },
    });
    const first = (id: string): Promise<boolean> =>
      storeFirst(table, {
        record: { id, count: 1 },
        idEnd: ':a',
        isTaken: () => table.get('1:a') !== undefined,
        besides: nothingBesides,
      });
    expect(await first('1:a')).toBe(true);
    expect([written, table.get('1:a')?.count]).toEqual([1, 1]);
    // Another version is not stored beside it.
    expect(await first('2:a')).toBe(false);
    expect(written).toBe(1);
  });

  it('that begin a name are tried on while the store cannot tell what has changed', async () => {
    const store = new MemoryRecordStore();
    let left = 100;
    const table = tableOf({
      load: (kind) => store.load(kind),
      changes: (kind, revision) => store.changes(kind, revision),
      revisions: () => store.revisions(),
      onChange: () => store.onChange(),
      process: () => store.process(),
      write: async (writes, unchanged) => {
        if (left-- > 0) return { outcome: 'refused', index: -1 };
        return await store.write(writes, unchanged);
      },
    });
    const record = { id: '1:a', count: 1 };
    const first = { record, idEnd: ':a', isTaken: () => false, besides: nothingBesides };
    expect(await storeFirst(table, first)).toBe(true);
    expect([left, table.get('1:a')]).toEqual([-1, record]);
  });

  it('that begin a name are not stored beside another version of it', async () => {
    const store = new MemoryRecordStore();
    const other = tableOf(store);
    const table = tableOf({
      load: (kind) => store.load(kind),
      changes: (kind, revision) => store.changes(kind, revision),
      revisions: () => store.revisions(),
      onChange: () => store.onChange(),
      process: () => store.process(),
      write: async (writes, unchanged) => {
        await changeRecord(other, '2:a', () => ({ id: '2:a', count: 0 }));
        return await store.write(writes, unchanged);
      },
    });
    const isTaken = (): boolean => table.get('2:a') !== undefined;
    const record = { id: '1:a', count: 1 };
    const first = { record, idEnd: ':a', isTaken, besides: nothingBesides };
    expect(await storeFirst(table, first)).toBe(false);
    expect(table.get('1:a')).toBeUndefined();
  });
});
