// Administrative records: schedules, webhooks, users, grants and the like. They are few and small
// beside executions, so a node keeps all records of a kind in memory (operation/records) and the
// store is asked for changes only. Records of all kinds share one slot, so that one write may
// change several of them: all or none.
import type { RecordKind } from './record-kinds.js';

export interface StoredRecord {
  readonly id: string;
  /** JSON text; undefined: the record was removed. */
  readonly text: string | undefined;
  /** Revision of the write that made it. */
  readonly revision: number;
}

export interface RecordWrite {
  readonly kind: RecordKind;
  readonly id: string;
  /** JSON text; undefined removes the record. */
  readonly text: string | undefined;
  /**
   * A condition of the whole write, without which nothing is stored: `absent`, `present`, or the
   * revision that the record has (compare and set, invariants S26).
   */
  readonly condition?: 'absent' | 'present' | number;
}

export type RecordWriteResult =
  | { readonly outcome: 'stored'; readonly revision: number }
  /** The condition of `writes[index]` does not hold; -1: what must be unchanged has changed. */
  | { readonly outcome: 'refused'; readonly index: number };

/** Records of a kind that nobody may have changed or removed. */
export interface Unchanged {
  /** After this revision. */
  readonly since: number;
  /** How their ids end, as those of all versions of a name do. */
  readonly idEnd: string;
}

export interface RecordStore {
  /** All records of a kind, and the revision that they show at least. */
  load(kind: RecordKind): Promise<{ records: StoredRecord[]; revision: number }>;
  /** The records that writes after `revision` have changed or removed, oldest change first. */
  changes(
    kind: RecordKind,
    revision: number,
  ): Promise<{ records: StoredRecord[]; revision: number }>;
  /** Newest revision of each kind that has ever had a record. One command. */
  revisions(): Promise<ReadonlyMap<string, number>>;
  /**
   * Stores all of `writes` (at most `writesMax`) or none; durable when it resolves. With
   * `unchanged` none if one of those records, of the first one's kind, has changed; it may refuse
   * as well where very many others have.
   */
  write(writes: readonly RecordWrite[], unchanged?: Unchanged): Promise<RecordWriteResult>;
  /** Tells when a node has written records of a kind. Notices may be lost. */
  onChange(listener: (kind: string) => void): Promise<void>;
  /**
   * Which process answers for the records. After a failover another one does, which may lack the
   * newest writes and gives their revisions again. undefined: it does not say.
   */
  process(): Promise<string | undefined>;
}

/** Records of one write. */
export const writesMax = 1000;
