// Which shards this node owns. In a deployment of one node it owns all of them, through the same
// owner record, token and lease that a cluster uses (architecture section 4, invariants M1): the
// node renews its own lease every second; a shard is taken from a node whose lease has ended or
// whose boot id is gone, each time with a new epoch and token. Safety comes from the fence in the
// commit script, never from the lease.
//
// Losing a shard, or a write whose outcome is unclear, ends in one way: everything in memory is
// dropped and the shards are taken again (invariants M3). While the store is away this is tried
// until it answers.
import { sleep } from '../std/clock.js';
import type { Service } from '../std/service.js';
import type { Fence } from '../store/execution-store.js';
import type { NodeIdentity, ShardStore } from '../store/shard-store.js';
import type { Shards } from '../shard/shards.js';
import type { StoreClock } from './store-clock.js';

export const leaseTtlMs = 3000;
const renewEveryMs = 1000;
const retryEveryMs = 50;

export interface PlacementParts {
  clock: StoreClock;
  store: ShardStore;
  node: NodeIdentity;
  shards: number;
  executions: () => Shards;
  /** Told when the node begins and ceases to serve. */
  serving: (isServing: boolean, why?: unknown) => void;
  failed: (error: unknown) => void;
}

export class Placement implements Service {
  #fences: (Fence | undefined)[] = [];
  #owned: number[] = [];
  #secret: Buffer = Buffer.alloc(0);
  #stopped = false;
  #recovering: Promise<void> | undefined;
  /**
   * How often everything was lost. Taking shards compares it, because the next loss may come
   * meanwhile.
   */
  #losses = 0;
  #renewing: Promise<void> = Promise.resolve();
  /** Ends the pause between two renewals. */
  #wake: () => void = () => undefined;

  constructor(private readonly parts: PlacementParts) {}

  fenceOf(shard: number): Fence | undefined {
    return this.#fences[shard];
  }

  get ownedShards(): readonly number[] {
    return this.#owned;
  }

  get secret(): Buffer {
    return this.#secret;
  }

  /** Opens the keyspace and takes the shards; rejects when the store refuses this deployment. */
  async start(): Promise<void> {
    const keyspace = await this.parts.store.openKeyspace(this.parts.shards);
    this.#secret = keyspace.secret;
    await this.#renew();
    if (!(await this.#take())) await this.#recovering;
    this.#renewing = this.#renewForever();
  }

  /** Hands the shards over at once. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#wake();
    await this.#recovering;
    await this.#renewing;
    const fences = this.#fences.filter((fence) => fence !== undefined);
    this.#fences = [];
    this.#owned = [];
    try {
      await this.parts.store.release(fences);
      await this.parts.store.leave(this.parts.node);
    } catch (error) {
      this.parts.failed(error);
    }
  }

  /** A shard or the store was lost: drop everything and take the shards again. */
  lost(error: unknown): void {
    if (this.#stopped) return;
    this.#drop();
    if (this.#recovering !== undefined) return;
    this.parts.failed(error);
    this.#startRecovery(error);
  }

  #startRecovery(why: unknown): void {
    this.parts.serving(false, why);
    this.#recovering = this.#recover().finally(() => {
      this.#recovering = undefined;
      // Lost again right after it had succeeded.
      if (!this.#stopped && this.#owned.length === 0) this.#startRecovery(why);
    });
  }

  /**
   * Also while shards are being taken: what has been loaded since the last loss must not wait for
   * commits that are never answered.
   */
  #drop(): void {
    this.#losses += 1;
    this.#fences = [];
    this.#owned = [];
    this.parts.executions().dropAll();
  }

  async #recover(): Promise<void> {
    let lastMessage = '';
    while (!this.#stopped) {
      try {
        await this.#renew();
        if (await this.#take()) return;
      } catch (error) {
        this.#drop();
        const message = error instanceof Error ? error.message : String(error);
        if (message !== lastMessage) this.parts.failed(error);
        lastMessage = message;
        await sleep(this.parts.clock, retryEveryMs);
      }
    }
  }

  /**
   * Takes every shard that may be taken, until all are ours; another node's lease is waited for.
   * False when they were lost again meanwhile.
   */
  async #take(): Promise<boolean> {
    const losses = this.#losses;
    const isCurrent = (): boolean => losses === this.#losses && !this.#stopped;
    const taken: Fence[] = [];
    const missing = new Set(Array.from({ length: this.parts.shards }, (_, shard) => shard));
    while (missing.size > 0 && isCurrent()) {
      const fences = await this.parts.store.acquire(this.parts.node, [...missing]);
      for (const fence of fences) {
        taken[fence.shard] = fence;
        missing.delete(fence.shard);
      }
      if (missing.size > 0) await sleep(this.parts.clock, retryEveryMs);
    }
    if (!isCurrent()) return false;
    this.#fences = taken;
    this.#owned = taken.map((fence) => fence.shard);
    await this.parts.executions().takeOver(this.#owned);
    if (!isCurrent()) return false;
    this.parts.serving(true);
    return true;
  }

  async #renewForever(): Promise<void> {
    while (!this.#stopped) {
      await new Promise<void>((resume) => {
        const timer = this.parts.clock.after(renewEveryMs, resume);
        this.#wake = () => {
          timer.cancel();
          resume();
        };
      });
      try {
        if (!this.#stopped && this.#recovering === undefined) await this.#renew();
      } catch (error) {
        this.parts.failed(error);
      }
    }
  }

  async #renew(): Promise<void> {
    const askedAt = this.parts.clock.monotonic();
    const storeAt = await this.parts.store.now();
    this.parts.clock.measured(storeAt, askedAt, this.parts.clock.monotonic());
    await this.parts.store.renew(this.parts.node, leaseTtlMs);
  }
}
