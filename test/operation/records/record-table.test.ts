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
