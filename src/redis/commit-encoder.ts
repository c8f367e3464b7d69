// Turns a commit into what `scripts/commit.lua` takes: fields to write and remove, and the
// operations on the keys around the execution (indexes, idempotency, snapshot counts, expiry).
// Everything is encoded at once and synchronously, so the execution may move on while the batch is
// under way.
import { randomBytes } from 'node:crypto';
import type { DefinitionSnapshot, Execution } from '../model/execution.js';
import { taskIdOf } from '../std/ids.js';
import { toWorkflowDefJson } from '../model/workflow-def-json.js';
import type { Commit } from '../store/execution-store.js';
import {
  allFields,
  changedFields,
  compactFields,
  fieldBytes,
  type FieldValue,
} from './codec/execution-fields.js';
import { expiryMemberOf } from './codec/expiry-member.js';
import type { EnvelopeValue } from './codec/envelope.js';
import { packRecord, packText } from './codec/record.js';
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

/** Numbers of the operations in `commit.lua`. */
export const operationCode = {
  zadd: 1,
  zrem: 2,
  set: 3,
  del: 4,
  persist: 5,
  pexpireat: 6,
  expireIdempotency: 7,
  sadd: 8,
  srem: 9,
} as const;

const modeCode = { change: 0, replace: 1, remove: 2 } as const;

/** At most so many task logs are removed with an execution; the rest expire by themselves. */
const logsRemovedMax = 1000;

/** Fields written ahead of a large commit into a segment. */
export interface StagedSegment {
  readonly key: string;
  /** One entry per write, each bounded. */
  readonly writes: readonly (readonly FieldValue[])[];
}

export interface EncodedCommit {
  readonly commit: Commit;
  /** Execution key first; operations name the others by their offset. */
  readonly keys: readonly string[];
  readonly staged: StagedSegment | undefined;
  /** Bytes that it takes on the way, nearly; with the snapshot's text or without. */
  bytes(withSnapshotText: boolean): number;
  /** The snapshot to count for this execution; undefined when that does not change. */
  readonly snapshot: DefinitionSnapshot | undefined;
  /**
   * The commit as `commit.lua` takes it, from the index of the execution key on; with the
   * snapshot's text or without.
   */
  tuple(firstKey: number, withSnapshotText: boolean): EnvelopeValue;
}

type Operation = readonly (number | string | Buffer)[];

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
    draft.fields.push('h', commit.nextHead);
    return draft;
  }

  #change(draft: Draft): void {
    const { form, commit } = draft;
    if (form.compact || commit.rewrite) {
      draft.dropSegments();
      form.taskDefs.clear();
      draft.fields = allFields(commit.execution, form.taskDefs);
      draft.mode = modeCode.replace;
      form.compact = false;
    } else {
      const { fields, removed } = changedFields(commit.execution, commit.changes, form.taskDefs);
      draft.fields = fields;
      draft.removed = removed;
    }
    draft.unexpire();
    draft.index();
    draft.idempotency();
    draft.countSnapshot();
    if (fieldBytes(draft.fields) > this.limits.commitBytesMax) {
      draft.stage(this.limits.segmentWriteBytesMax);
    }
  }

  #finish(draft: Draft, untilAt: number): void {
    const { form, commit } = draft;
    draft.index();
    draft.idempotency();
    draft.countSnapshot();
    const compact = this.#compactFields(commit.execution);
    if (compact === undefined) {
      const { fields, removed } = form.compact
        ? { fields: allFields(commit.execution, form.taskDefs), removed: [] }
        : changedFields(commit.execution, commit.changes, form.taskDefs);
      draft.fields = fields;
      draft.removed = removed;
      if (form.compact) draft.mode = modeCode.replace;
      form.compact = false;
      if (fieldBytes(fields) > this.limits.commitBytesMax) {
        draft.stage(this.limits.segmentWriteBytesMax);
      }
    } else {
      draft.fields = compact;
      draft.mode = modeCode.replace;
      draft.dropSegments();
      form.compact = true;
      form.taskDefs.clear();
    }
    draft.expire(untilAt, this.limits.idempotencyGraceMs);
  }

  /** undefined when the record would be too large to be read and written as a whole. */
  #compactFields(execution: Execution): FieldValue[] | undefined {
    if (execution.tasks.length > this.limits.compactTasksMax) return undefined;
    const compact = compactFields(execution);
    return fieldBytes(compact) > this.limits.compactBytesMax ? undefined : compact;
  }

  #remove(draft: Draft): void {
    draft.mode = modeCode.remove;
    draft.unindex();
    draft.dropSegments();
    draft.removeLogs();
    draft.expireIdempotency(this.now() + this.limits.idempotencyGraceMs);
    draft.discountSnapshot(draft.form.snapshotHash);
    draft.form.snapshotHash = '';
  }
}

/** A commit while it is put together. */
class Draft implements EncodedCommit {
  fields: FieldValue[] = [];
  removed: string[] = [];
  mode: number = modeCode.change;
  readonly keys: string[];
  staged: StagedSegment | undefined;
  snapshot: DefinitionSnapshot | undefined;
  readonly #operations: Operation[] = [];
  #snapshotKey = 0;
  #referencesKey = 0;
  #discount: readonly [string, number, number] | undefined;
  #segmentOffsets: number[] | undefined;
  #stagedOffset: number | undefined;

  constructor(
    readonly commit: Commit,
    readonly form: StoredForm,
    private readonly all: Keys,
  ) {
    form.key ??= all.execution(commit.fence.shard, commit.execution.id);
    this.keys = [form.key];
    if (form.segments.length > 0) {
      this.#segmentOffsets = form.segments.map((segment) => this.#key(this.#segmentKey(segment)));
    }
  }

  bytes(withSnapshotText: boolean): number {
    const text = withSnapshotText && this.snapshot ? snapshotText(this.snapshot).length : 0;
    return fieldBytes(this.fields) + text;
  }

  tuple(firstKey: number, withSnapshotText: boolean): EnvelopeValue {
    const { head } = this.commit;
    if (
      this.#operations.length === 0 &&
      this.removed.length === 0 &&
      this.mode === modeCode.change &&
      !this.snapshot
    ) {
      return [firstKey, head, this.fields];
    }
    const rest = [
      this.removed.length > 0 ? this.removed : false,
      this.mode,
      this.#operations.length > 0 ? this.#operations : false,
      this.snapshot
        ? [
            this.snapshot.hash,
            this.#snapshotKey,
            withSnapshotText && snapshotText(this.snapshot),
            this.#referencesKey,
          ]
        : false,
      this.#discount ?? false,
      this.#segmentOffsets ?? false,
      this.#stagedOffset ?? false,
    ];
    return [firstKey, head, this.fields, rest];
  }

  /** The wake-up and the mark of the dirty set. */
  outbox(): void {
    const { execution, fence, remove } = this.commit;
    const wakeAt = remove ? 0 : this.commit.wakeAt;
    const dirty = remove ? false : this.commit.dirty;
    if (wakeAt !== undefined) {
      const key = this.all.timers(fence.shard);
      if (wakeAt === 0) this.#drop(key, execution.id);
      else this.#add(key, wakeAt, execution.id);
    }
    if (dirty !== undefined) {
      const code = dirty ? operationCode.sadd : operationCode.srem;
      this.#operations.push([code, this.#key(this.all.dirty(fence.shard)), execution.id]);
    }
  }

  /** Index entries follow name, start, status and correlation id of the execution. */
  index(): void {
    const { form } = this;
    const { id, snapshot, state, attributes } = this.commit.execution;
    const shard = this.commit.fence.shard;
    const before = form.indexed;
    const { status, createTime: startedAt } = state;
    const name = snapshot.def.name;
    const moved = before?.startedAt !== startedAt;
    if (moved || before.status !== status || before.name !== name) {
      if (before !== undefined && (before.status !== status || before.name !== name)) {
        this.#drop(this.all.named(shard, before.name, before.status), id);
        this.#drop(this.all.inStatus(shard, before.status), id);
      }
      this.#add(this.all.named(shard, name, status), startedAt, id);
      this.#add(this.all.inStatus(shard, status), startedAt, id);
    }
    const { correlationId } = attributes;
    if (before?.correlationId !== undefined && before.correlationId !== correlationId) {
      this.#drop(this.all.correlated(shard, before.correlationId), id);
    }
    if (correlationId !== undefined && (moved || before.correlationId !== correlationId)) {
      this.#add(this.all.correlated(shard, correlationId), startedAt, id);
    }
    if (
      moved ||
      before.status !== status ||
      before.name !== name ||
      before.correlationId !== correlationId
    ) {
      form.indexed = { name, status, startedAt, correlationId };
    }
  }

  unindex(): void {
    const { form } = this;
    const { id } = this.commit.execution;
    const shard = this.commit.fence.shard;
    const { indexed } = form;
    if (indexed !== undefined) {
      this.#drop(this.all.named(shard, indexed.name, indexed.status), id);
      this.#drop(this.all.inStatus(shard, indexed.status), id);
      if (indexed.correlationId !== undefined) {
        this.#drop(this.all.correlated(shard, indexed.correlationId), id);
      }
    }
    if (form.expiryMember !== '') this.#drop(this.all.expiry(shard), form.expiryMember);
    form.indexed = undefined;
    form.expiryMember = '';
  }

  idempotency(): void {
    const { idempotency, execution, fence } = this.commit;
    if (!idempotency) return;
    const key = this.all.idempotency(fence.shard, idempotency.name, idempotency.key);
    const record = packRecord([1, execution.id, idempotency.counter]);
    this.#operations.push([operationCode.set, this.#key(key), record]);
  }

  expireIdempotency(at: number): void {
    const { execution, fence } = this.commit;
    const key = execution.attributes.idempotencyKey;
    if (key === undefined) return;
    const record = this.all.idempotency(fence.shard, execution.snapshot.def.name, key);
    this.#operations.push([
      operationCode.expireIdempotency,
      this.#key(record),
      String(at),
      execution.id,
    ]);
  }

  countSnapshot(): void {
    const { snapshot } = this.commit.execution;
    if (this.form.snapshotHash === snapshot.hash) return;
    this.snapshot = snapshot;
    this.#snapshotKey = this.#key(this.all.snapshot(this.commit.fence.shard, snapshot.hash));
    this.#referencesKey = this.#key(this.all.snapshotReferences(this.commit.fence.shard));
    if (this.form.snapshotHash !== '') this.discountSnapshot(this.form.snapshotHash);
    this.form.snapshotHash = snapshot.hash;
  }

  discountSnapshot(hash: string): void {
    if (hash === '') return;
    const { shard } = this.commit.fence;
    this.#discount = [
      hash,
      this.#key(this.all.snapshot(shard, hash)),
      this.#key(this.all.snapshotReferences(shard)),
    ];
  }

  expire(untilAt: number, idempotencyGraceMs: number): void {
    const { execution, fence } = this.commit;
    const expiry = this.all.expiry(fence.shard);
    const member = expiryMemberOf(execution, this.form.segments);
    if (this.form.expiryMember !== '' && this.form.expiryMember !== member) {
      this.#drop(expiry, this.form.expiryMember);
    }
    this.#add(expiry, untilAt, member);
    this.#operations.push([operationCode.pexpireat, 0, String(untilAt)]);
    for (const segment of this.form.segments) {
      const key = this.#key(this.#segmentKey(segment));
      this.#operations.push([operationCode.pexpireat, key, String(untilAt)]);
    }
    this.form.expiryMember = member;
    this.expireIdempotency(untilAt + idempotencyGraceMs);
  }

  /** A finished execution moves again (retry, rerun, restart): it does not expire any more. */
  unexpire(): void {
    if (this.form.expiryMember === '') return;
    this.#drop(this.all.expiry(this.commit.fence.shard), this.form.expiryMember);
    this.#operations.push([operationCode.persist, 0]);
    for (const segment of this.form.segments) {
      this.#operations.push([operationCode.persist, this.#key(this.#segmentKey(segment))]);
    }
    this.form.expiryMember = '';
  }

  /** Moves all but the header into a new segment that this commit makes current. */
  stage(writeBytesMax: number): void {
    const segment = randomBytes(6).toString('hex');
    const kept: FieldValue[] = [];
    const writes: FieldValue[][] = [];
    let write: FieldValue[] = [];
    let bytes = 0;
    for (let i = 0; i < this.fields.length; i += 2) {
      const name = this.fields[i] as string;
      const value = this.fields[i + 1] as FieldValue;
      if (name === 'a' || name === 'x') {
        kept.push(name, value);
        continue;
      }
      // A field of the main hash wins over segments, so an older value must go.
      if (!this.commit.changes.created) this.removed.push(name);
      if (bytes > 0 && bytes + value.length > writeBytesMax) {
        writes.push(write);
        write = [];
        bytes = 0;
      }
      write.push(name, value);
      bytes += value.length;
    }
    if (write.length > 0) writes.push(write);
    const key = this.#segmentKey(segment);
    this.staged = { key, writes };
    this.form.segments = [...this.form.segments, segment];
    kept.push('g', packRecord([1, ...this.form.segments]));
    this.fields = kept;
    this.#stagedOffset = this.#key(key);
    this.#operations.push([operationCode.persist, this.#stagedOffset]);
  }

  dropSegments(): void {
    for (const segment of this.form.segments) {
      this.#operations.push([operationCode.del, this.#key(this.#segmentKey(segment))]);
    }
    this.form.segments = [];
    this.#segmentOffsets = undefined;
  }

  removeLogs(): void {
    const { execution, fence } = this.commit;
    for (const task of execution.tasks.slice(0, logsRemovedMax)) {
      const key = this.all.taskLog(fence.shard, taskIdOf(execution.id, task.number));
      this.#operations.push([operationCode.del, this.#key(key)]);
    }
  }

  #segmentKey(segment: string): string {
    return this.all.segment(this.commit.fence.shard, this.commit.execution.id, segment);
  }

  /** Offset of a key from the execution's. */
  #key(key: string): number {
    return this.keys.push(key) - 1;
  }

  #add(key: string, score: number, member: string): void {
    // As text: Lua would print a number with the digits of a fraction.
    this.#operations.push([operationCode.zadd, this.#key(key), String(score), member]);
  }

  #drop(key: string, member: string): void {
    this.#operations.push([operationCode.zrem, this.#key(key), member]);
  }
}

/** Stored text of a snapshot. */
function snapshotText(snapshot: DefinitionSnapshot): string {
  return packText(toWorkflowDefJson(snapshot.def));
}
