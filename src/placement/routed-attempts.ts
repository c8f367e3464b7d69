// Claims of attempts of the whole cluster (invariants M7): a poll at any node may take a member
// from the store's queue, and the execution's owner says whether it is still wanted. Attempts that
// this node owns are asked here; claims for others travel to their owners. An owner that cannot be
// asked now leaves its members to their provisional leases.
import { AppError } from '../model/errors.js';
import { parseTaskId, shardOf } from '../std/ids.js';
import type {
  AttemptOwner,
  Claimed,
  Leased,
  LeaseWish,
  NotLeased,
} from '../queue/attempt-owner.js';
import type { OwnedShards } from '../shard/owned-shards.js';
import { shardMoved } from '../shard/refusals.js';
import type { Attempt } from '../store/queue-store.js';
import type { ShardStore } from '../store/shard-store.js';
import { isNotOwner } from './owner-calls.js';
import type { Peers } from './peer/peers.js';
import type { ShardMap } from './shard-map.js';

const claimCall = 'claim';
const leaseEndedCall = 'lease-ended';
/** How long an owner may take to answer a claim, ms (invariants M7). */
const claimMs = 1000;

export interface RoutedAttemptsParts {
  /** Of this node. */
  readonly nodeId: string;
  readonly shards: number;
  /** Attempts of the executions that this node owns. */
  readonly local: AttemptOwner;
  readonly owned: OwnedShards;
  readonly map: ShardMap;
  readonly peers: Peers;
  readonly store: Pick<ShardStore, 'ownerOf'>;
}

interface ClaimBody {
  readonly attempt: Attempt;
  readonly workerId: string | undefined;
}

export class RoutedAttempts implements AttemptOwner {
  constructor(private readonly parts: RoutedAttemptsParts) {
    const { peers, local } = parts;
    peers.handle(claimCall, async (body) => {
      const { attempt, workerId } = body as ClaimBody;
      this.#requireOwned(attempt);
      return (await local.claim(attempt, workerId ?? undefined)) ?? null;
    });
    peers.handle(leaseEndedCall, async (body) => {
      this.#requireOwned(body as Attempt);
      return await local.leaseEnded(body as Attempt);
    });
  }

  async claim(attempt: Attempt, workerId: string | undefined): Promise<Claimed | undefined> {
    if (this.#isLocal(attempt)) return await this.parts.local.claim(attempt, workerId);
    const body: ClaimBody = { attempt, workerId };
    const claimed = (await this.#ask(attempt, claimCall, body)) as Claimed | null;
    return claimed ?? undefined;
  }

  async leaseEnded(attempt: Attempt): Promise<boolean> {
    if (this.#isLocal(attempt)) return await this.parts.local.leaseEnded(attempt);
    return (await this.#ask(attempt, leaseEndedCall, attempt)) as boolean;
  }

  /** Owners that can be asked: this node, or others of the cluster. */
  get isServing(): boolean {
    const { local, map, shards } = this.parts;
    if (local.isServing) return true;
    for (let shard = 0; shard < shards; shard++) if (map.ownerOf(shard) !== undefined) return true;
    return false;
  }

  /** Attempts of other nodes go by the store's scripts and a claim. */
  owns(attempt: Attempt): boolean {
    return this.parts.local.owns(attempt);
  }

  lease(wish: LeaseWish): Promise<(Leased | NotLeased)[]> {
    return this.parts.local.lease(wish);
  }

  returnLease(attempt: Attempt, leaseNumber: number): void {
    this.parts.local.returnLease(attempt, leaseNumber);
  }

  async #ask(attempt: Attempt, operation: string, body: unknown): Promise<unknown> {
    const shard = this.#shardOf(attempt);
    if (shard === undefined) throw unreachable();
    try {
      return await this.#askOwner(shard, operation, body);
    } catch (error) {
      if (!isNotOwner(error)) throw error;
    }
    // News of the owner was lost, or is on its way: the store knows. Nothing was done so far.
    const { map, store, nodeId } = this.parts;
    const found = await store.ownerOf(shard);
    // A record that names this node, which does not have the shard, is ignored.
    if (found !== undefined && found.nodeId !== nodeId) map.set(shard, found.nodeId, found.epoch);
    return await this.#askOwner(shard, operation, body);
  }

  async #askOwner(shard: number, operation: string, body: unknown): Promise<unknown> {
    const { map, peers } = this.parts;
    const owner = map.ownerOf(shard);
    if (owner === undefined) throw shardMoved();
    try {
      return await peers.call(owner.nodeId, operation, body, { timeoutMs: claimMs });
    } catch (error) {
      if (isNotOwner(error)) map.forget(shard, owner.nodeId, owner.epoch);
      throw error;
    }
  }

  /** A task id that is none of ours is left to the local owner, which knows no such execution. */
  #isLocal(attempt: Attempt): boolean {
    const shard = this.#shardOf(attempt);
    return shard === undefined || this.parts.owned.accepts(shard);
  }

  #requireOwned(attempt: Attempt): void {
    if (!this.#isLocal(attempt)) throw shardMoved();
  }

  #shardOf({ taskId }: Attempt): number | undefined {
    const parsed = parseTaskId(taskId);
    return parsed === undefined ? undefined : shardOf(parsed.executionId, this.parts.shards);
  }
}

function unreachable(): AppError {
  return new AppError('unavailable', 'The owner of the execution cannot be asked now');
}
