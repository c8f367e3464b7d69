// Turns a commit into what has to be done in the store: commands on the execution's own keys, and
// changes of the sets around it (indexes, timers, expiry), which `commit-call.ts` groups over a
// batch. Everything is encoded at once and synchronously, so the execution may move on while the
// batch is under way.
import { randomBytes } from 'node:crypto';
import type { DefinitionSnapshot, Execution } from '../model/execution.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { ExecutionId } from '../std/ids.js';
import type { Commit, Fence, QueueMove } from '../store/execution-store.js';
import {
  allFields,
  changedFields,
  compactFields,
  fieldBytes,
  type FieldValue,
} from './codec/execution-fields.js';
import { packRecord } from './codec/record.js';
import { shardScore } from './codec/shard-score.js';
import { shortIdOf } from './codec/short-id.js';
import type { Keys } from './keys.js';
import { storedFormOf, type StoredForm } from './stored-form.js';

export interface CommitLimits {
  /** Bytes of one commit's fields above which they are written ahead in segments. */
  readonly commitBytesMax: number;
  /** Bytes of one write of such fields. */
  readonly segmentWriteBytesMax: number;
  /** Bytes of a compact record above which a finished execution keeps its hash. */
  readonly compactBytesMax: number;
  /**
   * Tasks from which a finished execution keeps its hash without asking how large a compact record
   * would be.
   */
  readonly compactTasksMax: number;
  /** How long an idempotency record outlives its finished execution, ms. */
  readonly idempotencyGraceMs: number;
}

export const commitLimits: CommitLimits = {
  commitBytesMax: 256 * 1024,
  segmentWriteBytesMax: 128 * 1024,
  compactBytesMax: 256 * 1024,
  compactTasksMax: 500,
  idempotencyGraceMs: 24 * 3600 * 1000,
};

/** At most so many task logs are removed with an execution; the rest expire by themselves. */
const logsRemovedMax = 1000;

/** Fields written ahead of a large commit into a segment. */
export interface StagedSegment {
  readonly key: string;
  /** One entry per write, each bounded. */
  readonly writes: readonly (readonly FieldValue[])[];
}

/** A command as `commit.lua` calls it; the key comes second. */
export type Command = readonly [name: string, key: string, ...args: FieldValue[]];

/** A member of a set that many commits of a batch may share, so that they are grouped. */
export interface SetChange {
  readonly command: 'ZADD' | 'ZREM';
  readonly key: string;
  /** 0 for ZREM. */
  readonly score: number;
  readonly member: string;
}

export interface EncodedCommit {
  readonly id: ExecutionId;
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

export class CommitEncoder {
  constructor(
    private readonly keys: Keys,
    private readonly limits: CommitLimits,
    /** Epoch ms. */
    private readonly now: () => number,
  ) {}

  encode(commit: Commit): EncodedCommit {
    const form = storedFormOf(commit.execution);
    const draft = new Draft(commit, form, this.keys);
    if (commit.remove) this.#remove(draft);
    else if (commit.compactUntilAt !== undefined) this.#finish(draft, commit.compactUntilAt);
    else this.#change(draft);
    draft.outbox();
    return draft;
  }

  #change(draft: Draft): void {
    const { form, commit } = draft;
    draft.unexpire();
    draft.index();
    draft.idempotency();
    draft.countSnapshot();
    if (form.compact || commit.rewrite) {
      draft.clear();
      form.taskDefs.clear();
      form.compact = false;
      this.#write(draft, allFields(commit.execution, form.taskDefs));
    } else this.#writeChanges(draft);
  }

  #finish(draft: Draft, untilAt: number): void {
    const { form, commit } = draft;
    draft.index();
    draft.idempotency();
    draft.countSnapshot();
    draft.expire(untilAt, this.limits.idempotencyGraceMs);
    const compact = this.#compactFields(commit.execution);
    if (compact !== undefined) {
      draft.clear();
      draft.write(compact);
      form.compact = true;
      form.taskDefs.clear();
    } else if (form.compact) {
      draft.clear();
      form.compact = false;
      this.#write(draft, allFields(commit.execution, form.taskDefs));
    } else this.#writeChanges(draft);
  }

  #writeChanges(draft: Draft): void {
    const { form, commit } = draft;
    const { fields, removed } = changedFields(commit.execution, commit.changes, form.taskDefs);
    draft.removeFields(removed);
    this.#write(draft, fields);
  }

  #write(draft: Draft, fields: FieldValue[]): void {
    if (fieldBytes(fields) > this.limits.commitBytesMax) {
      draft.stage(fields, this.limits.segmentWriteBytesMax);
    } else draft.write(fields);
  }

  /** undefined when the record would be too large to be read and written as a whole. */
  #compactFields(execution: Execution): FieldValue[] | undefined {
    if (execution.tasks.length > this.limits.compactTasksMax) return undefined;
    const compact = compactFields(execution);
    return fieldBytes(compact) > this.limits.compactBytesMax ? undefined : compact;
  }

  #remove(draft: Draft): void {
    draft.clear();
    draft.unindex();
    draft.removeLogs();
    draft.expireIdempotency(this.now() + this.limits.idempotencyGraceMs);
    draft.formerSnapshot = draft.form.snapshotHash;
    draft.form.snapshotHash = '';
  }
}

/** Arguments of one command: `commit.lua` calls it with all of them at once. */
const argumentsMax = 128;

/** A commit while it is being encoded. */
class Draft implements EncodedCommit {
  readonly id: ExecutionId;
  readonly fence: Fence;
  readonly head: string;
  readonly nextHead: string;
  readonly removes: boolean;
  readonly moves: readonly QueueMove[];
  readonly partition: number;
  readonly key: string;
  readonly commands: Command[] = [];
  readonly sets: SetChange[] = [];
  staged: StagedSegment | undefined;
  snapshot: DefinitionSnapshot | undefined;
  formerSnapshot = '';
  recordEnd: { key: string; at: number } | undefined;
  bytes = 0;
  readonly #shortId: string;

  constructor(
    readonly commit: Commit,
    readonly form: StoredForm,
    private readonly all: Keys,
  ) {
    this.id = commit.execution.id;
    this.fence = commit.fence;
    this.head = commit.head;
    this.nextHead = commit.nextHead;
    this.removes = commit.remove;
    this.moves = commit.moves;
    this.partition = all.partitionOf(commit.fence.shard);
    if (form.shortId === '') {
      form.shortId = shortIdOf(commit.execution.id);
      form.key = all.executionOf(this.partition, form.shortId);
    }
    this.#shortId = form.shortId;
    this.key = form.key;
  }

  /** The wake-up, the mark of the dirty set, and the place among the open ones. */
  outbox(): void {
    const { execution, fence, remove } = this.commit;
    const { shard } = fence;
    const wakeAt = remove ? 0 : this.commit.wakeAt;
    if (wakeAt !== undefined) {
      const key = this.all.timers(this.partition);
      if (wakeAt === 0) this.#drop(key);
      else this.#add(key, shardScore(shard, this.all.partitions, wakeAt));
    }
    const dirty = remove ? false : this.commit.dirty;
    if (dirty === true) this.#add(this.all.dirty(this.partition), shard);
    else if (dirty === false) this.#drop(this.all.dirty(this.partition));
    const isOpen = !remove && !isTerminalWorkflow(execution.state.status);
    if (isOpen === this.form.isOpen) return;
    this.form.isOpen = isOpen;
    if (isOpen) this.#add(this.all.open(this.partition), shard);
    else this.#drop(this.all.open(this.partition));
  }

  /** Index entries follow name, start, status and correlation id of the execution. */
  index(): void {
    const { form, partition } = this;
    const { snapshot, state, attributes } = this.commit.execution;
    const before = form.indexed;
    const { status, createTime: startedAt } = state;
    const { name } = snapshot.def;
    const { correlationId } = attributes;
    const restarted = before?.startedAt !== startedAt;
    const moved = restarted || before.status !== status || before.name !== name;
    if (moved) {
      if (before !== undefined && (before.status !== status || before.name !== name)) {
        this.#drop(this.all.named(partition, before.name, before.status));
        this.#drop(this.all.inStatus(partition, before.status));
      }
      this.#add(this.all.named(partition, name, status), startedAt);
      this.#add(this.all.inStatus(partition, status), startedAt);
    }
    const recorrelated = restarted || before.correlationId !== correlationId;
    if (recorrelated) {
      if (before?.correlationId !== undefined && before.correlationId !== correlationId) {
        this.#drop(this.all.correlated(partition, before.correlationId));
      }
      if (correlationId !== undefined) {
        this.#add(this.all.correlated(partition, correlationId), startedAt);
      }
    }
    if (moved || recorrelated) form.indexed = { name, status, startedAt, correlationId };
  }

  unindex(): void {
    const { form, partition } = this;
    const { indexed } = form;
    if (indexed !== undefined) {
      this.#drop(this.all.named(partition, indexed.name, indexed.status));
      this.#drop(this.all.inStatus(partition, indexed.status));
      if (indexed.correlationId !== undefined) {
        this.#drop(this.all.correlated(partition, indexed.correlationId));
      }
    }
    this.unexpire();
    form.indexed = undefined;
  }

  idempotency(): void {
    const { idempotency, execution, fence } = this.commit;
    if (!idempotency) return;
    const key = this.all.idempotency(fence.shard, idempotency.name, idempotency.key);
    this.commands.push(['SET', key, packRecord([1, execution.id, idempotency.counter])]);
  }

  expireIdempotency(at: number): void {
    const { execution, fence } = this.commit;
    const { idempotencyKey } = execution.attributes;
    if (idempotencyKey === undefined) return;
    const { name } = execution.snapshot.def;
    this.recordEnd = { key: this.all.idempotency(fence.shard, name, idempotencyKey), at };
  }

  countSnapshot(): void {
    const { snapshot } = this.commit.execution;
    const { form } = this;
    if (form.snapshotHash === snapshot.hash) return;
    this.snapshot = snapshot;
    this.formerSnapshot = form.snapshotHash;
    form.snapshotHash = snapshot.hash;
  }

  expire(untilAt: number, idempotencyGraceMs: number): void {
    const { shard } = this.commit.fence;
    this.#add(this.all.expiry(this.partition), shardScore(shard, this.all.partitions, untilAt));
    this.form.expires = true;
    this.expireIdempotency(untilAt + idempotencyGraceMs);
  }

  /** A finished execution moves again (retry, rerun, restart): it does not expire any more. */
  unexpire(): void {
    if (!this.form.expires) return;
    this.#drop(this.all.expiry(this.partition));
    this.form.expires = false;
  }

  /** Takes away everything that is stored under the execution's own keys. */
  clear(): void {
    // A first commit finds nothing there.
    if (this.commit.head !== '') this.commands.push(['UNLINK', this.key]);
    for (const segment of this.form.segments) {
      this.commands.push(['UNLINK', this.all.segment(this.key, segment)]);
    }
    this.form.segments = [];
  }

  write(fields: FieldValue[]): void {
    fields.push('h', this.commit.nextHead);
    this.#inParts('HSET', this.key, fields);
    this.bytes += fieldBytes(fields);
  }

  removeFields(removed: readonly string[]): void {
    if (removed.length === 0) return;
    this.#inParts('HDEL', this.key, removed);
    for (const segment of this.form.segments) {
      this.#inParts('HDEL', this.all.segment(this.key, segment), removed);
    }
  }

  /** Moves all but the header into a new segment that this commit makes current. */
  stage(fields: readonly FieldValue[], writeBytesMax: number): void {
    const segment = randomBytes(6).toString('hex');
    const kept: FieldValue[] = [];
    const replaced: string[] = [];
    const writes: FieldValue[][] = [];
    let write: FieldValue[] = [];
    let bytes = 0;
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i] as string;
      const value = fields[i + 1] as FieldValue;
      if (name === 'a' || name === 'x') {
        kept.push(name, value);
        continue;
      }
      // A field of the main hash wins over segments, so an older value must go.
      if (!this.commit.changes.created) replaced.push(name);
      if (bytes > 0 && bytes + value.length > writeBytesMax) {
        writes.push(write);
        write = [];
        bytes = 0;
      }
      write.push(name, value);
      bytes += value.length;
    }
    if (write.length > 0) writes.push(write);
    const key = this.all.segment(this.key, segment);
    this.removeFields(replaced);
    this.staged = { key, writes };
    this.form.segments = [...this.form.segments, segment];
    kept.push('g', packRecord([1, ...this.form.segments]));
    this.commands.push(['PERSIST', key]);
    this.write(kept);
  }

  removeLogs(): void {
    const { execution, fence } = this.commit;
    for (const task of execution.tasks.slice(0, logsRemovedMax)) {
      this.commands.push(['DEL', this.all.taskLog(fence.shard, execution.id, task.number)]);
    }
  }

  #inParts(name: string, key: string, args: readonly FieldValue[]): void {
    if (args.length <= argumentsMax) {
      this.commands.push([name, key, ...args]);
      return;
    }
    for (let first = 0; first < args.length; first += argumentsMax) {
      this.commands.push([name, key, ...args.slice(first, first + argumentsMax)]);
    }
  }

  #add(key: string, score: number): void {
    this.sets.push({ command: 'ZADD', key, score, member: this.#shortId });
  }

  #drop(key: string): void {
    this.sets.push({ command: 'ZREM', key, score: 0, member: this.#shortId });
  }
}
