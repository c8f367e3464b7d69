// Clears away what expired executions leave behind (setting retentionSeconds): index entries, the
// use of their definition snapshot, segments. The record itself carries an expiry of its own, so an
// execution is gone at its moment and this may come a little later.
//
// Every shard is visited once in a round, some at each turn, by the node that owns it: the script
// compares the shard's fence. A round takes `roundMs`, and `idleRoundMs` after one that found
// nothing, since an idle node has little else to ask of the store. A turn is bounded, so that many
// executions that expire together are cleared in portions; a shard that had more comes first at the
// next turn. A turn that fails is reported, and the shard is visited again in the next round.
import type { Clock } from '../std/clock.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { BeforeRemoval, RetentionStore } from '../store/retention-store.js';
import type { OwnedShards } from './owned-shards.js';

/** All shards are visited once in this time. */
export const roundMs = 10_000;
/** The same while nothing expires. */
export const idleRoundMs = 30_000;
const turnMs = 500;
/** Calls to the store of one turn, beside the first visit of each of its shards. */
export const furtherCallsPerTurnMax = 50;

export interface ExpirySweepParts {
  clock: Clock;
  store: RetentionStore;
  owned: OwnedShards;
  /** Archives, for one. */
  before: BeforeRemoval | undefined;
  failed: (error: unknown) => void;
}

export class ExpirySweep extends PeriodicService {
  #next = 0;
  #roundMs = roundMs;
  /** Visits since something was cleared. */
  #foundNothing = 0;
  /** Visits that are due; a turn makes the whole ones. */
  #due = 0;
  /** Shards whose last visit found more than it could clear. */
  #unfinished: number[] = [];

  constructor(private readonly parts: ExpirySweepParts) {
    super({ clock: parts.clock, everyMs: turnMs, failed: parts.failed });
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
    const owned = this.parts.owned.all;
    const shards = new Set(this.#unfinished);
    this.#unfinished = [];
    this.#due = Math.min(owned.length, this.#due + (owned.length * turnMs) / this.#roundMs);
    const count = Math.floor(this.#due);
    this.#due -= count;
    for (let i = 0; i < count; i += 1) {
      this.#next = (this.#next + 1) % owned.length;
      shards.add(owned[this.#next] as number);
    }
    return [...shards];
  }

  async #sweep(shard: number, left: { calls: number }): Promise<void> {
    const fence = this.parts.owned.fenceOf(shard);
    if (fence === undefined) return;
    const untilAt = this.parts.clock.now();
    const { store, before } = this.parts;
    while ((await store.sweepExpired(fence, untilAt, before)) > 0) {
      this.#foundNothing = -1;
      this.#roundMs = roundMs;
      if (this.isStopped) return;
      if (left.calls === 0) {
        this.#unfinished.push(shard);
        return;
      }
      left.calls -= 1;
    }
    this.#foundNothing += 1;
    if (this.#foundNothing > this.parts.owned.all.length) this.#roundMs = idleRoundMs;
  }
}
