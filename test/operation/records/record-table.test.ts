import { describe, expect, it } from 'vitest';
import { jsonCodec, RecordTable } from '../../../src/operation/records/record-table.js';
import type { RecordStore, StoredRecord } from '../../../src/store/record-store.js';
import { MemoryRecordStore } from './memory-record-store.js';

interface Named {
  readonly name: string;
}

describe('a record table', () => {
  it('does not bring back what was removed while others were being read', async () => {
    let read: (found: { records: StoredRecord[]; revision: number }) => void = () => undefined;
    let revision = 0;
    const store: RecordStore = {
      load: async () => ({ records: [], revision: 0 }),
      changes: () => new Promise((resolve) => (read = resolve)),
      revisions: async () => new Map(),
      write: async () => ({ outcome: 'stored', revision: ++revision }),
      onChange: async () => undefined,
      process: async () => undefined,
    };
    const table = new RecordTable<Named>(
      store,
      jsonCodec('role', ({ name }: Named) => name),
    );
    await table.load();
    await table.put({ name: 'a' });
    const following = table.follow(1);
    await Promise.resolve();
    await table.remove('a');
    expect(table.get('a')).toBeUndefined();
    // The store was asked before the removal and answers after it.
    read({ records: [{ id: 'a', text: '{"name":"a"}', revision: 1 }], revision: 1 });
    await following;
    expect(table.get('a')).toBeUndefined();
    // Another node makes it again later.
    const again = table.follow(3);
    await Promise.resolve();
    read({ records: [{ id: 'a', text: '{"name":"a"}', revision: 3 }], revision: 3 });
    await again;
    expect(table.get('a')).toEqual({ name: 'a' });
  });

  it('shows after a load what the store has, and what it wrote meanwhile', async () => {
    const store = new MemoryRecordStore();
    const table = new RecordTable<Named & { readonly n: number }>(
      store,
      jsonCodec('role', ({ name }) => name),
    );
    for (const name of ['a', 'b', 'c', 'd']) await table.put({ name, n: 1 });
    // A failover: the store lacks all of it, and begins again with the revisions.
    const after = new MemoryRecordStore();
    await after.write([{ kind: 'role', id: 'a', text: '{"name":"a","n":2}' }]);
    store.load = async (kind) => {
      const loaded = await after.load(kind);
      await table.put({ name: 'c', n: 3 });
      await table.remove('d');
      return loaded;
    };
    store.write = (writes) => after.write(writes);
    await table.load();
    expect([...table.values()]).toEqual([
      { name: 'a', n: 2 },
      { name: 'c', n: 3 },
    ]);
    await after.write([{ kind: 'role', id: 'b', text: '{"name":"b","n":4}' }]);
    store.changes = (kind, revision) => after.changes(kind, revision);
    await table.follow(4);
    expect(table.get('b')).toEqual({ name: 'b', n: 4 });
  });

  it('reads once for all who ask before the read begins, and again for who asks later', async () => {
    const store = new MemoryRecordStore();
    const reads: (() => void)[] = [];
    const changes = store.changes.bind(store);
    store.changes = async (...all) => {
      const found = await changes(...all);
      await new Promise<void>((resolve) => reads.push(resolve));
      return found;
    };
    const table = new RecordTable<Named>(
      store,
      jsonCodec('role', ({ name }: Named) => name),
    );
    const readBegins = (nth: number): Promise<void> =>
      expect.poll(() => reads.length, { interval: 1 }).toBe(nth);
    const early = [1, 2, 3].map(() => table.follow(1));
    await readBegins(1);
    await store.write([{ kind: 'role', id: 'a', text: '{"name":"a"}' }]);
    const late = [1, 2, 3].map(() => table.follow(1));
    reads[0]?.();
    await Promise.all(early);
    expect(table.get('a')).toBeUndefined();
    await readBegins(2);
    reads[1]?.();
    await Promise.all(late);
    expect(table.get('a')).toEqual({ name: 'a' });
    expect(reads).toHaveLength(2);
  });
});
