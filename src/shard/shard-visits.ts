// When each of this node's shards was last visited, for loops that visit some of them in a turn:
// the one that has waited longest comes first.
import type { Clock } from '../std/clock.js';
import type { Fence } from '../store/execution-store.js';
import type { OwnedShards } from './owned-shards.js';

export interface VisitRules {
  readonly clock: Clock;
  readonly owned: Pick<OwnedShards, 'all' | 'fenceOf'>;
  /** Between two visits of one shard, at least and at most, ms. */
  readonly everyMsMin: number;
  readonly everyMsMax: number;
  /** When the shard should be visited for what is known of it, epoch ms; 0: as soon as may be. */
  readonly wantedAt: (shard: number) => number;
}

export interface Visit {
  readonly fence: Fence | undefined;
  /** When it began, monotonic ms. */
  readonly at: number;
}

/** Of one that was never visited, monotonic ms. */
const never = Number.NEGATIVE_INFINITY;

export class ShardVisits {
  /** Monotonic ms, by fence: a shard that was taken again has not been visited. */
  readonly #visitedAt = new WeakMap<Fence, number>();

  constructor(private readonly rules: VisitRules) {}

  /** A visit begins now. The caller hands it to `visited` when it has come through. */
  begin(shard: number): Visit {
    return { fence: this.rules.owned.fenceOf(shard), at: this.rules.clock.monotonic() };
  }

  visited({ fence, at }: Visit): void {
    if (fence !== undefined) this.#visitedAt.set(fence, at);
  }

  /** Shards whose visit is due, at most `limit`. */
  due(limit: number): number[] {
    const due: { shard: number; visitedAt: number }[] = [];
    for (const shard of this.rules.owned.all) {
      const fence = this.rules.owned.fenceOf(shard);
      const visitedAt = (fence && this.#visitedAt.get(fence)) ?? never;
      if (this.#isDue(shard, visitedAt)) due.push({ shard, visitedAt });
    }
    due.sort((a, b) => Number(a.visitedAt > b.visitedAt) - Number(a.visitedAt < b.visitedAt));
    return due.slice(0, limit).map(({ shard }) => shard);
  }

  #isDue(shard: number, visitedAt: number): boolean {
    const { clock, everyMsMin, everyMsMax, wantedAt } = this.rules;
    const sinceMs = clock.monotonic() - visitedAt;
    return sinceMs >= everyMsMax || (sinceMs >= everyMsMin && wantedAt(shard) <= clock.now());
  }
}
