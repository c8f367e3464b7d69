// Clears away what expired executions leave behind (setting retentionSeconds): index entries, the
// use of their definition snapshot, segments. The record itself carries an expiry of its own, so an
// execution is gone at its moment and this may come a little later.
//
// A shard is visited when the next of its executions expires, by what its owner knows
// (shard-outlook.ts), at most once in `roundMs`; and now and then all the same. Each turn visits
// some, the one that has waited longest first, by the node that owns it: the script compares the
// shard's fence. A turn is bounded, so that many executions that expire together are cleared in
// portions; a shard that had more comes first at the next turn. A turn that fails is reported, and
// the shard is visited again.
import type { Clock } from '../std/clock.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { BeforeRemoval, RetentionStore } from '../store/retention-store.js';
import type { OwnedShards } from './owned-shards.js';
import { ShardVisits } from './shard-visits.js';
import type { ShardOutlook } from './shard-outlook.js';

/** All shards can be visited once in this time, and none is more often. */
export const roundMs = 10_000;
/** One of which nothing is known to expire is visited once in this time. */
export const quietMs = 600_000;
const turnMs = 500;
/** Calls to the store of one turn, beside the first visit of each of its shards. */
export const furtherCallsPerTurnMax = 50;

export interface ExpirySweepParts {
  clock: Clock;
  store: RetentionStore;
  owned: OwnedShards;
  outlook: ShardOutlook;
  /** Archives, for one. */
  before: BeforeRemoval | undefined;
  failed: (error: unknown) => void;
}

export class ExpirySweep extends PeriodicService {
  readonly #visits: ShardVisits;
  /** Visits that may be made; a turn makes the whole ones. */
  #allowed = 0;
  /** Shards whose last visit found more than it could clear. */
  #unfinished: number[] = [];

  constructor(private readonly parts: ExpirySweepParts) {
    super({ clock: parts.clock, everyMs: turnMs, failed: parts.failed, runsOn: 'owner' });
    this.#visits = new ShardVisits({
      ...{ clock: parts.clock, owned: parts.owned },
      everyMsMin: roundMs,
      everyMsMax: quietMs,
      wantedAt: (shard) => parts.outlook.of(shard).expiresAt,
    });
  }

  /** One turn: the next few shards. Resolves when they have been visited; does not reject. */
  override async runOnce(): Promise<void> {
    const left = { calls: furtherCallsPerTurnMax };
    for (const shard of this.#shardsOfTurn()) {
      if (this.isStopped) return;
      try {
        await this.#sweep(shard, left);
      } catch (error) {
        this.parts.failed(error);
      }
    }
  }

  #shardsOfTurn(): number[] {
    const { length } = this.parts.owned.all;
    const shards = new Set(this.#unfinished);
    this.#unfinished = [];
    const perTurn = (length * turnMs) / roundMs;
    this.#allowed = Math.min(Math.ceil(perTurn), this.#allowed + perTurn);
    const due = this.#visits.due(Math.floor(this.#allowed));
    this.#allowed -= due.length;
    for (const shard of due) shards.add(shard);
    return [...shards];
  }

  async #sweep(shard: number, left: { calls: number }): Promise<void> {
    const { owned, outlook, clock, store, before } = this.parts;
    const fence = owned.fenceOf(shard);
    if (fence === undefined) return;
    const untilAt = clock.now();
    this.#visits.visited(this.#visits.begin(shard));
    for (;;) {
      const reading = outlook.begin(shard);
      const { removed, nextAt } = await store.sweepExpired(fence, untilAt, before);
      outlook.learn(reading, { expiresAt: nextAt });
      if (removed === 0 || this.isStopped) return;
      if (left.calls === 0) {
        this.#unfinished.push(shard);
        return;
      }
      left.calls -= 1;
    }
  }
}
