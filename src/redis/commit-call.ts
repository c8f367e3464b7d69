// Builds one call of `commit.lua` from encoded commits, moves and grants: every key is named once
// and then meant by its position, and what many commits do to the same set is one command.
import type { DefinitionSnapshot } from '../model/execution.js';
import { toWorkflowDefJson } from '../model/workflow-def-json.js';
import type { Fence } from '../store/execution-store.js';
import type { ScriptCall } from './client.js';
import { changedLifeMs, minuteMs, watchField } from './change-lists.js';
import type { Command, EncodedCommit } from './encoded-commit.js';
import { packEnvelope } from './codec/envelope.js';
import { Packer, type PackValue } from './codec/packer.js';
import { packText } from './codec/record.js';
import type { Keys } from './keys.js';
import { packGrants, QueueMoves, type GrantPart } from './queue-moves.js';
import { Script } from './script.js';

const script = new Script('commit');

/** Arguments of one command: `commit.lua` calls it with all of them at once. */
const argumentsMax = 128;

export function fenceText(fence: { epoch: number; token: string }): string {
  return `${fence.epoch}:${fence.token}`;
}

/** What one snapshot of a partition gains or loses by a call. */
interface SnapshotChange {
  readonly partition: number;
  readonly hash: string;
  change: number;
  /** Some commit names it; undefined when commits only cease to. */
  snapshot: DefinitionSnapshot | undefined;
}

/** What a call checks in the state of one partition. */
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
  readonly #commits: PackValue[] = [];
  readonly #segments: PackValue[] = [];
  readonly #records: PackValue[] = [];
  readonly #commands: Command[] = [];
  /** By command and key. */
  readonly #sets = new Map<string, string[]>();
  readonly #partitions = new Map<number, PartitionChecks>();
  readonly #moves = new QueueMoves();
  #count = 0;

  constructor(
    private readonly all: Keys,
    commits: readonly EncodedCommit[],
    /** Holds the arguments of their commands. */
    private readonly packer: Packer,
    readonly grants: readonly GrantPart[],
  ) {
    for (const commit of commits) this.#prepare(commit);
    let number = 0;
    for (const { fences } of this.#partitions.values()) {
      for (const fence of fences.keys()) fences.set(fence, (number += 1));
    }
    for (const commit of commits) this.#add(commit);
  }

  /** The snapshots of the call, in the order in which the script numbers them. */
  get snapshots(): readonly SnapshotChange[] {
    return [...this.#partitions.values()].flatMap(({ snapshots }) => [...snapshots.values()]);
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
    const minute = Math.floor(now / minuteMs);
    const states = [...this.#partitions].flatMap(([partition, checks]) =>
      this.#stateChecks(partition, checks, minute),
    );
    const snapshots = this.#snapshotChanges(carriesText);
    const checks = [states, this.#commits, snapshots, this.#segments, this.#records];
    const commands = this.#packCommands(newQueues);
    const moves = this.#moves.pack(this.all, place);
    const grants = packGrants(this.grants, this.all, place);
    return {
      script,
      keys: this.#keys,
      args: [timeOffsetMs, packEnvelope(checks), commands, moves, grants],
    };
  }

  #add(encoded: EncodedCommit): void {
    const { key, staged, recordEnd } = encoded;
    this.#count += 1;
    this.#commits.push(
      this.#keys.push(key),
      this.#partitions.get(encoded.partition)?.fences.get(encoded.fence),
      encoded.head,
      encoded.nextHead,
      encoded.removes ? 1 : 0,
    );
    this.#places.set(key, this.#keys.length);
    for (const command of encoded.commands) this.#commands.push(command);
    for (const { command, key: set, score, member } of encoded.sets) {
      const args = this.#setOf(`${command} ${set}`);
      if (command === 'ZADD') args.push(String(score));
      args.push(member);
    }
    if (staged) this.#segments.push(this.#count, this.#place(staged.key));
    if (recordEnd) {
      this.#records.push(this.#place(recordEnd.key), String(recordEnd.at), encoded.id);
    }
    this.#moves.add(encoded.shortId, encoded.moves);
  }

  /** Notes what is to be checked in the state of its partition. */
  #prepare(commit: EncodedCommit): void {
    const { partition, fence, snapshot, formerSnapshot } = commit;
    let checks = this.#partitions.get(partition);
    if (!checks) {
      checks = { fences: new Map(), snapshots: new Map(), noted: [] };
      this.#partitions.set(partition, checks);
    }
    checks.fences.set(fence, 0);
    if (commit.isNoted) checks.noted.push(commit.shortId);
    if (snapshot) {
      const change = snapshotOf(checks, partition, snapshot.hash);
      change.change += 1;
      change.snapshot = snapshot;
    }
    if (formerSnapshot !== '') snapshotOf(checks, partition, formerSnapshot).change -= 1;
  }

  #setOf(name: string): string[] {
    let args = this.#sets.get(name);
    if (!args) {
      args = [];
      this.#sets.set(name, args);
    }
    return args;
  }

  #place(key: string): number {
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#keys.push(key);
      this.#places.set(key, place);
    }
    return place;
  }

  /**
   * Fields of shards, then of snapshots, then the mark of watchers when there is something to note;
   * in parts, as the script gives a command all of its list at once.
   */
  #stateChecks(partition: number, checks: PartitionChecks, minute: number): PackValue[] {
    const { fences, snapshots, noted } = checks;
    const state = this.#place(this.all.partitionState(partition));
    const owners = [...fences.keys()];
    const fields = [
      ...owners.map(({ shard }) => String(shard)),
      ...[...snapshots.keys()].map((hash) => `s${hash}`),
      ...(noted.length === 0 ? [] : [watchField]),
    ];
    const texts = owners.map(fenceText);
    const parts: PackValue[] = [];
    for (let first = 0; first < fields.length; first += argumentsMax) {
      const end = first + argumentsMax;
      const part: PackValue[] = [state, fields.slice(first, end), texts.slice(first, end)];
      if (end >= fields.length && noted.length > 0) {
        part.push([this.#place(this.all.changed(partition, minute)), minute, changedLifeMs, noted]);
      }
      parts.push(part);
    }
    return parts;
  }

  #snapshotChanges(carriesText: CarriesText): PackValue[] {
    return this.snapshots.map(({ partition, hash, change, snapshot }) => {
      const text = snapshot && carriesText(partition, snapshot) && snapshotText(snapshot);
      return [
        this.#place(this.all.partitionState(partition)),
        `s${hash}`,
        change,
        this.#place(this.all.snapshot(partition, hash)),
        text ?? false,
        snapshot !== undefined,
      ];
    });
  }

  #packCommands(newQueues: readonly string[]): Buffer {
    out.clear();
    const list = out.startList();
    let count = 0;
    for (const { name, key, args } of this.#commands) {
      out.list(2 + (args?.count ?? 0));
      out.text(name);
      out.number(this.#place(key));
      if (args) out.append(this.packer, args.start, args.end);
      count += 1;
    }
    for (const [name, args] of this.#sets) {
      const space = name.indexOf(' ');
      const command = name.slice(0, space);
      const place = this.#place(name.slice(space + 1));
      for (let first = 0; first < args.length; first += argumentsMax) {
        const some = args.slice(first, first + argumentsMax);
        out.value([command, place, ...some]);
        count += 1;
      }
    }
    for (const queue of newQueues) {
      out.value(['SADD', this.#place(this.all.queues()), queue]);
      count += 1;
    }
    out.endList(list, count);
    return out.take();
  }
}

const out = new Packer();

function snapshotOf(checks: PartitionChecks, partition: number, hash: string): SnapshotChange {
  let change = checks.snapshots.get(hash);
  if (!change) {
    change = { partition, hash, change: 0, snapshot: undefined };
    checks.snapshots.set(hash, change);
  }
  return change;
}

/** Stored text of a snapshot. */
function snapshotText(snapshot: DefinitionSnapshot): string {
  return packText(toWorkflowDefJson(snapshot.def));
}
