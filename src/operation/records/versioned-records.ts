// Records that have a name and versions, such as schemas and prompts: one record per version, and
// an index of them by name in memory.
import { writesMax, type RecordWrite } from '../../store/record-store.js';
import { changedByOthers, changeRecord, storeFirst } from './change-record.js';
import type { Besides, RecordTable } from './record-table.js';
import { partsOf } from '../../std/parts.js';

/** A version of a name; '' leaves out which one, as the end of all ids of the name does. */
interface VersionOfName {
  readonly name: string;
  readonly version: number | '';
}

export interface Versioned {
  readonly name: string;
  /** 1 or more. */
  readonly version: number;
}

const attemptsMax = 8;

export class VersionedRecords<T extends Versioned> {
  /** Oldest version first. */
  readonly #byName = new Map<string, readonly T[]>();

  constructor(private readonly table: RecordTable<T>) {
    table.onChange((id, record) => this.#changed(id, record));
  }

  /** Versions of all names together. */
  get size(): number {
    return this.table.size;
  }

  /** In no particular order. */
  names(): Iterable<string> {
    return this.#byName.keys();
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  newest(name: string): T | undefined {
    return this.#byName.get(name)?.at(-1);
  }

  version(name: string, version: number): T | undefined {
    return this.table.get(versionId({ name, version }));
  }

  /** Newest first. */
  versions(name: string): T[] {
    return [...(this.#byName.get(name) ?? [])].reverse();
  }

  /** Stores the first version of a name; false when another node was faster. As `storeFirst`. */
  async addFirst(record: T, besides: Besides): Promise<boolean> {
    const isTaken = (): boolean => this.#byName.has(record.name);
    const idEnd = versionId({ name: record.name, version: '' });
    return await storeFirst(this.table, { record, idEnd, isTaken, besides });
  }

  /** Stores what `change` makes of a version; `known` is what it was. As `changeRecord`. */
  async change(name: string, version: number, change: (known: T | undefined) => T): Promise<T> {
    return await changeRecord(this.table, versionId({ name, version }), change);
  }

  /** Stores a new version above all others. As `changeRecord`. */
  add(name: string, create: (version: number) => T): Promise<T> {
    return this.table.turns.run(`versions of ${name}`, () => this.#addInTurn(name, create));
  }

  async #addInTurn(name: string, create: (version: number) => T): Promise<T> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const record = create((this.newest(name)?.version ?? 0) + 1);
      if (await this.table.put(record, 'absent')) return record;
      await this.table.follow(Number.MAX_SAFE_INTEGER);
    }
    throw changedByOthers(name);
  }

  /** False when there is no such version. */
  async removeVersion(name: string, version: number): Promise<boolean> {
    return await this.table.remove(versionId({ name, version }));
  }

  /** Removes every version; false when there was none. */
  async removeAll(name: string): Promise<boolean> {
    const versions = this.versions(name);
    const writes: RecordWrite[] = versions.map((record) => ({
      kind: this.table.codec.kind,
      id: versionId(record),
      text: undefined,
    }));
    for (const some of partsOf(writes, writesMax)) {
      await this.table.write(some);
    }
    return versions.length > 0;
  }

  #changed(id: string, record: T | undefined): void {
    const colon = id.indexOf(':');
    const version = Number(id.slice(0, colon));
    const name = id.slice(colon + 1);
    const others = (this.#byName.get(name) ?? []).filter((each) => each.version !== version);
    const all = record === undefined ? others : [...others, record];
    if (all.length === 0) this.#byName.delete(name);
    else
      this.#byName.set(
        name,
        all.sort((a, b) => a.version - b.version),
      );
  }
}

/** Id of a version; the number stands first because a name may hold anything. */
export function versionId({ name, version }: VersionOfName): string {
  return `${version}:${name}`;
}
