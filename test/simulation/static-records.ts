// Records that every node of a simulation knows alike, and that nobody changes.
import { RecordTable, type RecordCodec } from '../../src/operation/records/record-table.js';
import type { RecordStore } from '../../src/store/record-store.js';

/** To be loaded before its use. */
export function staticTable<T>(form: RecordCodec<T>, records: readonly T[]): RecordTable<T> {
  return new RecordTable(storeOf(form, records), form);
}

function storeOf<T>(form: RecordCodec<T>, records: readonly T[]): RecordStore {
  const texts = records.map((record) => ({
    ...{ id: form.idOf(record), text: form.write(record), revision: 1 },
  }));
  const all = { records: texts, revision: 1 };
  return {
    load: () => Promise.resolve(all),
    changes: () => Promise.resolve(all),
    revisions: () => Promise.resolve(new Map([[form.kind, 1]])),
    write: () => Promise.resolve({ outcome: 'refused', index: 0 }),
    onChange: () => Promise.resolve(),
    process: () => Promise.resolve(undefined),
  };
}
