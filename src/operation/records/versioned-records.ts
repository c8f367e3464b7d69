// Records that have a name and versions, such as schemas and prompts: one record per version, and
// an index of them by name in memory.
import { changedByOthers, changeRecord, removeWith, storeFirst } from './change-record.js';
import { nothingBesides, type Besides, type RecordTable } from './record-table.js';

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
    return await storeFirst(this.table, { record, idEnd: endOf(record.name), isTaken, besides });
  }

  /** Stores what `change` makes of a version that is there. As `changeRecord`. */
  async change(name: string, version: number, change: (known: T | undefined) => T): Promise<T> {
    return await changeRecord(this.table, versionId({ name, version }), change);
  }

  /**
   * Stores a new version: the one that is named, or one above all others. As `changeRecord`; but
   * nothing is stored where others have changed any version of the name: `create` is asked again.
   */
  add(name: string, create: (version: number) => T, version?: number): Promise<T | undefined> {
    return this.#inTurn(name, async () => {
      const number = version ?? (this.newest(name)?.version ?? 0) + 1;
      if (this.version(name, number) !== undefined) return { done: undefined };
      const record = create(number);
      return (await this.table.putUnchanged(record, endOf(name))) && { done: record };
    });
  }

  /** False when there is no such version. `besides`: with the last version of the name. */
  removeVersion(name: string, version: number, besides: () => Besides): Promise<boolean> {
    return this.#remove(
      name,
      () => this.versions(name).filter((it) => it.version === version),
      besides,
    );
  }

  /** Removes every version, with `besides`; false when there was none. */
  removeAll(name: string, besides: () => Besides): Promise<boolean> {
    return this.#remove(name, () => this.versions(name), besides);
  }

  /** Nothing that `removed` names is left out where others change the name meanwhile. */
  #remove(name: string, removed: () => readonly T[], besides: () => Besides): Promise<boolean> {
    return this.#inTurn(name, async () => {
      const leaving = removed();
      if (leaving.length === 0) return { done: false };
      const isLast = leaving.length === this.versions(name).length;
      const also = isLast ? besides() : nothingBesides;
      const ids = leaving.map(versionId);
      return (await removeWith(this.table, ids, also, endOf(name))) && { done: true };
    });
  }

  /** Tries until `attempt` resolves with what is done; false: others were faster. */
  #inTurn<R>(name: string, attempt: () => Promise<{ readonly done: R } | false>): Promise<R> {
    return this.table.turns.run(`versions of ${name}`, async () => {
      for (let tries = 0; tries < attemptsMax; tries++) {
        const tried = await attempt();
        if (tried !== false) return tried.done;
        await this.table.refresh();
      }
      throw changedByOthers(name);
    });
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

/** How the ids of all versions of a name end. */
function endOf(name: string): string {
  return versionId({ name, version: '' });
}

/** Id of a version; the number stands first because a name may hold anything. */
export function versionId({ name, version }: VersionOfName): string {
  return `${version}:${name}`;
}
