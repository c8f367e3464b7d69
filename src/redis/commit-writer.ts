// Sends batches of commits: as few calls of `commit.lua` as 256 KB each allow, on a cluster one
// call per shard, in one write. Large commits are written ahead: their fields go into a segment by
// bounded fenced writes (`stage.lua`), and the commit proper then only makes that segment current,
// so no single write blocks Redis for long. A segment that no commit makes current is not listed,
// is ignored by readers and expires.
import type { Commit, CommitResult, Fence } from '../store/execution-store.js';
import { StoreError } from '../store/execution-store.js';
import type { Connection, ScriptCall } from './client.js';
import type { CommitEncoder } from './commit-encoder.js';
import { type EncodedCommit } from './commit-encoder.js';
import { packEnvelope, type EnvelopeValue } from './codec/envelope.js';
import type { Keys } from './keys.js';
import { Script } from './script.js';
import type { SnapshotCache } from './snapshots.js';

const commitScript = new Script('commit');
const stageScript = new Script('stage');

/** Bytes of the commits of one call (architecture section 1, idea 3). */
const callBytesMax = 256 * 1024;
/** A segment that was not made current lives so long, ms. */
const segmentLifeMs = 10 * 60 * 1000;

const results: readonly (CommitResult | undefined)[] = [
  'committed',
  'already-applied',
  'stale-owner',
  'wrong-head',
  // 4 is answered by sending the snapshot along.
  undefined,
  // The process slept between writing a segment and its commit: its memory is as good as stale.
  'wrong-head',
];
const snapshotMissing = 4;

export function fenceText(fence: { epoch: number; token: string }): string {
  return `${fence.epoch}:${fence.token}`;
}

/** Snapshots that a shard is known to hold since this node has it. */
interface KnownSnapshots {
  token: string;
  hashes: Set<string>;
}

/**
 * Takes the chain check out of the commit script: a fault planted to show that the durability tests
 * notice (invariants M2).
 */
function withoutHeadCheck(source: string): string {
  const check = 'stored ~= commit[2]';
  if (!source.includes(check)) throw new Error('The commit script has another head check');
  return source.replace(check, 'false');
}

export class CommitWriter {
  readonly #known = new Map<number, KnownSnapshots>();
  readonly #script: Script;

  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly encoder: CommitEncoder,
    private readonly snapshots: SnapshotCache,
    plantHeadNotChecked: boolean,
  ) {
    this.#script = plantHeadNotChecked ? new Script('commit', withoutHeadCheck) : commitScript;
  }

  async commit(batch: readonly Commit[]): Promise<CommitResult[]> {
    const encoded = batch.map((commit) => this.encoder.encode(commit));
    const carried = encoded.map((commit) => this.#carriesText(commit));
    const staging = encoded.filter((commit) => commit.staged !== undefined);
    for (const commit of staging) await this.#stage(commit);
    const codes = await this.#send(encoded, carried);
    await this.#sendMissingSnapshots(encoded, codes);
    return codes.map((code) => {
      const result = results[code];
      if (!result) throw new StoreError('unclear', `The commit script answered ${code}`);
      return result;
    });
  }

  /** A snapshot's text travels with the first commit that names it in a shard. */
  #carriesText(encoded: EncodedCommit): boolean {
    const { snapshot, commit } = encoded;
    if (!snapshot) return false;
    this.snapshots.intern(snapshot);
    const known = this.#knownOf(commit.fence);
    if (known.has(snapshot.hash)) return false;
    known.add(snapshot.hash);
    return true;
  }

  #knownOf(fence: Fence): Set<string> {
    let known = this.#known.get(fence.shard);
    if (!known || known.token !== fence.token) {
      known = { token: fence.token, hashes: new Set() };
      this.#known.set(fence.shard, known);
    }
    return known.hashes;
  }

  /** All in one write, in as few calls as their bounds allow; numbers of `commit.lua` in order. */
  async #send(encoded: readonly EncodedCommit[], withText: readonly boolean[]): Promise<number[]> {
    const calls = callsOf(encoded, withText, this.connection.isCluster);
    const replies = await this.connection.runAll(
      calls.map((positions) => this.#call(byFence(positions, encoded), encoded, withText)),
    );
    const codes: number[] = new Array<number>(encoded.length);
    calls.forEach((positions, index) => {
      const reply = replies[index] as number[];
      const inOrder = byFence(positions, encoded).flat();
      inOrder.forEach((position, order) => (codes[position] = reply[order] as number));
    });
    return codes;
  }

  #call(
    shards: readonly (readonly number[])[],
    encoded: readonly EncodedCommit[],
    withText: readonly boolean[],
  ): ScriptCall {
    const keys: string[] = [];
    const plan: EnvelopeValue[] = [];
    for (const positions of shards) {
      const { fence } = (encoded[positions[0] as number] as EncodedCommit).commit;
      const { shard } = fence;
      const ownerIndex = keys.length + 1;
      keys.push(this.keys.owner(shard));
      // Pushed, not mapped: a list with room for holes is a kind of its own for the code that
      // writes it.
      const tuples: EnvelopeValue[] = [];
      for (const position of positions) {
        const commit = encoded[position] as EncodedCommit;
        const firstKey = keys.length + 1;
        for (const key of commit.keys) keys.push(key);
        tuples.push(commit.tuple(firstKey, withText[position] as boolean));
      }
      plan.push([fenceText(fence), ownerIndex, tuples]);
    }
    return { script: this.#script, keys, args: [packEnvelope(plan)] };
  }

  /**
   * Commits that named a snapshot which the shard no longer holds (its last execution went) are
   * sent again with its text; nothing of them was written.
   */
  async #sendMissingSnapshots(encoded: readonly EncodedCommit[], codes: number[]): Promise<void> {
    const missing: number[] = [];
    codes.forEach((code, position) => {
      if (code === snapshotMissing) missing.push(position);
    });
    if (missing.length === 0) return;
    const again = missing.map((position) => encoded[position] as EncodedCommit);
    const replies = await this.#send(
      again,
      again.map(() => true),
    );
    missing.forEach((position, index) => (codes[position] = replies[index] as number));
  }

  /** A stale owner shows again in the commit itself, so its answer here does not matter. */
  async #stage(encoded: EncodedCommit): Promise<void> {
    const { commit, staged } = encoded;
    if (!staged) return;
    for (const fields of staged.writes) {
      await this.connection.run(
        stageScript,
        [this.keys.owner(commit.fence.shard), staged.key],
        [fenceText(commit.fence), segmentLifeMs, packEnvelope(fields)],
      );
    }
  }
}

/**
 * Positions of the commits of each call: bounded in bytes, so that no call blocks Redis for long,
 * and on a cluster of one shard each, because the keys of a call share a slot.
 */
function callsOf(
  encoded: readonly EncodedCommit[],
  withText: readonly boolean[],
  isCluster: boolean,
): number[][] {
  const all = encoded.map((_, position) => position);
  const calls: number[][] = [];
  for (const group of isCluster ? byFence(all, encoded) : [all]) {
    let call: number[] = [];
    let bytes = 0;
    for (const position of group) {
      const more = (encoded[position] as EncodedCommit).bytes(withText[position] as boolean);
      if (call.length > 0 && bytes + more > callBytesMax) {
        calls.push(call);
        call = [];
        bytes = 0;
      }
      call.push(position);
      bytes += more;
    }
    if (call.length > 0) calls.push(call);
  }
  return calls;
}

/**
 * Groups by the fence object: a batch may hold commits of a shard from before and after it was
 * taken again.
 */
function byFence(positions: readonly number[], encoded: readonly EncodedCommit[]): number[][] {
  const groups = new Map<Fence, number[]>();
  for (const position of positions) {
    const { fence } = (encoded[position] as EncodedCommit).commit;
    const group = groups.get(fence);
    if (group) group.push(position);
    else groups.set(fence, [position]);
  }
  return [...groups.values()];
}
