// Turns a commit into what has to be done in the store: commands on the execution's own keys, and
// changes of the sets around it (indexes, timers, expiry), which `commit-call.ts` groups over a
// batch. Everything is encoded at once and synchronously, so the execution may move on while the
// batch is under way; the bytes of all fields of a batch stand in one packer.
import { nameOfKeys } from '../model/name-registration.js';
import { randomBytes } from 'node:crypto';
import type { DefinitionSnapshot, Execution } from '../model/execution.js';
import type { ExecutionId } from '../std/ids.js';
import type { Commit, Fence, QueueMove } from '../store/execution-store.js';
import { writeCompact } from './codec/compact-record.js';
import { writeAll, writeChanges, type FieldNotes } from './codec/execution-fields.js';
import type { FieldWriter, PackedArguments } from './codec/field-writer.js';
import type { Packer } from './codec/packer.js';
import { packRecord } from './codec/record.js';
import { dueScore, indexScore, noWakeUp } from './codec/scores.js';
import { shortIdOf } from './codec/short-id.js';
import {
  cutIntoPieces,
  markOf,
  pieceName,
  pieceNames,
  textPieceBytes,
  type TextPieces,
} from './codec/text-pieces.js';
import type { Command, EncodedCommit, SetChange, StagedSegment } from './encoded-commit.js';
import type { Keys } from './keys.js';
import {
  indexedFormOf,
  namesOf,
  storedFormOf,
  type ExecutionNames,
  type StoredForm,
} from './stored-form.js';

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

export class CommitEncoder {
  constructor(
    private readonly keys: Keys,
    private readonly limits: CommitLimits,
    /** Epoch ms. */
    private readonly now: () => number,
  ) {}

  /** `fields` writes into the packer of the batch. */
  encode(commit: Commit, fields: FieldWriter): EncodedCommit {
    const draft = new Draft(commit, this.keys, fields);
    if (commit.remove) this.#remove(draft);
    else {
      draft.index();
      draft.idempotency();
      draft.countSnapshot();
      if (commit.compactUntilAt !== undefined) this.#finish(draft, commit.compactUntilAt);
      else if (draft.form.compact || commit.rewrite) this.#writeAll(draft);
      else this.#writeChanges(draft);
    }
    draft.outbox();
    return draft;
  }

  #finish(draft: Draft, untilAt: number): void {
    draft.expireIdempotency(untilAt + this.limits.idempotencyGraceMs);
    const { execution, nextHead } = draft.commit;
    if (execution.tasks.length <= this.limits.compactTasksMax && !this.#hasHugeText(execution)) {
      const { packer } = draft.fields;
      const start = packer.position;
      writeCompact(execution, nextHead, packer);
      if (packer.position - start <= this.limits.compactBytesMax) return draft.compact(start);
      packer.position = start;
    }
    if (draft.form.compact) this.#writeAll(draft);
    else this.#writeChanges(draft);
  }

  /** One text alone is larger than a compact record may be: it is not written to find that out. */
  #hasHugeText({ tasks, input }: Execution): boolean {
    const { compactBytesMax } = this.limits;
    if (input.size > compactBytesMax) return true;
    return tasks.some((task) => Math.max(task.input.size, task.output.size) > compactBytesMax);
  }

  #writeAll(draft: Draft): void {
    draft.form.taskDefs.clear();
    draft.fields.begin();
    writeAll(draft.commit.execution, draft.notes, draft.fields);
    draft.clear();
    draft.form.compact = false;
    this.#write(draft);
  }

  #writeChanges(draft: Draft): void {
    const { execution, changes } = draft.commit;
    draft.fields.begin();
    const removed = writeChanges(execution, changes, draft.notes, draft.fields);
    this.#write(draft);
    draft.removeFields(removed);
  }

  #write(draft: Draft): void {
    if (draft.fields.hasApart || draft.fields.bytes > this.limits.commitBytesMax) {
      draft.stage(this.limits.segmentWriteBytesMax);
    } else draft.write();
  }

  #remove(draft: Draft): void {
    draft.clear();
    draft.unindex();
    draft.removeFiles();
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
  readonly form: StoredForm;
  readonly commands: Command[] = [];
  readonly sets: SetChange[] = [];
  isNoted = false;
  staged: StagedSegment | undefined;
  snapshot: DefinitionSnapshot | undefined;
  formerSnapshot = '';
  recordEnd: { key: string; at: number } | undefined;
  bytes = 0;
  readonly names: ExecutionNames;

  constructor(
    readonly commit: Commit,
    private readonly all: Keys,
    readonly fields: FieldWriter,
  ) {
    const form = storedFormOf(commit.execution);
    this.form = form;
    this.id = commit.execution.id;
    this.fence = commit.fence;
    this.head = commit.head;
    this.nextHead = commit.nextHead;
    this.removes = commit.remove;
    this.moves = commit.moves;
    this.partition = all.partitionOf(commit.fence.shard);
    this.names = form.names ??= namesOf(shortIdOf(commit.execution.id), this.partition, all);
    this.key = this.names.key;
  }

  get notes(): FieldNotes {
    return { taskDefs: this.form.taskDefs, load: this.commit.load };
  }

  /** The next wake-up, or the moment when it goes, and the mark of the dirty set. */
  outbox(): void {
    const { commit, form, partition } = this;
    const { shard } = commit.fence;
    const place = this.all.placeOf(shard);
    const due = this.all.due(partition);
    if (commit.remove) {
      this.#drop(due);
      form.due = 'absent';
    } else if (commit.compactUntilAt !== undefined) {
      this.#add(due, dueScore(place, true, commit.compactUntilAt));
      form.due = 'finished';
    } else if (commit.wakeAt !== undefined || form.due !== 'open') {
      const wakeAt = commit.wakeAt ?? 0;
      this.#add(due, dueScore(place, false, wakeAt === 0 ? noWakeUp : wakeAt));
      form.due = 'open';
    }
    const dirty = commit.remove ? false : commit.dirty;
    if (dirty === true) this.#add(this.all.dirty(partition), shard);
    else if (dirty === false) this.#drop(this.all.dirty(partition));
  }

  /** Index entries follow name, start, status, correlation id and starter of the execution. */
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
      if (before !== undefined && before.name !== name) {
        this.#drop(this.all.named(partition, before.name));
      }
      const score = indexScore(status, startedAt);
      this.#add(this.all.named(partition, name), score);
      this.#add(this.all.all(partition), score);
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
    const after = indexedFormOf(this.commit.execution);
    if (before?.openOf !== after.openOf) {
      if (before?.openOf !== undefined) this.#drop(this.all.openOf(partition, before.openOf));
      if (after.openOf !== undefined)
        this.#add(this.all.openOf(partition, after.openOf), startedAt);
    }
    this.isNoted =
      moved ||
      recorrelated ||
      before.input !== after.input ||
      before.output !== after.output ||
      before.reason !== after.reason ||
      before.failed !== after.failed;
    if (this.isNoted) form.indexed = after;
  }

  unindex(): void {
    const { form, partition } = this;
    const { indexed } = form;
    if (indexed === undefined) return;
    this.#drop(this.all.named(partition, indexed.name));
    this.#drop(this.all.all(partition));
    if (indexed.correlationId !== undefined) {
      this.#drop(this.all.correlated(partition, indexed.correlationId));
    }
    if (indexed.openOf !== undefined) this.#drop(this.all.openOf(partition, indexed.openOf));
    form.indexed = undefined;
    this.isNoted = true;
  }

  idempotency(): void {
    const { idempotency, execution, fence } = this.commit;
    if (!idempotency) return;
    const key = this.all.idempotency(fence.shard, idempotency.name, idempotency.key);
    const { packer } = this.fields;
    const start = packer.position;
    packer.bytes(packRecord([1, execution.id, idempotency.counter]));
    this.commands.push({ name: 'SET', key, args: { start, end: packer.position, count: 1 } });
  }

  expireIdempotency(at: number): void {
    const { execution, fence } = this.commit;
    const { idempotencyKey, nameOwner } = execution.attributes;
    if (idempotencyKey === undefined) return;
    const name = nameOfKeys(execution.snapshot.def.name, nameOwner);
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

  /** Takes away everything that is stored under the execution's own keys. */
  clear(): void {
    // A first commit finds nothing there.
    if (this.commit.head !== '') this.#unlink(this.key);
    this.#dropSegments();
  }

  /** Records of files. */
  removeFiles(): void {
    this.#unlink(this.all.filesOf(this.key));
  }

  #dropSegments(): void {
    for (const segment of this.form.segments) this.#unlink(this.all.segment(this.key, segment));
    this.form.segments = [];
    this.form.pieces = undefined;
  }

  /** The compact record, which stands in the packer from `start` on, replaces what is stored. */
  compact(start: number): void {
    const args = { start, end: this.fields.packer.position, count: 1 };
    this.commands.push({ name: 'SET', key: this.key, args });
    this.#dropSegments();
    this.form.compact = true;
    this.form.taskDefs.clear();
    this.bytes += args.end - start;
  }

  /** The fields written since `begin`, and the new head. */
  write(): void {
    const { fields, commit } = this;
    fields.value('h', commit.nextHead);
    const most = argumentsMax / 2;
    for (let first = 0; first < fields.names.length; first += most) {
      const args = fields.slice(first, first + most);
      this.commands.push({ name: 'HSET', key: this.key, args });
    }
    this.bytes += fields.bytes;
  }

  removeFields(named: readonly string[]): void {
    if (named.length === 0) return;
    const removed = [...named, ...this.#looseNow(named)];
    const { packer } = this.fields;
    for (let first = 0; first < removed.length; first += argumentsMax) {
      const some = removed.slice(first, first + argumentsMax);
      const start = packer.position;
      for (const name of some) packer.text(name);
      const args = { start, end: packer.position, count: some.length };
      this.commands.push({ name: 'HDEL', key: this.key, args });
      for (const segment of this.form.segments) {
        const key = this.all.segment(this.key, segment);
        if (key !== this.staged?.key) this.commands.push({ name: 'HDEL', key, args });
      }
    }
  }

  /** Pieces of texts that no field names any more once these are gone. */
  #looseNow(removed: readonly string[]): string[] {
    const { form } = this;
    if (form.pieces === undefined) return [];
    const texts: TextPieces[] = [];
    for (const name of removed) {
      const pieces = form.pieces.get(name);
      if (pieces !== undefined && form.pieces.delete(name)) texts.push(pieces);
    }
    const named = new Set([...form.pieces.values()].map(({ of }) => of));
    return texts.filter(({ of }) => !named.has(of)).flatMap(pieceNames);
  }

  /** Moves all but the header into a new segment that this commit makes current. */
  stage(writeBytesMax: number): void {
    const { fields, form } = this;
    const { packer } = fields;
    const segment = randomBytes(6).toString('hex');
    const key = this.all.segment(this.key, segment);
    const kept: PackedArguments[] = [];
    const replaced: string[] = [];
    const huge = new HugeTexts(packer);
    const writes: PackedArguments[][] = [[]];
    let bytes = 0;
    for (const [index, name] of fields.names.entries()) {
      const field = fields.slice(index, index + 1);
      const length = field.end - field.start;
      if (name === 'a' || name === 'x') {
        kept.push(field);
        continue;
      }
      // A field of the main hash wins over segments, so an older value must go.
      if (!this.commit.changes.created) replaced.push(name);
      const apart = fields.apart(index);
      if (apart !== undefined) {
        huge.add(name, field, apart);
        continue;
      }
      if (bytes > 0 && bytes + length > writeBytesMax) {
        writes.push([]);
        bytes = 0;
      }
      writes.at(-1)?.push(field);
      bytes += length;
    }
    const packed = writes
      .filter((list) => list.length > 0)
      .map((list) => [packer.listOf(2 * list.length, list)]);
    this.staged = { key, writes: [...packed, ...huge.writes] };
    this.removeFields(replaced);
    for (const [name, pieces] of huge.pieces) (form.pieces ??= new Map()).set(name, pieces);
    form.segments = [...form.segments, segment];
    this.commands.push({ name: 'PERSIST', key, args: undefined });
    const start = packer.position;
    for (const field of kept) packer.append(packer, field.start, field.end);
    packer.text('g');
    packer.bytes(packRecord([1, ...form.segments]));
    packer.text('h');
    packer.text(this.commit.nextHead);
    const args = { start, end: packer.position, count: 2 * kept.length + 4 };
    this.commands.push({ name: 'HSET', key: this.key, args });
    this.bytes += args.end - args.start;
  }

  removeLogs(): void {
    const { execution, fence } = this.commit;
    for (const task of execution.tasks.slice(0, logsRemovedMax)) {
      this.#unlink(this.all.taskLog(fence.shard, execution.id, task.number));
    }
  }

  #unlink(key: string): void {
    this.commands.push({ name: 'UNLINK', key, args: undefined });
  }

  #add(key: string, score: number): void {
    this.sets.push({ command: 'ZADD', key, score, member: this.names.bytes });
  }

  #drop(key: string): void {
    this.sets.push({ command: 'ZREM', key, score: 0, member: this.names.bytes });
  }
}

/** Writes of the texts of a commit that stand apart, each alone or in pieces. */
class HugeTexts {
  readonly writes: Buffer[][] = [];
  /** By field, of those in pieces. */
  readonly pieces = new Map<string, TextPieces>();
  /** The texts that are written already, by their bytes. */
  readonly #written = new Map<Buffer, TextPieces>();

  constructor(private readonly packer: Packer) {}

  /** `field`: name and beginning of the value in the packer; `bytes` follow. */
  add(name: string, field: PackedArguments, bytes: Buffer): void {
    if (bytes.length <= textPieceBytes) {
      this.writes.push([this.packer.listOf(2, [field]), bytes]);
      return;
    }
    let pieces = this.#written.get(bytes);
    if (pieces === undefined) {
      const cut = cutIntoPieces(bytes);
      pieces = { of: name, count: cut.length };
      this.#written.set(bytes, pieces);
      for (const [number, piece] of cut.entries()) this.#write(pieceName(name, number), piece);
    }
    this.pieces.set(name, pieces);
    this.#write(name, Buffer.from(markOf(pieces)));
  }

  #write(name: string, value: Buffer): void {
    const { packer } = this;
    const start = packer.position;
    packer.text(name);
    packer.startBytes(value.length);
    this.writes.push([packer.listOf(2, [{ start, end: packer.position }]), value]);
    // The last field of the commit ends where the packer does.
    packer.position = start;
  }
}
