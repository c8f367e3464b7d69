// Clears away what expired executions leave behind (setting retentionSeconds): index entries, the
// use of their definition snapshot, segments. The record itself carries an expiry of its own, so an
// execution is gone at its moment and this may come a little later.
//
// Every shard is visited once in `roundMs`, some at each turn, by the node that owns it: the script
// compares the shard's fence. A turn is bounded, so that many executions that expire together are
// cleared in portions; a shard that had more comes first at the next turn. A turn that fails is
// reported, and the shard is visited again in the next round.
import type { Clock, TimerHandle } from '../std/clock.js';
import type { Service } from '../std/service.js';
import type { Fence } from '../store/execution-store.js';
import type { RetentionStore } from '../store/retention-store.js';

/** All shards are visited once in this time. */
export const roundMs = 10_000;
const turnMs = 500;
/** Calls to the store of one turn, beside the first visit of each of its shards. */
export const furtherCallsPerTurnMax = 50;

export interface RetentionParts {
  clock: Clock;
  store: RetentionStore;
  ownedShards: () => readonly number[];
  /** undefined when the shard is not this node's (any more). */
  fenceOf: (shard: number) => Fence | undefined;
  failed: (error: unknown) => void;
}

export class Retention implements Service {
  #timer: TimerHandle | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = true;
  #next = 0;
  /** Shards whose last visit found more than it could clear. */
  #unfinished: number[] = [];

  constructor(private readonly parts: RetentionParts) {}

  async start(): Promise<void> {
    this.#stopped = false;
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  /** One turn: the next few shards. Resolves when they have been visited; does not reject. */
  async runOnce(): Promise<void> {
    const left = { calls: furtherCallsPerTurnMax };
    for (const shard of this.#shardsOfTurn()) {
      if (this.#stopped) return;
      try {
        await this.#sweep(shard, left);
      } catch (error) {
        this.parts.failed(error);
      }
    }
  }

  #arm(): void {
    if (this.#stopped) return;
    this.#timer = this.parts.clock.after(turnMs, () => {
      this.#running = this.runOnce().finally(() => this.#arm());
    });
  }

  #shardsOfTurn(): number[] {
    const owned = this.parts.ownedShards();
    const shards = new Set(this.#unfinished);
    this.#unfinished = [];
    const count = Math.min(owned.length, Math.ceil((owned.length * turnMs) / roundMs));
    for (let i = 0; i < count; i += 1) {
      this.#next = (this.#next + 1) % owned.length;
      shards.add(owned[this.#next] as number);
    }
    return [...shards];
  }

  async #sweep(shard: number, left: { calls: number }): Promise<void> {
    const fence = this.parts.fenceOf(shard);
    if (fence === undefined) return;
    const untilAt = this.parts.clock.now();
    while ((await this.parts.store.sweepExpired(fence, untilAt)) > 0) {
      if (this.#stopped) return;
      if (left.calls === 0) {
        this.#unfinished.push(shard);
        return;
      }
      left.calls -= 1;
    }
  }
}
