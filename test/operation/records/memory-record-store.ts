// A record store in memory for tests: what `RecordStore` promises, for one node.
import type { RecordKind } from '../../../src/store/record-kinds.js';
import type {
  RecordStore,
  RecordWrite,
  RecordWriteResult,
  StoredRecord,
  Unchanged,
} from '../../../src/store/record-store.js';

export class MemoryRecordStore implements RecordStore {
  readonly #records = new Map<string, Map<string, StoredRecord>>();
  #revision = 0;

  load(kind: RecordKind): Promise<{ records: StoredRecord[]; revision: number }> {
    const all = [...this.#of(kind).values()].filter(({ text }) => text !== undefined);
    return Promise.resolve({ records: all, revision: this.#revision });
  }

  changes(
    kind: RecordKind,
    revision: number,
  ): Promise<{ records: StoredRecord[]; revision: number }> {
    const changed = [...this.#of(kind).values()].filter((each) => each.revision > revision);
    changed.sort((a, b) => a.revision - b.revision);
    return Promise.resolve({ records: changed, revision: this.#revision });
  }

  revisions(): Promise<ReadonlyMap<string, number>> {
    return Promise.resolve(
      new Map([...this.#records.keys()].map((kind) => [kind, this.#revision])),
    );
  }

  write(writes: readonly RecordWrite[], unchanged?: Unchanged): Promise<RecordWriteResult> {
    if (unchanged !== undefined && this.#hasChanged(writes[0]?.kind ?? '', unchanged)) {
      return Promise.resolve({ outcome: 'refused', index: -1 });
    }
    const index = writes.findIndex((write) => !this.#holds(write));
    if (index >= 0) return Promise.resolve({ outcome: 'refused', index });
    const revision = ++this.#revision;
    for (const { kind, id, text } of writes) this.#of(kind).set(id, { id, text, revision });
    return Promise.resolve({ outcome: 'stored', revision });
  }

  onChange(): Promise<void> {
    return Promise.resolve();
  }

  process(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  #hasChanged(kind: string, { since, idEnd }: Unchanged): boolean {
    const all = [...this.#of(kind).values()];
    return all.some(({ id, revision }) => revision > since && id.endsWith(idEnd));
  }

  #holds({ kind, id, condition }: RecordWrite): boolean {
    const known = this.#of(kind).get(id);
    const isThere = known?.text !== undefined;
    if (condition === 'absent') return !isThere;
    if (condition === 'present') return isThere;
    return condition === undefined || (isThere && known?.revision === condition);
  }

  #of(kind: string): Map<string, StoredRecord> {
    let records = this.#records.get(kind);
    if (records === undefined) this.#records.set(kind, (records = new Map()));
    return records;
  }
}
