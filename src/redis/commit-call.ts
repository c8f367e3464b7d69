// Builds one call of `commit.lua` from encoded commits, moves and grants: every key is named once
// and then meant by its position, and what many commits do to the same set is one command.
import type { DefinitionSnapshot } from '../model/execution.js';
import { storedWorkflowDefJson } from '../model/workflow-def-json.js';
import type { Fence } from '../store/execution-store.js';
import type { ScriptCall } from './connection.js';
import { changedLifeMs, minuteMs, watchField } from './change-lists.js';
import type { EncodedCommit, SetChange } from './encoded-commit.js';
import type { PackedArguments } from './codec/field-writer.js';
import { Packer } from './codec/packer.js';
import { packText } from './codec/record.js';
import type { Keys } from './keys.js';
import { QueueMoves, writeGrants, type GrantPart } from './queue-moves.js';
import { Script } from './script.js';

const script = Script.named('commit');

/** Arguments of one command: `commit.lua` calls it with all of them at once. */
const argumentsMax = 128;

export function fenceText(fence: { epoch: number; token: string }): string {
  return `${fence.epoch}:${fence.token}`;
}

/** The change of one snapshot of a partition by a call. */
interface SnapshotChange {
  readonly partition: number;
  readonly hash: string;
  change: number;
  /** Some commit names it; undefined when commits only cease to. */
  snapshot: DefinitionSnapshot | undefined;
}

/** The conditions of a call on the state of one partition. */
interface PartitionChecks {
  /** A batch may hold commits of a shard from before and after it was taken again. */
  readonly fences: Map<Fence, number>;
  /** By hash. */
  readonly snapshots: Map<string, SnapshotChange>;
  /** Short ids of executions that are noted while somebody watches the partition. */
  readonly noted: string[];
}

/** Whether the text of a snapshot is to travel with a call. */
export type CarriesText = (partition: number, snapshot: DefinitionSnapshot) => boolean;

export class CommitCall {
  readonly #keys: string[] = [];
  readonly #places = new Map<string, number>();
  /** Members and their scores to add, and members to remove, by key. */
  readonly #added = new Map<string, SetChange[]>();
  readonly #removed = new Map<string, SetChange[]>();
  readonly #partitions = new Map<number, PartitionChecks>();
  readonly #moves = new QueueMoves();
  /** Snapshots whose text travels with the call. */
  readonly #carried: SnapshotChange[] = [];

  constructor(
    private readonly all: Keys,
    private readonly commits: readonly EncodedCommit[],
    /** Holds the arguments of their commands. */
    private readonly packer: Packer,
    readonly grants: readonly GrantPart[],
  ) {
    for (const commit of commits) this.#prepare(commit);
    let number = 0;
    for (const { fences } of this.#partitions.values()) {
      for (const fence of fences.keys()) fences.set(fence, (number += 1));
    }
  }

  /** The snapshots of the call, in the order in which the script numbers them. */
  get #snapshots(): readonly SnapshotChange[] {
    return [...this.#partitions.values()].flatMap(({ snapshots }) => [...snapshots.values()]);
  }

  /**
   * The snapshots that their partitions do not hold when they have refused the call: those that
   * they miss, by their numbers, and those whose text came with it, for nothing of it was written.
   */
  notStored(missing: readonly number[]): readonly SnapshotChange[] {
    const snapshots = this.#snapshots;
    const missed = missing.map((number) => snapshots[number - 1]);
    return [...this.#carried, ...missed.filter((each) => each !== undefined)];
  }

  /** Queues that attempts are moved in, as texts. */
  get queues(): IterableIterator<string> {
    return this.#moves.queues;
  }

  toScriptCall(options: {
    carriesText: CarriesText;
    /** Queues that the list of all queues may lack. */
    newQueues: readonly string[];
    timeOffsetMs: number;
    /** Store time, epoch ms; about. */
    now: number;
  }): ScriptCall {
    const { carriesText, newQueues, timeOffsetMs, now } = options;
    const place = (key: string): number => this.#place(key);
    const checks = this.#packChecks(carriesText, now);
    const commands = this.#packCommands(newQueues);
    out.clear();
    this.#moves.write(out, this.all, place);
    const moves = out.take();
    out.clear();
    writeGrants(out, this.grants, this.all, place);
    return { script, keys: this.#keys, args: [timeOffsetMs, checks, commands, moves, out.take()] };
  }

  /** Notes what it changes in sets and queues, and what is to be checked in its partition. */
  #prepare(commit: EncodedCommit): void {
    const { partition, fence, snapshot, formerSnapshot } = commit;
    // The first keys are those of the executions, in order.
    this.#keys.push(commit.key);
    let checks = this.#partitions.get(partition);
    if (!checks) {
      checks = { fences: new Map(), snapshots: new Map(), noted: [] };
      this.#partitions.set(partition, checks);
    }
    checks.fences.set(fence, 0);
    if (commit.isNoted) checks.noted.push(commit.names.shortId);
    if (snapshot) {
      const change = snapshotOf(checks, partition, snapshot.hash);
      change.change += 1;
      change.snapshot = snapshot;
    }
    if (formerSnapshot !== '') snapshotOf(checks, partition, formerSnapshot).change -= 1;
    for (const change of commit.sets) {
      listIn(change.command === 'ZADD' ? this.#added : this.#removed, change.key).push(change);
    }
    this.#moves.add(commit.moves, commit.names.bytes);
  }

  #place(key: string): number {
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#keys.push(key);
      this.#places.set(key, place);
    }
    return place;
  }

  #packChecks(carriesText: CarriesText, now: number): Buffer {
    const { commits } = this;
    out.clear();
    out.list(5);
    const minute = Math.floor(now / minuteMs);
    const states = out.startList();
    let count = 0;
    for (const [partition, checks] of this.#partitions) {
      count += this.#packState(partition, checks, minute);
    }
    out.endList(states, count);
    out.list(5 * commits.length);
    for (const [index, commit] of commits.entries()) {
      out.number(index + 1);
      out.number(this.#partitions.get(commit.partition)?.fences.get(commit.fence) ?? 0);
      out.text(commit.head);
      out.text(commit.nextHead);
      out.number(commit.removes ? 1 : 0);
    }
    this.#packSnapshots(carriesText);
    const segments = out.startList();
    count = 0;
    for (const [index, { staged }] of commits.entries()) {
      if (staged === undefined) continue;
      out.number(index + 1);
      out.number(this.#place(staged.key));
      count += 2;
    }
    out.endList(segments, count);
    const records = out.startList();
    count = 0;
    for (const { recordEnd, id } of commits) {
      if (recordEnd === undefined) continue;
      out.number(this.#place(recordEnd.key));
      out.text(String(recordEnd.at));
      out.text(id);
      count += 3;
    }
    out.endList(records, count);
    return out.take();
  }

  /**
   * Fields of shards, then of snapshots, then the mark of watchers when there is something to note;
   * in parts, as the script gives a command all of its list at once. Returns how many parts.
   */
  #packState(partition: number, checks: PartitionChecks, minute: number): number {
    const { fences, snapshots, noted } = checks;
    const state = this.#place(this.all.partitionState(partition));
    const owners = [...fences.keys()];
    const fields = owners.map(({ shard }) => String(shard));
    for (const hash of snapshots.keys()) fields.push(`s${hash}`);
    if (noted.length > 0) fields.push(watchField);
    let parts = 0;
    for (let first = 0; first < fields.length; first += argumentsMax) {
      const end = first + argumentsMax;
      const isNoted = end >= fields.length && noted.length > 0;
      out.list(isNoted ? 4 : 3);
      out.number(state);
      writeTexts(fields.slice(first, end));
      writeTexts(owners.slice(first, end).map(fenceText));
      if (isNoted) {
        out.list(4);
        out.number(this.#place(this.all.changed(partition, minute)));
        out.number(minute);
        out.number(changedLifeMs);
        writeTexts(noted);
      }
      parts += 1;
    }
    return parts;
  }

  #packSnapshots(carriesText: CarriesText): void {
    const snapshots = this.#snapshots;
    out.list(snapshots.length);
    for (const each of snapshots) {
      const { partition, hash, change, snapshot } = each;
      const text = snapshot && carriesText(partition, snapshot) && snapshotText(snapshot);
      if (text) this.#carried.push(each);
      out.value([
        this.#place(this.all.partitionState(partition)),
        `s${hash}`,
        change,
        this.#place(this.all.snapshot(partition, hash)),
        text ?? false,
        snapshot !== undefined,
      ]);
    }
  }

  #packCommands(newQueues: readonly string[]): Buffer {
    out.clear();
    const list = out.startList();
    let count = 0;
    const records: { readonly place: number; readonly args: PackedArguments }[] = [];
    for (const [index, commit] of this.commits.entries()) {
      for (const { name, key, args } of commit.commands) {
        const place = key === commit.key ? index + 1 : this.#place(key);
        if (name === 'SET') {
          records.push({ place, args });
          continue;
        }
        out.list(2 + (args?.count ?? 0));
        out.text(name);
        out.number(place);
        if (args) out.append(this.packer, args.start, args.end);
        count += 1;
      }
    }
    count += inChunks(records, argumentsMax / 2, (some) => {
      out.list(1 + 2 * some.length);
      out.text('MSET');
      for (const { place, args } of some) {
        out.number(place);
        out.append(this.packer, args.start, args.end);
      }
    });
    count += this.#packSets('ZADD', this.#added) + this.#packSets('ZREM', this.#removed);
    for (const queue of newQueues) {
      out.value(['SADD', this.#place(this.all.queues()), queue]);
      count += 1;
    }
    out.endList(list, count);
    return out.take();
  }

  /** Returns how many commands. */
  #packSets(
    command: SetChange['command'],
    sets: ReadonlyMap<string, readonly SetChange[]>,
  ): number {
    const perMember = command === 'ZADD' ? 2 : 1;
    let count = 0;
    for (const [key, changes] of sets) {
      const place = this.#place(key);
      count += inChunks(changes, argumentsMax / perMember, (some) => {
        out.list(2 + perMember * some.length);
        out.text(command);
        out.number(place);
        for (const { score, member } of some) {
          if (command === 'ZADD') out.text(String(score));
          out.ascii(member, member.length);
        }
      });
    }
    return count;
  }
}

const out = new Packer();

function writeTexts(texts: readonly string[]): void {
  out.list(texts.length);
  for (const text of texts) out.text(text);
}

/** Returns how many chunks. */
function inChunks<T>(
  list: readonly T[],
  size: number,
  write: (some: readonly T[]) => void,
): number {
  if (list.length > 0 && list.length <= size) write(list);
  else
    for (let first = 0; first < list.length; first += size) write(list.slice(first, first + size));
  return Math.ceil(list.length / size);
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = []));
  return list;
}

function snapshotOf(checks: PartitionChecks, partition: number, hash: string): SnapshotChange {
  let change = checks.snapshots.get(hash);
  if (!change) {
    change = { partition, hash, change: 0, snapshot: undefined };
    checks.snapshots.set(hash, change);
  }
  return change;
}

function snapshotText(snapshot: DefinitionSnapshot): string {
  return packText(storedWorkflowDefJson(snapshot.def));
}
