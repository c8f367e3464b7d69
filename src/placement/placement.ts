// Which shards this node owns. In a deployment of one node it owns all of them, through the same
// owner record, token and lease that a cluster uses (architecture section 4, invariants M1): the
// node renews its own lease every second; a shard is taken from a node whose lease has ended or
// whose boot id is gone, each time with a new epoch and token. Safety comes from the fence in the
// commit script, never from the lease.
//
// Losing a shard, or a write for it whose outcome is unclear, ends in one way: everything in memory
// of that shard is dropped and the shard is taken again (invariants M3). While the store is away
// this is tried until it answers.
import { sleep } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { Fence } from '../store/execution-store.js';
import type { NodeIdentity, ShardStore } from '../store/shard-store.js';
import type { ShardExecutions } from '../shard/executions.js';
import type { OwnedShards } from '../shard/owned-shards.js';
import type { StoreClock } from './store-clock.js';

export const leaseTtlMs = 3000;
const renewEveryMs = 1000;
const retryEveryMs = 50;

/** Who wants to know how it goes. */
export interface PlacementMonitor {
  /** The node begins and ceases to serve. */
  serving(isServing: boolean, why?: unknown): void;
  failed(error: unknown): void;
}

export interface PlacementParts {
  readonly clock: StoreClock;
  readonly store: ShardStore;
  readonly node: NodeIdentity;
  readonly shards: number;
  readonly owned: OwnedShards;
  readonly executions: ShardExecutions;
  readonly monitor: PlacementMonitor;
}

export class Placement implements Service {
  /** Wanted, and not owned. */
  readonly #missing = new Set<number>();
  /** How often each shard was lost; who takes one compares it, because it may be lost meanwhile. */
  readonly #losses: number[];
  readonly #renewing: PeriodicLoop;
  #recovering: Promise<void> | undefined;
  #isServing = false;
  #stopped = false;

  constructor(private readonly parts: PlacementParts) {
    const { clock, monitor, owned, shards } = parts;
    for (let shard = 0; shard < shards; shard++) this.#missing.add(shard);
    this.#losses = new Array<number>(shards).fill(0);
    this.#renewing = new PeriodicLoop({
      clock,
      everyMs: renewEveryMs,
      // While shards are taken again, that renews.
      turn: () => (this.#recovering === undefined ? this.#renew() : Promise.resolve()),
      failed: (error) => monitor.failed(error),
    });
    owned.onLoss((lost, error) => this.lost(error, lost));
  }

  /** Takes the shards; resolves when all are owned. Rejects when the store refuses this node. */
  async start(): Promise<void> {
    await this.#renew();
    await this.#take();
    if (this.#missing.size > 0) this.#startRecovery();
    await this.#recovering;
    await this.#renewing.start();
  }

  /** Hands the shards over at once. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#recovering;
    await this.#renewing.stop();
    const { owned, store, node, monitor } = this.parts;
    const fences = owned.all.flatMap((shard) => owned.fenceOf(shard) ?? []);
    owned.drop(owned.all);
    try {
      await store.release(fences);
      await store.leave(node);
    } catch (error) {
      monitor.failed(error);
    }
  }

  /**
   * These shards were lost (default: all, as with the store): drops what is in memory of them and
   * takes them again.
   */
  lost(error: unknown, shards: readonly number[] = [...this.#losses.keys()]): void {
    if (this.#stopped) return;
    this.#drop(shards);
    if (this.parts.owned.all.length === 0) this.#serve(false, error);
    if (this.#recovering !== undefined) return;
    this.parts.monitor.failed(error);
    this.#startRecovery();
  }

  /**
   * Also shards that are being taken: what has been loaded since the last loss must not wait for
   * commits that nobody answers.
   */
  #drop(shards: readonly number[]): void {
    for (const shard of shards) {
      this.#losses[shard] = (this.#losses[shard] ?? 0) + 1;
      this.#missing.add(shard);
    }
    this.parts.owned.drop(shards);
    this.parts.executions.drop(shards);
  }

  #startRecovery(): void {
    this.#recovering = this.#recover().finally(() => {
      this.#recovering = undefined;
      // Lost again right after the last one had been taken.
      if (this.#missing.size > 0 && !this.#stopped) this.#startRecovery();
    });
  }

  async #recover(): Promise<void> {
    let lastMessage = '';
    while (!this.#stopped && this.#missing.size > 0) {
      try {
        await this.#renew();
        await this.#take();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (message !== lastMessage) this.parts.monitor.failed(error);
        lastMessage = message;
      }
      // Another node's lease is waited for.
      if (this.#missing.size > 0) await sleep(this.parts.clock, retryEveryMs);
    }
  }

  /** Takes the missing shards that may be taken. Rejects when the store is away. */
  async #take(): Promise<void> {
    const losses = [...this.#losses];
    const isCurrent = ({ shard }: Fence): boolean =>
      losses[shard] === this.#losses[shard] && !this.#stopped;
    const { owned, executions, store, node } = this.parts;
    const taken = (await store.acquire(node, [...this.#missing])).filter(isCurrent);
    if (taken.length === 0) return;
    const shards = taken.map(({ shard }) => shard);
    owned.take(taken);
    for (const shard of shards) this.#missing.delete(shard);
    try {
      await executions.takeOver(shards);
    } catch (error) {
      this.#drop(taken.filter(isCurrent).map(({ shard }) => shard));
      throw error;
    }
    if (this.#missing.size === 0) this.#serve(true);
  }

  #serve(isServing: boolean, why?: unknown): void {
    if (this.#isServing === isServing) return;
    this.#isServing = isServing;
    this.parts.monitor.serving(isServing, why);
  }

  async #renew(): Promise<void> {
    const askedAt = this.parts.clock.monotonic();
    const storeAt = await this.parts.store.now();
    this.parts.clock.measured(storeAt, askedAt, this.parts.clock.monotonic());
    await this.parts.store.renew(this.parts.node, leaseTtlMs);
  }
}
