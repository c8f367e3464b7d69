// The records of one kind in memory, parsed, read without waiting. A write goes to the store first,
// then to memory. Changes of other nodes come with `follow` (record-tables.ts), at the latest a
// second after they were stored. Records are never changed in place: a write replaces the object.
import type { Json } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { Chain } from '../../std/chain.js';
import { KeyedChain } from '../../std/keyed-chain.js';
import type { RecordKind } from '../../store/record-kinds.js';
import type { RecordStore, RecordWrite, StoredRecord } from '../../store/record-store.js';
import { checkRecordNames, isNamedEvery } from './record-names.js';

export interface RecordCodec<T> {
  readonly kind: RecordKind;
  /** Unique within the kind. */
  idOf(record: T): string;
  /** JSON text. */
  write(record: T): string;
  /** Reads what `write` wrote, also an older version of it. */
  read(text: string): T;
  /** The sealed part of a record; absent: none. */
  readonly sealed?: SealedPart<T>;
}

/** The part of a record that a key seals (access/secret-box.ts). */
export interface SealedPart<T> {
  /** undefined: this record has nothing to seal. */
  of(record: T): string | undefined;
  /** The owner of the sealed value. */
  owner(record: T): string;
  /** The record with the same part sealed anew. */
  with(record: T, sealed: string): T;
}

/** The sealed part of records that have it in the field `sealed`. */
export function sealedField<T extends { readonly sealed?: string }>(
  owner: (record: T) => string,
): SealedPart<T> {
  return {
    of: ({ sealed }) => sealed,
    owner,
    with: (record, sealed) => ({ ...record, sealed }),
  };
}

/** A record that is plain JSON as it is; integers of any size stay exact. */
export function jsonCodec<T>(
  kind: RecordKind,
  idOf: (record: T) => string,
  sealed?: SealedPart<T>,
): RecordCodec<T> {
  const write = (record: T): string => toJsonText(record as Json);
  const read = (text: string): T => parseJson(text) as T;
  return { kind, idOf, write, read, ...(sealed === undefined ? {} : { sealed }) };
}

/** Writes that are stored together with a record, and the other tables that show them. */
export interface Besides {
  readonly writes: readonly RecordWrite[];
  readonly tables: readonly Pick<RecordTable<unknown>, 'applied'>[];
}

export const nothingBesides: Besides = { writes: [], tables: [] };

/** How many records of a kind there may be, and how one more is refused. */
export interface RecordsBound {
  readonly max: number;
  /** `size`: how many there are. */
  readonly refusal: (size: number) => Error;
}

/** The calls that all tables of a node share. */
export interface TableLinks {
  /** Reads what others have changed of all kinds: rights depend on other ones. */
  refresh(): Promise<void>;
  /** Called after each write; resolves once the other nodes know it, and never rejects. */
  tellOthers(): Promise<void>;
}

interface Entry<T> {
  readonly record: T;
  readonly revision: number;
}

export class RecordTable<T> {
  /** Changes of this node that build on what a record was, one after the other per record. */
  readonly turns = new KeyedChain();
  /** Absent: there may be any number. */
  bound?: RecordsBound;
  /** New records that are being stored: of many at once none goes beyond the bound. */
  #coming = 0;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #listeners: ((id: string, record: T | undefined) => void)[] = [];
  /** Ids of records of earlier versions whose name means all of their type in a grant. */
  readonly #namedEvery = new Set<string>();
  /** Revisions of removals that `follow` has not passed yet. */
  readonly #removed = new Map<string, number>();
  #revision = 0;
  /** Reads and writes, one after the other. */
  readonly #turns = new Chain();
  /** A read of changes that has not begun yet. */
  #nextRead: Promise<void> | undefined;

  constructor(
    readonly store: RecordStore,
    readonly codec: RecordCodec<T>,
    /** Absent: it stands alone. */
    private readonly links?: TableLinks,
  ) {}

  /** Reads what others have changed. */
  async refresh(): Promise<void> {
    await (this.links?.refresh() ?? this.follow(Number.MAX_SAFE_INTEGER));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id)?.record;
  }

  /** The revision of a record, for a condition; 0 when there is none. */
  revisionOf(id: string): number {
    return this.#entries.get(id)?.revision ?? 0;
  }

  /** In no particular order. */
  *values(): IterableIterator<T> {
    for (const { record } of this.#entries.values()) yield record;
  }

  /** Whether a record has the name that means all of its type in a grant. */
  get hasNamedEvery(): boolean {
    return this.#namedEvery.size > 0;
  }

  *sealedParts(): IterableIterator<string> {
    const { sealed } = this.codec;
    if (sealed === undefined) return;
    for (const record of this.values()) {
      const part = sealed.of(record);
      if (part !== undefined) yield part;
    }
  }

  /**
   * Replaces each sealed part for which `seal` has another one. Rejects as `seal` does; what was
   * replaced until then stays.
   */
  async sealAnew(
    seal: (sealed: string, owner: string) => Promise<string | undefined>,
  ): Promise<void> {
    const { sealed } = this.codec;
    if (sealed === undefined) return;
    for (const record of [...this.values()]) {
      const revision = this.revisionOf(this.codec.idOf(record));
      const part = sealed.of(record);
      const again = part === undefined ? undefined : await seal(part, sealed.owner(record));
      // Another node that was faster has sealed it too.
      if (again !== undefined) await this.put(sealed.with(record, again), revision);
    }
  }

  /** Calls back after each change in memory, also of other nodes; undefined: removed. */
  onChange(listener: (id: string, record: T | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Reads all records; memory shows none afterwards that the store does not have. */
  async load(): Promise<void> {
    await this.#turns.run(async () => {
      // The store may lack what is known by now, but not what this node writes meanwhile.
      for (const [id, { record }] of this.#entries) this.#entries.set(id, { record, revision: 0 });
      this.#removed.clear();
      const { records, revision } = await this.store.load(this.codec.kind);
      const stored = new Set(records.map(({ id }) => id));
      const gone = [...this.#entries].filter(
        ([id, known]) => known.revision === 0 && !stored.has(id),
      );
      for (const [id] of gone) this.#apply({ id, text: undefined, revision: 0 });
      for (const record of records) this.#apply(record);
      this.#revision = revision;
    });
  }

  /**
   * Reads what others have changed, if the store has a newer revision of this kind than memory.
   * Those that ask before the read begins share it: a hundred callers cause two reads, not a
   * hundred in a row.
   */
  async follow(revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    this.#nextRead ??= this.#turns.run(async () => {
      this.#nextRead = undefined;
      const changed = await this.store.changes(this.codec.kind, this.#revision);
      for (const record of changed.records) this.#apply(record);
      this.#revision = Math.max(this.#revision, changed.revision);
      for (const [id, removedAt] of this.#removed) {
        if (removedAt <= this.#revision) this.#removed.delete(id);
      }
    });
    await this.#nextRead;
  }

  /**
   * Stores a record. False, and nothing is stored, when `condition` does not hold there; memory
   * shows by the next `follow` why.
   */
  async put(
    record: T,
    condition?: RecordWrite['condition'],
    besides: Besides = nothingBesides,
  ): Promise<boolean> {
    return await this.write([this.writeOf(record, condition), ...besides.writes], besides.tables);
  }

  /**
   * Stores a record. False, and nothing is stored, when a record of the kind whose id ends with
   * `idEnd` has changed since memory last followed the store.
   */
  async putUnchanged(
    record: T,
    idEnd: string,
    besides: Besides = nothingBesides,
  ): Promise<boolean> {
    const writes = [this.writeOf(record, 'absent'), ...besides.writes];
    return await this.write(writes, besides.tables, idEnd);
  }

  /** False, and nothing is removed, when there was none, or it has another revision than that. */
  async remove(id: string, condition: 'present' | number = 'present'): Promise<boolean> {
    return await this.write([{ kind: this.codec.kind, id, text: undefined, condition }]);
  }

  /**
   * The write that stores a record, for writes that change records of several kinds at once. Throws
   * AppError 'bad-request' for a new record whose name a grant would misread.
   */
  writeOf(record: T, condition?: RecordWrite['condition']): RecordWrite {
    const id = this.codec.idOf(record);
    if (!this.#entries.has(id)) checkRecordNames(this.codec.kind, record);
    const write = { kind: this.codec.kind, id, text: this.codec.write(record) };
    return condition === undefined ? write : { ...write, condition };
  }

  /**
   * Stores writes of this and other kinds, all or none; other tables see theirs with `applied`.
   * `idEnd`: none either when a record whose id ends so has changed since memory last followed the
   * store; the first write is of this kind then. Rejects with the refusal of its bound.
   */
  async write(
    writes: readonly RecordWrite[],
    others: Besides['tables'] = [],
    idEnd?: string,
  ): Promise<boolean> {
    const unchanged = idEnd === undefined ? undefined : { since: this.#revision, idEnd };
    const coming = writes.filter((write) => this.#isNew(write)).length;
    this.#requireRoom(coming);
    this.#coming += coming;
    try {
      const result = await this.store.write(writes, unchanged);
      if (result.outcome === 'refused') return false;
      for (const table of [this, ...others]) table.applied(writes, result.revision);
    } finally {
      this.#coming -= coming;
    }
    await this.links?.tellOthers();
    return true;
  }

  #isNew({ kind, id, text }: RecordWrite): boolean {
    return kind === this.codec.kind && text !== undefined && !this.#entries.has(id);
  }

  #requireRoom(coming: number): void {
    const { bound } = this;
    const size = this.#entries.size + this.#coming;
    if (bound !== undefined && coming > 0 && size + coming > bound.max) throw bound.refusal(size);
  }

  /** Memory follows writes that the store has taken; those of other kinds are passed over. */
  applied(writes: readonly RecordWrite[], revision: number): void {
    for (const { kind, id, text } of writes) {
      if (kind === this.codec.kind) this.#apply({ id, text, revision });
    }
  }

  #apply({ id, text, revision }: StoredRecord): void {
    const known = this.#entries.get(id);
    // A record that was read before a newer write of ours must not replace it, nor undo its
    // removal.
    if ((known?.revision ?? this.#removed.get(id) ?? 0) > revision) return;
    const record = text === undefined ? undefined : this.codec.read(text);
    if (record === undefined) {
      this.#entries.delete(id);
      this.#namedEvery.delete(id);
      this.#removed.set(id, revision);
    } else {
      this.#entries.set(id, { record, revision });
      if (isNamedEvery(this.codec.kind, record)) this.#namedEvery.add(id);
      this.#removed.delete(id);
    }
    for (const listener of this.#listeners) listener(id, record);
  }
}
