// What a cluster of many nodes says to itself while nothing happens, and when many of them go at
// once: messages over links and calls of the store, counted on the simulation's virtual clock. Each
// node has a parked poll of the same task type, so each announces a queue to each other one.
import type { QueueName } from '../../src/engine/decision.js';
import { inCluster, until } from './in-cluster.js';
import { shards, type SimulatedNode } from './node.js';
import type { Cluster } from './simulate.js';

export interface ControlTraffic {
  readonly nodes: number;
  /** Until every node knows the queue that every other one polls. */
  readonly announcements: number;
  /** While nothing happens, per second, of all nodes together. */
  readonly messagesPerSecond: number;
  readonly bytesPerSecond: number;
  readonly storeCallsPerSecond: number;
  /** From the moment when a third of the nodes died until all shards are served, virtual ms. */
  readonly takeoverMs: number;
  readonly takeoverMessages: number;
  readonly takeoverStoreCalls: number;
}

const quietMs = 2_000;
const pollMs = 30_000;
const queue = { taskType: 'torture_task' } as QueueName;

/** Rejects when the cluster does not settle within the time of a scripted simulation. */
export async function controlTraffic(nodes: number): Promise<ControlTraffic> {
  let traffic: ControlTraffic | undefined;
  await inCluster({ nodes }, async (cluster) => {
    const all = [...cluster.nodes.values()];
    await until(cluster, () => all.every(({ peers }) => peers.connected.length === nodes - 1));
    await until(cluster, () => served(all) === shards);
    // What the start brings is over.
    await cluster.workload.pause(quietMs);
    const unannounced = counts(cluster);
    for (const node of all) park(node);
    await cluster.workload.pause(quietMs);
    const announcements = since(cluster, unannounced).messages;
    const before = counts(cluster);
    await cluster.workload.pause(quietMs);
    const quiet = since(cluster, before);
    traffic = { nodes, announcements, ...perSecond(quiet), ...(await takeover(cluster, all)) };
  });
  if (traffic === undefined) throw new Error(`a cluster of ${nodes} nodes does not settle`);
  return traffic;
}

function park(node: SimulatedNode): void {
  node.clock.happen(() => {
    const poll = { queue, workerId: 'w', count: 1, timeoutMs: pollMs, onAbort: () => undefined };
    node.hub.poll(poll).catch(() => undefined);
  });
}

/** How many shards somebody owns. */
export function served(nodes: readonly SimulatedNode[]): number {
  return new Set(nodes.flatMap(({ owned }) => owned.all)).size;
}

/** A third of the nodes dies at one moment, the first one among them, so that shards move. */
async function takeover(
  cluster: Cluster,
  all: readonly SimulatedNode[],
): Promise<Pick<ControlTraffic, 'takeoverMs' | 'takeoverMessages' | 'takeoverStoreCalls'>> {
  const owners = [...all].sort((a, b) => b.owned.all.length - a.owned.all.length);
  const gone = new Set(owners.slice(0, Math.max(1, Math.floor(all.length / 3))));
  const left = all.filter((node) => !gone.has(node));
  const [at, before] = [cluster.scheduler.now, counts(cluster)];
  for (const node of gone) node.die();
  await until(cluster, () => served(left) === shards);
  const { messages, storeCalls } = since(cluster, before);
  return {
    takeoverMs: cluster.scheduler.now - at,
    takeoverMessages: messages,
    takeoverStoreCalls: storeCalls,
  };
}

interface Counts {
  readonly messages: number;
  readonly bytes: number;
  readonly storeCalls: number;
}

function counts({ network, store }: Cluster): Counts {
  return { ...network.carried, storeCalls: store.calls };
}

function since(cluster: Cluster, before: Counts): Counts {
  const now = counts(cluster);
  return {
    messages: now.messages - before.messages,
    bytes: now.bytes - before.bytes,
    storeCalls: now.storeCalls - before.storeCalls,
  };
}

function perSecond(
  counted: Counts,
): Pick<ControlTraffic, 'messagesPerSecond' | 'bytesPerSecond' | 'storeCallsPerSecond'> {
  const seconds = quietMs / 1000;
  return {
    messagesPerSecond: counted.messages / seconds,
    bytesPerSecond: counted.bytes / seconds,
    storeCallsPerSecond: counted.storeCalls / seconds,
  };
}
