// Counts anew what the executions of this node's shards hold, from their records (held-loads.ts):
// at the start, when shards came or went, and some minutes after the last count. A turn reads a
// bounded number of headers, so a million executions that wait cost the store and the node about a
// hundredth of their time. Without any of the quotas it does nothing.
import type { Clock } from '../std/clock.js';
import { shardOf, type ExecutionId } from '../std/ids.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { HeldStore } from '../store/held-store.js';
import type { ActorCache } from './actor-cache.js';
import type { HeldLoads } from './held-loads.js';
import type { OwnedShards } from './owned-shards.js';

const turnEveryMs = 250;
/** Executions of a turn: 4,000 a second, about 10 ms of the store. */
const executionsPerTurn = 1000;
/** From the end of a count to the next one, ms. */
const countEveryMs = 5 * 60_000;
/** Behind a count that failed, ms. */
const retryMs = 5000;

export interface RecountLoadsParts {
  readonly clock: Clock;
  /** The keyspace's number of shards. */
  readonly shards: number;
  readonly store: HeldStore;
  readonly owned: Pick<OwnedShards, 'all' | 'has'>;
  readonly cache: Pick<ActorCache, 'peek'>;
  readonly loads: HeldLoads;
  /** Some quota asks for the sums. */
  readonly isWanted: boolean;
  readonly failed: (error: unknown) => void;
}

interface Count {
  readonly ids: AsyncGenerator<ExecutionId[]>;
  /** Executions that were created later are counted as they start, epoch ms. */
  readonly beganAt: number;
}

export class RecountLoads extends PeriodicService {
  #count: Count | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;
  /** Shards that the last count began with, or that were there since. */
  #owned: readonly number[] = [];

  constructor(private readonly parts: RecountLoadsParts) {
    const { clock, failed } = parts;
    super({ clock, everyMs: turnEveryMs, failed, runsOn: 'owner' });
  }

  async runOnce(): Promise<void> {
    const { clock, loads, isWanted } = this.parts;
    if (!isWanted) return;
    this.#followShards();
    if (this.#count === undefined && clock.monotonic() < this.#nextAt) return;
    if (this.#count === undefined) {
      loads.begin();
      this.#nextAt = Number.POSITIVE_INFINITY;
      this.#count = { ids: this.parts.store.scan(), beganAt: clock.now() };
    }
    try {
      await this.#countTurn(this.#count);
    } catch (error) {
      this.#count = undefined;
      this.#nextAt = clock.monotonic() + retryMs;
      throw error;
    }
  }

  /**
   * Removes the shards that this node lost from its sums at once, by their part of all, and has all
   * counted anew: that part is a guess, and what started since the move is no part of what went.
   */
  #followShards(): void {
    const { owned, loads, clock } = this.parts;
    const before = this.#owned;
    if (owned.all === before) return;
    this.#owned = owned.all;
    const kept = before.filter((shard) => owned.has(shard)).length;
    if (before.length > 0 && kept < before.length) loads.keep(kept / before.length);
    this.#nextAt = clock.monotonic();
  }

  async #countTurn(count: Count): Promise<void> {
    let met = 0;
    while (met < executionsPerTurn && !this.isStopped) {
      const { value: ids, done } = await count.ids.next();
      if (done === true) return this.#end();
      met += ids.length;
      await this.#meet(ids, count);
    }
  }

  async #meet(ids: readonly ExecutionId[], { beganAt }: Count): Promise<void> {
    const { shards, store, owned, cache, loads } = this.parts;
    const stored = ids.filter((id) => {
      if (!owned.has(shardOf(id, shards))) return false;
      const actor = cache.peek(id);
      return actor === undefined || !loads.meet(actor);
    });
    if (stored.length === 0) return;
    for (const load of await store.loads(stored)) {
      if (load !== undefined && load.createdAt < beganAt) loads.add(load);
    }
  }

  #end(): void {
    const { clock, loads } = this.parts;
    loads.end();
    this.#count = undefined;
    // Shards may have come meanwhile.
    this.#nextAt = Math.min(this.#nextAt, clock.monotonic() + countEveryMs);
  }
}
