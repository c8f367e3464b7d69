// A commit as it is to be written: made by `commit-encoder.ts`, put into calls by `commit-call.ts`.
import type { ExecutionId } from '../std/ids.js';
import type { DefinitionSnapshot } from '../model/execution.js';
import type { Fence, QueueMove } from '../store/execution-store.js';
import type { PackedArguments } from './codec/field-writer.js';
import type { Keys } from './keys.js';

/** Fields written ahead of a large commit into a segment. */
export interface StagedSegment {
  readonly key: string;
  /** One list of names and values per write, packed, each bounded. */
  readonly writes: readonly Buffer[];
}

/** A command as `commit.lua` calls it. */
export interface Command {
  readonly name: 'HSET' | 'HDEL' | 'SET' | 'UNLINK' | 'PERSIST';
  readonly key: string;
  /** What comes after the key, in the batch's packer; undefined: nothing. */
  readonly args: PackedArguments | undefined;
}

/** A member of a set that many commits of a batch may share, so that they are grouped. */
export interface SetChange {
  readonly command: 'ZADD' | 'ZREM' | 'RPUSH';
  readonly key: string;
  /** Of ZADD; 0 else. */
  readonly score: number;
  readonly member: string;
}

/** What a commit adds to the list of changed executions, beside the list's expiry. */
export function noteChanged(
  sets: SetChange[],
  keys: Keys,
  change: { readonly partition: number; readonly shortId: string; readonly now: number },
): void {
  const key = keys.changed(change.partition, Math.floor(change.now / minuteMs));
  sets.push({ command: 'RPUSH', key, score: 0, member: change.shortId });
}

export const minuteMs = 60_000;
/** How long a list of changed executions is kept after its newest entry. */
export const changedLifeMs = 10 * minuteMs;

export interface EncodedCommit {
  readonly id: ExecutionId;
  readonly shortId: string;
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
