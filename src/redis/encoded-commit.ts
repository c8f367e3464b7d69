// A commit as it is to be written: made by `commit-encoder.ts`, put into calls by `commit-call.ts`.
import type { ExecutionId } from '../std/ids.js';
import type { DefinitionSnapshot } from '../model/execution.js';
import type { Fence, QueueMove } from '../store/execution-store.js';
import type { PackedArguments } from './codec/field-writer.js';
import type { ExecutionNames } from './stored-form.js';

/** Fields written ahead of a large commit into a segment. */
export interface StagedSegment {
  readonly key: string;
  /**
   * One list of names and values per write, packed, each bounded; a huge value, which is alone in
   * its write, is not copied behind its name.
   */
  readonly writes: readonly (readonly Buffer[])[];
}

/** A command as `commit.lua` calls it. All SETs of a call become one. */
export type Command =
  | { readonly name: 'SET'; readonly key: string; readonly args: PackedArguments }
  | {
      readonly name: 'HSET' | 'HDEL' | 'UNLINK' | 'PERSIST';
      readonly key: string;
      /** The arguments after the key, in the batch's packer; undefined: none. */
      readonly args: PackedArguments | undefined;
    };

/** A member of a set that many commits of a batch may share, so that they are grouped. */
export interface SetChange {
  readonly command: 'ZADD' | 'ZREM';
  readonly key: string;
  /** Of ZADD; 0 else. */
  readonly score: number;
  readonly member: Uint8Array;
}

export interface EncodedCommit {
  readonly id: ExecutionId;
  readonly names: ExecutionNames;
  readonly fence: Fence;
  /** Head that it builds on, and head that it makes. */
  readonly head: string;
  readonly nextHead: string;
  readonly removes: boolean;
  readonly partition: number;
  /** Key of the execution. */
  readonly key: string;
  /** Commands on the execution's own keys, in order. */
  readonly commands: readonly Command[];
  readonly sets: readonly SetChange[];
  /** Something has changed that a text index holds (change-lists.ts). */
  readonly isNoted: boolean;
  /** The snapshot to count for this execution; undefined when that does not change. */
  readonly snapshot: DefinitionSnapshot | undefined;
  /** Hash of the snapshot that it names no longer, '' = none. */
  readonly formerSnapshot: string;
  readonly staged: StagedSegment | undefined;
  /** Idempotency record that ends some time after this execution, epoch ms. */
  readonly recordEnd: { readonly key: string; readonly at: number } | undefined;
  readonly moves: readonly QueueMove[];
  /** Bytes that it takes on the way, nearly, without the snapshot's text. */
  readonly bytes: number;
}
