// Many nodes on a cluster of primaries, some of which, a rack, go in one moment, on the virtual
// clock of the simulation (docs/scaling.md).
import { Payload } from '../../src/model/payload.js';
import type { StartRequest } from '../../src/shard/executions.js';
import { leaseTtlMs } from '../../src/placement/membership.js';
import { executionIdOf } from '../../src/std/ids.js';
import { inCluster, until } from './in-cluster.js';
import { served as shardsServed } from './many-nodes.js';
import { shards, type SimulatedNode } from './node.js';
import { definitions } from './workload-definitions.js';

export interface RackFailover {
  readonly nodes: number;
  readonly primaries: number;
  /** Primaries of the rack. */
  readonly gone: number;
  /** Of the shards, those whose partition lies on the rack. */
  readonly shardsGone: number;
  /** Starts in shards of other primaries while the rack was away, and how many were refused. */
  readonly startsBeside: number;
  readonly refusedBeside: number;
  /** Of these, sent while the leases of nodes lasted that they had when the rack went. */
  readonly refusedWhileLeased: number;
  /** From the return of the rack until a start in each shard is accepted, virtual ms. */
  readonly servedAfterMs: number;
}

const rackAwayMs = 5_000;
/** A lease that was renewed a second before lasts so long. */
const leasedMs = leaseTtlMs - 1_200;
/** Writes that the replicas of the rack had not seen, ms. */
const rackLostMs = 200;
const startEveryMs = 200;
const quietMs = 2_000;
const idBytes = 10;

const request: StartRequest = {
  snapshot: definitions.snapshotOf('torture_chain'),
  attributes: { priority: 0, taskToDomain: {} },
  input: Payload.of({ start: 0, items: [] }),
};

/**
 * A third of the primaries is away for five seconds, and its replicas, which take over, have not
 * seen its last writes. Starts go on all the while, in each shard, at nodes in turn. `silentMs`: a
 * primary that is away answers nothing for so long, as one that has lost its power; 0: it refuses.
 */
export async function rackFailover(
  nodes: number,
  primaries: number,
  silentMs = 0,
): Promise<RackFailover> {
  let found: RackFailover | undefined;
  await inCluster({ nodes, primaries }, async (cluster) => {
    const { store, workload } = cluster;
    const all = [...cluster.nodes.values()];
    await until(cluster, () => shardsServed(all) === shards);
    await workload.pause(quietMs);
    const rack = new Set(Array.from({ length: primaries }, (_, i) => i).filter((i) => i % 3 === 0));
    const isGone = (shard: number): boolean => {
      const { keys } = all[0]?.client ?? {};
      const key = keys?.partitionState(keys.partitionOf(shard)) ?? '';
      return rack.has(store.primaryOf({ kind: 'command', name: 'GET', args: [key] }) ?? -1);
    };
    const everyShard = Array.from({ length: shards }, (_, shard) => shard);
    const [gone, beside] = [everyShard.filter(isGone), everyShard.filter((one) => !isGone(one))];
    store.silentMs = silentMs;
    for (const primary of rack) store.away.add(primary);
    const starts = new Starts(all);
    const during: Promise<boolean>[] = [];
    let whileLeased = 0;
    for (let ms = 0; ms < rackAwayMs; ms += startEveryMs) {
      during.push(...beside.map((shard) => starts.isAccepted(shard)));
      if (ms < leasedMs) whileLeased = during.length;
      await workload.pause(startEveryMs);
    }
    store.away.clear();
    store.failOver(rackLostMs, rack);
    const at = cluster.scheduler.now;
    const served = async (shard: number): Promise<number> => {
      while (!(await starts.isAccepted(shard))) await workload.pause(startEveryMs);
      return cluster.scheduler.now - at;
    };
    const after = await Promise.all(everyShard.map(served));
    const outcomes = await Promise.all(during);
    found = {
      ...{ nodes, primaries, gone: rack.size, shardsGone: gone.length },
      startsBeside: outcomes.length,
      refusedBeside: refused(outcomes),
      refusedWhileLeased: refused(outcomes.slice(0, whileLeased)),
      servedAfterMs: Math.max(...after),
    };
  });
  if (found === undefined) throw new Error(`a cluster of ${nodes} nodes does not settle`);
  return found;
}

function refused(outcomes: readonly boolean[]): number {
  return outcomes.filter((isAccepted) => !isAccepted).length;
}

/** Starts executions, each at the next node. */
class Starts {
  #count = 0;

  constructor(private readonly nodes: readonly SimulatedNode[]) {}

  /** Whether a start in the shard is acknowledged. */
  async isAccepted(shard: number): Promise<boolean> {
    this.#count += 1;
    const node = this.nodes[this.#count % this.nodes.length] as SimulatedNode;
    const bytes = Buffer.alloc(idBytes);
    bytes.writeUInt32BE(this.#count);
    try {
      await node.executions.startAs(executionIdOf(shard, bytes), request);
      return true;
    } catch {
      return false;
    }
  }
}
