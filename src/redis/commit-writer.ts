// Sends batches of commits: as few calls of `commit.lua` as their bounds allow, on a cluster one
// call per partition, in one write. A call in which something stands against a commit writes
// nothing and says what; it is then sent again without that commit. Large commits are written
// ahead: their fields go into a segment by bounded fenced writes (`stage.lua`), and the commit
// proper then only makes that segment current, so no single write blocks Redis for long. A segment
// that no commit makes current is not listed, is ignored by readers and expires.
import type { DefinitionSnapshot } from '../model/execution.js';
import { storedWorkflowDefJson } from '../model/workflow-def-json.js';
import {
  StoreError,
  type BatchResult,
  type Commit,
  type CommitResult,
  type LeaseGrant,
} from '../store/execution-store.js';
import { whyUnwritable } from '../model/unwritable.js';
import type { RedisClient } from './client.js';
import type { ScriptCall } from './connection.js';
import { CommitCall, fenceText } from './commit-call.js';
import type { CommitEncoder } from './commit-encoder.js';
import type { EncodedCommit } from './encoded-commit.js';
import { FieldWriter } from './codec/field-writer.js';
import { Packer } from './codec/packer.js';
import { grantLoads, type GrantPart } from './queue-moves.js';
import { Script } from './script.js';
import type { SnapshotCache } from './snapshots.js';

const stageScript = Script.named('stage');

/** A call that has so many bytes takes no further commit; the last one has up to 256 KB itself. */
const callBytesMax = 128 * 1024;
/** A segment that was not made current lives so long, ms. */
const segmentLifeMs = 10 * 60 * 1000;
/** Each sending finds all that stands against a call; more comes only from others meanwhile. */
const sendingsMax = 10;
/** Hashes remembered per partition; then it starts again. */
const snapshotsKnownMax = 10_000;

/** By the number that `commit.lua` answers. */
const results: readonly (CommitResult | undefined)[] = [
  'committed',
  'already-applied',
  'stale-owner',
  'wrong-head',
  undefined,
  // The process slept between writing a segment and its commit: its memory is as good as stale.
  'wrong-head',
];

/**
 * `0, per grant the numbers of what was not ready` when all was applied, else `1, number per
 * commit, numbers of missing snapshots`.
 */
type Reply = [0, number[][]] | [1, number[], number[]];

interface Batch {
  readonly encoded: readonly EncodedCommit[];
  readonly packer: Packer;
}

/** A call under way: positions of its commits in the batch. */
interface Sending {
  positions: number[];
  call: CommitCall;
}

export class CommitWriter {
  /** Snapshots that a partition is thought to hold; it says so when it does not. */
  readonly #known = new Map<number, Set<string>>();
  /** Packers that no batch uses now. */
  readonly #packers: Packer[] = [];
  /** Calls under way that stage nothing. */
  readonly #usual = new Set<Promise<unknown>>();

  constructor(
    private readonly redis: RedisClient,
    private readonly encoder: CommitEncoder,
    private readonly snapshots: SnapshotCache,
  ) {}

  async commit(batch: readonly Commit[], grants: readonly LeaseGrant[]): Promise<BatchResult> {
    // A call that has to be sent again takes its bytes from there, so each batch has its own.
    const packer = this.#packers.pop() ?? new Packer();
    packer.clear();
    try {
      const { encoded, unwritable } = this.#encode(batch, packer);
      const result = await this.write(encoded, packer, grants);
      for (const [position, reason] of unwritable) {
        result.commits.splice(position, 0, { kind: 'unwritable', reason });
      }
      return result;
    } finally {
      this.#packers.push(packer);
    }
  }

  /**
   * Encodes the batch. An execution that cannot be encoded is left out and named by its place in
   * the batch, in order.
   */
  #encode(
    batch: readonly Commit[],
    packer: Packer,
  ): { encoded: EncodedCommit[]; unwritable: [number, string][] } {
    const fields = new FieldWriter(packer);
    const encoded: EncodedCommit[] = [];
    const unwritable: [number, string][] = [];
    for (const [position, commit] of batch.entries()) {
      const start = packer.position;
      try {
        encoded.push(this.encoder.encode(commit, fields));
      } catch (error) {
        packer.rewind(start);
        unwritable.push([position, whyUnwritable(error)]);
      }
    }
    return { encoded, unwritable };
  }

  /** `packer` holds the arguments of the commands. */
  async write(
    encoded: readonly EncodedCommit[],
    packer: Packer,
    grants: readonly LeaseGrant[],
  ): Promise<BatchResult> {
    const batch = { encoded, packer };
    const calls = this.#callsOf(encoded);
    const loads = grantLoads(grants);
    // The last call of commits carries the first load; what is left gets calls of its own.
    while (calls.length < loads.length) calls.push([]);
    const firstLoad = calls.length - loads.length;
    const sendings = calls.map((positions, index) =>
      this.#sending(positions, batch, loads[index - firstLoad] ?? []),
    );
    const scriptCalls = sendings.map(({ call }) => this.#scriptCall(call));
    const isStaged = encoded.some(({ staged }) => staged !== undefined);
    for (const commit of encoded) if (commit.staged) await this.#stage(commit);
    const running = this.redis.commits.runAll(scriptCalls);
    const replies = await (isStaged ? running : this.#noted(running));
    const result: BatchResult = {
      commits: new Array<CommitResult>(encoded.length),
      grants: grants.map(() => []),
    };
    for (const [index, sending] of sendings.entries()) {
      await this.#finish(sending, replies[index] as Reply, batch, result);
    }
    return result;
  }

  /** Sends a call again without what was refused, until the rest is applied. */
  async #finish(
    { positions, call }: Sending,
    firstReply: Reply,
    batch: Batch,
    result: BatchResult,
  ): Promise<void> {
    let reply = firstReply;
    for (let sent = 1; reply[0] === 1; sent++) {
      const [, codes, missing] = reply;
      for (const { partition, hash } of call.notStored(missing)) {
        this.#knownIn(partition).delete(hash);
      }
      codes.forEach((code, order) => {
        if (code !== 0) result.commits[positions[order] as number] = resultOf(code);
      });
      positions = positions.filter((_, order) => codes[order] === 0);
      if (positions.length === 0 && call.grants.length === 0) return;
      if (sent === sendingsMax) throw new StoreError('not-applied', 'Owners kept changing');
      ({ call } = this.#sending(positions, batch, call.grants));
      reply = (await this.#run(this.#scriptCall(call))) as Reply;
    }
    for (const position of positions) result.commits[position] = 'committed';
    for (const queue of call.queues) this.redis.knownQueues.add(queue);
    const refused = reply[1];
    for (const [order, { index, leases }] of call.grants.entries()) {
      const isLeased = leases.map(() => true);
      for (const number of refused[order] ?? []) isLeased[number - 1] = false;
      result.grants[index]?.push(...isLeased);
    }
  }

  #run({ script, keys, args }: ScriptCall): Promise<unknown> {
    return this.redis.commits.run(script, keys, args);
  }

  #sending(positions: number[], { encoded, packer }: Batch, grants: readonly GrantPart[]): Sending {
    const commits = positions.map((position) => encoded[position] as EncodedCommit);
    return { positions, call: new CommitCall(this.redis.keys, commits, packer, grants) };
  }

  #scriptCall(call: CommitCall): ScriptCall {
    return call.toScriptCall({
      carriesText: (partition, snapshot) => this.#carriesText(partition, snapshot),
      newQueues: [...call.queues].filter((queue) => !this.redis.knownQueues.has(queue)),
      timeOffsetMs: this.redis.timeOffsetMs,
      now: this.redis.estimatedNow,
    });
  }

  /** A snapshot's text travels with the first commit that names it in a partition. */
  #carriesText(partition: number, snapshot: DefinitionSnapshot): boolean {
    this.snapshots.intern(snapshot);
    const known = this.#knownIn(partition);
    if (known.has(snapshot.hash)) return false;
    if (known.size >= snapshotsKnownMax) known.clear();
    known.add(snapshot.hash);
    return true;
  }

  #knownIn(partition: number): Set<string> {
    let known = this.#known.get(partition);
    if (!known) {
      known = new Set();
      this.#known.set(partition, known);
    }
    return known;
  }

  /**
   * Positions of the commits of each call: bounded in bytes, so that no call blocks Redis for long,
   * and on a cluster of one partition each, because the keys of a call share a slot.
   */
  #callsOf(encoded: readonly EncodedCommit[]): number[][] {
    const calls: number[][] = [];
    /** By partition on a cluster. */
    const open = new Map<number, { call: number[]; bytes: number }>();
    for (const [position, commit] of encoded.entries()) {
      const slot = this.redis.isCluster ? commit.partition : 0;
      let current = open.get(slot);
      if (!current || current.bytes >= callBytesMax) {
        current = { call: [], bytes: 0 };
        open.set(slot, current);
        calls.push(current.call);
      }
      current.call.push(position);
      current.bytes += commit.bytes + this.#textBytes(commit);
    }
    return calls;
  }

  #textBytes({ partition, snapshot }: EncodedCommit): number {
    if (!snapshot || this.#knownIn(partition).has(snapshot.hash)) return 0;
    return storedWorkflowDefJson(snapshot.def).length;
  }

  /** Large writes let it go first. */
  async #noted<T>(running: Promise<T>): Promise<T> {
    this.#usual.add(running);
    try {
      return await running;
    } finally {
      this.#usual.delete(running);
    }
  }

  /**
   * A large write holds Redis for up to 100 ms. Behind each one goes the batch that waited for it,
   * and then the batch of those that waited for that: so nobody waits for two large writes.
   */
  async #letOthersGo(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await Promise.allSettled(this.#usual);
      await new Promise((resume) => setImmediate(resume));
    }
    await Promise.allSettled(this.#usual);
  }

  /** A stale owner shows again in the commit itself, so its answer here does not matter. */
  async #stage({ fence, partition, staged }: EncodedCommit): Promise<void> {
    if (!staged) return;
    for (const fields of staged.writes) {
      await this.#letOthersGo();
      await this.redis.commits.run(
        stageScript,
        [this.redis.keys.partitionState(partition), staged.key],
        [fence.shard, fenceText(fence), segmentLifeMs, fields],
      );
    }
  }
}

function resultOf(code: number): CommitResult {
  const result = results[code];
  if (!result) throw new StoreError('unclear', `The commit script answered ${code}`);
  return result;
}
