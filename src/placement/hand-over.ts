// Gives shards to the nodes that they are placed on. For each: take no more commands, let what is
// decided become durable, forget it, release the owner record, tell the successor. A shard whose
// successor cannot be asked stays here.
import type { PlacementParts } from './placement-parts.js';
import { shardNotices } from './shard-notices.js';

/** Shards that are handed over at a time. */
const atOnce = 32;

export class HandOver {
  readonly #self: string;
  readonly #leaving = new Set<number>();

  constructor(private readonly parts: PlacementParts) {
    this.#self = parts.membership.self.nodeId;
  }

  /** Shards that are being handed over now. */
  get leaving(): readonly number[] {
    return [...this.#leaving];
  }

  /** Hands over what is placed on other nodes (`target`: node id per shard). */
  async giveAway(target: readonly string[]): Promise<void> {
    const { owned, peers } = this.parts;
    const reachable = new Set(peers.connected);
    const successors = new Map<string, number[]>();
    for (const shard of owned.all) {
      const nodeId = target[shard];
      if (nodeId === undefined || nodeId === this.#self || this.#leaving.has(shard)) continue;
      if (!reachable.has(nodeId)) continue;
      const shards = successors.get(nodeId);
      if (shards === undefined) successors.set(nodeId, [shard]);
      else shards.push(shard);
    }
    await Promise.all([...successors].map(([nodeId, shards]) => this.#handOver(shards, nodeId)));
  }

  async #handOver(shards: readonly number[], successor: string): Promise<void> {
    for (let first = 0; first < shards.length; first += atOnce) {
      const some = shards.slice(first, first + atOnce);
      for (const shard of some) this.#leaving.add(shard);
      try {
        await this.release(some, successor);
      } finally {
        for (const shard of some) this.#leaving.delete(shard);
      }
    }
  }

  /**
   * Frees shards, each as soon as what was decided in it is durable: none waits for another one.
   */
  async release(shards: readonly number[], successor?: string): Promise<void> {
    const { executions, peers } = this.parts;
    for await (const settled of executions.handOver(shards)) {
      await this.#free(settled);
      if (successor !== undefined) peers.notify(successor, shardNotices.released, settled);
    }
  }

  /** The shards are no longer this node's. */
  async #free(shards: readonly number[]): Promise<void> {
    const { owned, store, map, executions } = this.parts;
    const fences = shards.flatMap((shard) => owned.fenceOf(shard) ?? []);
    for (const { shard } of fences) map.forget(shard, this.#self);
    owned.drop(shards);
    executions.drop(shards);
    await store.release(fences);
  }
}
