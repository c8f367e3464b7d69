// Many nodes on a cluster of primaries, some of which, a rack, go in one moment, on the virtual
// clock of the simulation (docs/scaling.md).
import { Payload } from '../../src/model/payload.js';
import type { StartRequest } from '../../src/shard/executions.js';
import { leaseTtlMs } from '../../src/placement/membership.js';
import { executionIdOf } from '../../src/std/ids.js';
import { inCluster, until } from './in-cluster.js';
import type { Cluster, Plant } from './simulate.js';
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
  /** The longest wait of one of them for its answer, virtual ms. */
  readonly slowestBesideMs: number;
  /** Of these, sent while the leases of nodes lasted that they had when the rack went. */
  readonly refusedWhileLeased: number;
  /** From the return of the rack until a start in each shard is accepted, virtual ms. */
  readonly servedAfterMs: number;
  /** Shards that two nodes took commands for at the same moment. */
  readonly sharedShards: readonly number[];
}

export interface RackFailoverOptions {
  readonly nodes: number;
  readonly primaries: number;
  /**
   * A primary that is away answers nothing for so long, as one that has lost its power; 0, which is
   * the default: it refuses.
   */
  readonly silentMs?: number;
  /**
   * Nodes whose record lies on the rack fail as well: one stands still beyond its lease while the
   * rack comes back, and another one is started anew, so that it knows of nobody.
   */
  readonly isDisturbed?: boolean;
  readonly plant?: Plant;
}

const rackAwayMs = 5_000;
/** A lease that was renewed a second before lasts so long. */
const leasedMs = leaseTtlMs - 1_200;
/** Writes that the replicas of the rack had not seen, ms. */
const rackLostMs = 200;
const startEveryMs = 200;
const quietMs = 2_000;
const idBytes = 10;
/** After the rack went, ms: longer than a lease, and the rack is back before it goes on. */
const freezeAtMs = 2_500;
const frozenMs = 6_000;
/** Shortly before the rack is back. */
const restartAtMs = rackAwayMs - 100;
const lookEveryMs = 5;
const answersWithinMs = 5_000;

const request: StartRequest = {
  snapshot: definitions.snapshotOf('torture_chain'),
  attributes: { priority: 0, taskToDomain: {} },
  input: Payload.of({ start: 0, items: [] }),
};

/**
 * A third of the primaries is away for five seconds, and its replicas, which take over, have not
 * seen its last writes. Starts go on all the while, in each shard, at nodes in turn.
 */
export async function rackFailover(options: RackFailoverOptions): Promise<RackFailover> {
  const { nodes, primaries, silentMs = 0, isDisturbed = false, plant } = options;
  let found: RackFailover | undefined;
  await inCluster({ nodes, primaries, ...(plant && { plant }) }, async (cluster) => {
    const { store, workload } = cluster;
    const all = [...cluster.nodes.values()];
    await until(cluster, () => shardsServed(all) === shards);
    await workload.pause(quietMs);
    const shared = watchOwners(cluster);
    const rack = new Set(Array.from({ length: primaries }, (_, i) => i).filter((i) => i % 3 === 0));
    const { keys } = (all[0] as SimulatedNode).client;
    const liesOnRack = (key: string): boolean =>
      rack.has(store.primaryOf({ kind: 'command', name: 'GET', args: [key] }) ?? -1);
    const isGone = (shard: number): boolean =>
      liesOnRack(keys.partitionState(keys.partitionOf(shard)));
    const everyShard = Array.from({ length: shards }, (_, shard) => shard);
    const [gone, beside] = [everyShard.filter(isGone), everyShard.filter((one) => !isGone(one))];
    store.silentMs = silentMs;
    for (const primary of rack) store.away.add(primary);
    if (isDisturbed) disturb(cluster, (nodeId) => liesOnRack(keys.node(nodeId)));
    const starts = new Starts(cluster);
    const during: Promise<boolean>[] = [];
    let slowestMs = 0;
    const timed = async (start: () => Promise<boolean>): Promise<boolean> => {
      const sentAt = cluster.scheduler.now;
      const isAccepted = await start();
      slowestMs = Math.max(slowestMs, cluster.scheduler.now - sentAt);
      return isAccepted;
    };
    let whileLeased = 0;
    for (let ms = 0; ms < rackAwayMs; ms += startEveryMs) {
      // What cannot be written now goes out in the same moments as what can.
      for (const shard of gone) void starts.isAccepted(shard);
      during.push(...beside.map((shard) => timed(() => starts.isAccepted(shard))));
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
      slowestBesideMs: slowestMs,
      refusedWhileLeased: refused(outcomes.slice(0, whileLeased)),
      servedAfterMs: Math.max(...after),
      sharedShards: shared(),
    };
  });
  if (found === undefined) throw new Error(`a cluster of ${nodes} nodes does not settle`);
  return found;
}

/** Looks from now on, as often as anything happens; resolves with what was seen so far. */
function watchOwners(cluster: Cluster): () => number[] {
  const shared = new Set<number>();
  const look = (): void => {
    const nodes = [...cluster.nodes.values()].filter(({ clock }) => !clock.isPaused);
    for (let shard = 0; shard < shards; shard++) {
      if (nodes.filter(({ owned }) => owned.accepts(shard)).length > 1) shared.add(shard);
    }
    cluster.scheduler.after(lookEveryMs, look);
  };
  look();
  return () => [...shared];
}

/** `isHidden`: whether the record of a node lies on the rack. */
function disturb(cluster: Cluster, isHidden: (nodeId: string) => boolean): void {
  const [frozen, restarted] = cluster.nodeIds.filter(isHidden);
  if (frozen === undefined || restarted === undefined) {
    throw new Error('The rack has fewer than two records of nodes');
  }
  const { scheduler } = cluster;
  const node = cluster.nodes.get(frozen);
  const client = cluster.clients.get(frozen);
  scheduler.after(freezeAtMs, () => {
    node?.clock.pause();
    client?.hold();
  });
  scheduler.after(freezeAtMs + frozenMs, () => {
    client?.letGo();
    node?.clock.proceed();
  });
  scheduler.after(restartAtMs, () => {
    cluster.nodes.get(restarted)?.die();
    cluster.startNode(restarted);
  });
}

function refused(outcomes: readonly boolean[]): number {
  return outcomes.filter((isAccepted) => !isAccepted).length;
}

/** Starts executions, each at the next node. */
class Starts {
  #count = 0;

  constructor(private readonly cluster: Cluster) {}

  /** Whether a start in the shard is acknowledged. */
  async isAccepted(shard: number): Promise<boolean> {
    this.#count += 1;
    const nodes = [...this.cluster.nodes.values()].filter(
      ({ clock }) => !clock.isPaused && !clock.isOver,
    );
    const node = nodes[this.#count % nodes.length] as SimulatedNode;
    const bytes = Buffer.alloc(idBytes);
    bytes.writeUInt32BE(this.#count);
    const start = node.executions.startAs(executionIdOf(shard, bytes), request).then(
      () => true,
      () => false,
    );
    // One that dies or stands still meanwhile says nothing.
    const silence = this.cluster.workload.pause(answersWithinMs).then(() => false);
    return await Promise.race([start, silence]);
  }
}
