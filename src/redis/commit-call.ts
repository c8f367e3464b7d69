// Builds one call of `commit.lua` from encoded commits, moves and grants: every key is named once
// and then meant by its position, and what many commits do to the same set is one command.
import type { DefinitionSnapshot } from '../model/execution.js';
import { toWorkflowDefJson } from '../model/workflow-def-json.js';
import type { Fence } from '../store/execution-store.js';
import type { ScriptCall } from './client.js';
import type { EncodedCommit } from './commit-encoder.js';
import { packEnvelope, type EnvelopeValue } from './codec/envelope.js';
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

/** Whether the text of a snapshot is to travel with a call. */
export type CarriesText = (partition: number, snapshot: DefinitionSnapshot) => boolean;

export class CommitCall {
  readonly #keys: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #commits: EnvelopeValue[] = [];
  readonly #segments: EnvelopeValue[] = [];
  readonly #records: EnvelopeValue[] = [];
  readonly #commands: EnvelopeValue[] = [];
  /** By command and key. */
  readonly #sets = new Map<string, string[]>();
  readonly #snapshots = new Map<string, SnapshotChange>();
  readonly #moves = new QueueMoves();
  readonly #fences: Map<number, Fence[]>;
  readonly #fenceNumbers: Map<Fence, number>;
  #count = 0;

  constructor(
    private readonly all: Keys,
    commits: readonly EncodedCommit[],
    readonly grants: readonly GrantPart[],
  ) {
    this.#fences = fencesOf(commits);
    this.#fenceNumbers = new Map(
      [...this.#fences.values()].flat().map((fence, index) => [fence, index + 1]),
    );
    for (const commit of commits) this.#add(commit);
  }

  /** The snapshots of the call, in the order in which the script numbers them. */
  get snapshots(): readonly { partition: number; hash: string }[] {
    return [...this.#snapshots.values()];
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
  }): ScriptCall {
    const { carriesText, newQueues, timeOffsetMs } = options;
    const place = (key: string): number => this.#place(key);
    const fences = [...this.#fences].flatMap(([partition, list]) =>
      this.#fenceChecks(partition, list),
    );
    const snapshots = this.#snapshotChecks(carriesText);
    const checks = [fences, this.#commits, snapshots, this.#segments, this.#records];
    const commands = [...this.#commands, ...this.#setCommands()];
    for (const queue of newQueues) commands.push(['SADD', place(this.all.queues()), queue]);
    const moves = this.#moves.pack(this.all, place);
    const grants = packGrants(this.grants, this.all, place);
    return {
      script,
      keys: this.#keys,
      args: [timeOffsetMs, packEnvelope(checks), packEnvelope(commands), moves, grants],
    };
  }

  #add(encoded: EncodedCommit): void {
    const { key, staged, recordEnd } = encoded;
    this.#count += 1;
    this.#commits.push(
      this.#keys.push(key),
      this.#fenceNumbers.get(encoded.fence),
      encoded.head,
      encoded.nextHead,
      encoded.removes ? 1 : 0,
    );
    const place = this.#keys.length;
    for (const [name, of, ...args] of encoded.commands) {
      this.#commands.push([name, of === key ? place : this.#place(of), ...args]);
    }
    for (const { command, key: set, score, member } of encoded.sets) {
      const args = this.#setOf(command + set);
      if (command === 'ZADD') args.push(String(score));
      args.push(member);
    }
    if (staged) this.#segments.push(this.#count, this.#place(staged.key));
    if (recordEnd) {
      this.#records.push(this.#place(recordEnd.key), String(recordEnd.at), encoded.id);
    }
    this.#moves.add(encoded.moves);
    this.#countSnapshots(encoded);
  }

  #countSnapshots({ partition, snapshot, formerSnapshot }: EncodedCommit): void {
    if (snapshot) {
      const change = this.#snapshotOf(partition, snapshot.hash);
      change.change += 1;
      change.snapshot = snapshot;
    }
    if (formerSnapshot !== '') this.#snapshotOf(partition, formerSnapshot).change -= 1;
  }

  #snapshotOf(partition: number, hash: string): SnapshotChange {
    const name = `${partition}:${hash}`;
    let change = this.#snapshots.get(name);
    if (!change) {
      change = { partition, hash, change: 0, snapshot: undefined };
      this.#snapshots.set(name, change);
    }
    return change;
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

  /** In parts, as the script gives a command all of its list at once. */
  #fenceChecks(partition: number, fences: readonly Fence[]): EnvelopeValue[] {
    const owners = this.#place(this.all.owners(partition));
    const parts: EnvelopeValue[] = [];
    for (let first = 0; first < fences.length; first += argumentsMax) {
      const some = fences.slice(first, first + argumentsMax);
      parts.push([owners, some.map(({ shard }) => String(shard)), some.map(fenceText)]);
    }
    return parts;
  }

  #snapshotChecks(carriesText: CarriesText): EnvelopeValue[] {
    return [...this.#snapshots.values()].map(({ partition, hash, change, snapshot }) => {
      const text = snapshot && carriesText(partition, snapshot) && snapshotText(snapshot);
      return [
        this.#place(this.all.snapshotReferences(partition)),
        hash,
        change,
        this.#place(this.all.snapshot(partition, hash)),
        text ?? false,
        snapshot !== undefined,
      ];
    });
  }

  #setCommands(): EnvelopeValue[] {
    const commands: EnvelopeValue[] = [];
    for (const [name, args] of this.#sets) {
      const place = this.#place(name.slice(4));
      for (let first = 0; first < args.length; first += argumentsMax) {
        commands.push([name.slice(0, 4), place, ...args.slice(first, first + argumentsMax)]);
      }
    }
    return commands;
  }
}

/** By partition: a batch may hold commits of a shard from before and after it was taken again. */
function fencesOf(commits: readonly EncodedCommit[]): Map<number, Fence[]> {
  const fences = new Map<number, Set<Fence>>();
  for (const { partition, fence } of commits) {
    const known = fences.get(partition);
    if (known) known.add(fence);
    else fences.set(partition, new Set([fence]));
  }
  return new Map([...fences].map(([partition, set]) => [partition, [...set]]));
}

/** Stored text of a snapshot. */
function snapshotText(snapshot: DefinitionSnapshot): string {
  return packText(toWorkflowDefJson(snapshot.def));
}
