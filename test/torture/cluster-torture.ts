// The torture of a cluster: the mixed load goes through all nodes while faults of
// cluster/faults.ts fire at random. Once all is healed and drained, the same judges decide as for
// one node. Where Redis has replicas, all of them must confirm what is acknowledged (level D1), so
// that a failover undoes none of it. The seed draws the faults, their order and their victims; the
// timing is chance.
import { faultOf } from '../../cluster/faults.js';
import { LocalCluster } from '../../cluster/local-cluster.js';
import type { GivenRedisSettings } from '../../cluster/given-redis.js';
import type { Topology, TopologyKind } from '../../cluster/redis-topologies.js';
import { untilSettled } from '../../cluster/settled-cluster.js';
import { pause } from '../../testkit/until.js';
import { createRandom, type Random } from './random.js';
import { eventLoadArgs } from './event-load.js';
import { recordedRun, type RecordedRun } from './recorded-run.js';

export interface ClusterTortureOptions {
  readonly nodes: number;
  readonly redis: TopologyKind | GivenRedisSettings;
  /** The server to start for it, such as valkey-server; absent: redis-server. */
  readonly redisProgram?: string | undefined;
  /** Further arguments of every node. */
  readonly nodeArgs?: readonly string[];
  readonly faults: number;
  /** Fired in this order, again and again; drawn by the seed otherwise. */
  readonly names?: readonly string[];
  readonly seed: number;
  readonly historyFolder?: string;
  readonly openMax?: number;
  readonly drainMs?: number;
  readonly say?: (text: string) => void;
}

/** What is fired, by topology; a name that stands twice comes twice as often. */
const nodeFaults = ['kill', 'kill', 'leave', 'pause', 'cut', 'slow'];
const redisFaults: { readonly [kind in Topology['kind']]: readonly string[] } = {
  single: ['kill-both', 'redis-kill', 'redis-pause'],
  sentinel: ['kill-both', 'redis-failover', 'redis-pause'],
  cluster: ['kill-both', 'redis-failover', 'redis-pause', 'reshard'],
  given: [],
};
/** Replicas of each primary. */
const replicasOf: { readonly [kind in Topology['kind']]: number } = {
  single: 0,
  sentinel: 2,
  cluster: 1,
  given: 0,
};
/** How long a fault lasts before everything is healed, at least and at most, ms. */
const faultLastsMs = [200, 2_000] as const;
/** The same of faults that hide a node: mostly longer than its lease. */
const hidingLastsMs = [500, 6_000] as const;
/** Undisturbed load between two faults, ms. */
const restMs = [200, 1_500] as const;
/** Part of the faults that come while another one still lasts. */
const doubledShare = 0.3;
const settleTimeoutMs = 60_000;

export async function runClusterTorture(options: ClusterTortureOptions): Promise<RecordedRun> {
  const { nodes, redis, seed, openMax = 60, drainMs = 90_000, historyFolder } = options;
  const folder = historyFolder === undefined ? {} : { historyFolder };
  const random = createRandom(seed ^ 0xc105);
  const kind = typeof redis === 'string' ? redis : 'given';
  const args = [
    ...['--wait-replicas', String(replicasOf[kind])],
    ...eventLoadArgs,
    ...(options.nodeArgs ?? []),
  ];
  const cluster = await LocalCluster.start({
    ...{ nodes, redis, redisProgram: options.redisProgram, port: 0, args },
    random: random.next,
  });
  try {
    await untilSettled(cluster);
    return await recordedRun(
      cluster,
      { seed, openMax, drainMs, withSideLoads: true, ...folder },
      async () => {
        await fireAll(cluster, random, options);
      },
    );
  } finally {
    await cluster.stop();
  }
}

async function fireAll(
  cluster: LocalCluster,
  random: Random,
  { faults, names: given, say = () => undefined }: ClusterTortureOptions,
): Promise<void> {
  const drawn = [...nodeFaults, ...redisFaults[cluster.topology.kind]];
  for (let fired = 0; fired < faults; fired++) {
    await pause(random.between(...restMs));
    const name = given?.[fired % given.length] ?? drawn[random.between(0, drawn.length - 1)];
    const text = await fire(cluster, name as string);
    say(`${new Date().toISOString()} fault ${fired + 1} of ${faults}: ${text}`);
    if (random.next() < doubledShare && fired + 1 < faults) continue;
    const isHiding = cluster.nodes.some(({ state }) => state === 'paused') || name === 'cut';
    const [leastMs, mostMs] = isHiding ? hidingLastsMs : faultLastsMs;
    await pause(random.between(leastMs, mostMs));
    await cluster.heal();
    if (random.next() < 0.5) await untilSettled(cluster, settleTimeoutMs);
  }
  await cluster.heal();
  await untilSettled(cluster, settleTimeoutMs);
}

/** What cannot be done now, because every node is hit already, is healed instead. */
async function fire(cluster: LocalCluster, name: string): Promise<string> {
  try {
    return await cluster.cause(faultOf(name).name);
  } catch (error) {
    await cluster.heal();
    return `${name} could not be done (${(error as Error).message}): healed`;
  }
}

/** The figures of a run, one per line. */
export function describeClusterTorture(
  { seed, nodes, redis, redisProgram = 'Redis', faults }: ClusterTortureOptions,
  { journal, violations, client, beside }: RecordedRun,
): string {
  return [
    `seed ${seed}: ${faults} faults on ${nodes} nodes over ${redisProgram} (${nameOf(redis)})`,
    `${journal.starts.length} starts, ${journal.handOuts.length} hand-outs, ` +
      `${journal.acknowledgedReports} acknowledged reports, ${client.failures.length} failed requests`,
    `beside it: ${beside}`,
    `${violations.length} violations`,
    ...violations.slice(0, 20),
  ].join('\n');
}

function nameOf(redis: ClusterTortureOptions['redis']): string {
  return typeof redis === 'string' ? redis : `of the user, prefix ${redis.prefix}`;
}
