// The primary of a Redis Cluster that holds the record of a node, which is its lease, is killed.
// The node keeps a lease beside its shards (src/redis/member-records.ts): shards of the other
// primaries go on without a refusal, and keep their owner; nothing acknowledged is lost; everything
// is served after the failover.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import type { RedisProcess } from '../../cluster/redis-process.js';
import type { Topology } from '../../cluster/redis-topologies.js';
import { slotOf } from '../../src/redis/cluster-route.js';
import { Keys } from '../../src/redis/keys.js';
import { shardOf, type ExecutionId } from '../../src/std/ids.js';
import { ApiClient } from '../../testkit/api-client.js';
import { tell } from '../support/figures.js';
import { times } from '../../testkit/load.js';
import { startSettledCluster, untilSettled } from '../../cluster/settled-cluster.js';
import { until } from '../../testkit/until.js';
import { recordedRun, untilReports } from '../torture/recorded-run.js';

let cluster: LocalCluster;

beforeAll(async () => {
  cluster = await startSettledCluster({
    ...{ redis: 'cluster', nodes: 2, args: ['--wait-replicas', '1'] },
  });
  // Else Redis itself refuses the slots of all primaries while those of one have no server.
  for (const server of cluster.topology.servers) {
    server.ask('CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
  }
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

const keys = new Keys('db');
/** Of the setting `shards`. */
const shards = 256;
const everyShard = Array.from({ length: shards }, (_, shard) => shard);
/** Spread over all shards, each of which lies on one of three primaries. */
const probes = 120;
/** Longer than a lease: who has only the one in its record has none any more. */
const awayMs = 4_500;
const failoverMs = 60_000;

/** The primaries as they are now: which one has a key. */
function layoutOf({ servers }: Topology): (key: string) => RedisProcess {
  const asked = servers.find((server) => server.isRunning) as RedisProcess;
  const primaries = asked
    .ask('CLUSTER', 'NODES')
    .split('\n')
    .flatMap((line) => {
      const [, address = '', flags = '', , , , , , ...texts] = line.trim().split(' ');
      const server = servers.find(({ port }) => address.includes(`:${port}@`));
      if (!flags.includes('master') || flags.includes('fail') || server === undefined) return [];
      return [{ server, ranges: texts.map((text) => text.split('-').map(Number)) }];
    });
  return (key) => {
    const slot = slotOf(key);
    const found = primaries.find(({ ranges }) =>
      ranges.some(([from = -1, to = from]) => from <= slot && slot <= to),
    );
    if (found === undefined) throw new Error(`No primary has the slot of ${key}`);
    return found.server;
  };
}

const stateOf = (shard: number): string => keys.partitionState(keys.partitionOf(shard));

/** The fence of each shard, which every taking replaces. */
function fences(topology: Topology, of: readonly number[]): Record<number, string> {
  const primaryOf = layoutOf(topology);
  return Object.fromEntries(
    of.map((shard) => {
      const key = stateOf(shard);
      return [shard, primaryOf(key).ask('HGET', key, String(shard)).trim()];
    }),
  );
}

/** Executions that wait, in many shards. */
async function startProbes(client: ApiClient): Promise<ExecutionId[]> {
  const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT', inputParameters: {} };
  await client.registerWorkflows({ name: 'probe', version: 1, tasks: [wait] });
  const ids = await times(probes, 10, () => client.start({ name: 'probe', version: 1 }));
  return ids as ExecutionId[];
}

/** The refusals of commands to these executions, at both nodes in turn, until it is `over`. */
async function refusals(
  clients: readonly ApiClient[],
  ids: readonly ExecutionId[],
  over: () => boolean,
): Promise<{ sent: number; refused: string[] }> {
  const refused: string[] = [];
  const from = performance.now();
  let sent = 0;
  const probe = async (lane: number): Promise<void> => {
    for (let i = lane; !over(); i += lanes) {
      const client = clients[i % clients.length] as ApiClient;
      const id = ids[(i * 7) % ids.length] as string;
      sent += 1;
      const answer = await client
        .request('POST', `/api/workflow/${id}/variables`, { at: i })
        .then(({ status, text }) => (status === 200 ? undefined : `${status} ${text}`), String);
      if (answer !== undefined)
        refused.push(`after ${Math.round(performance.now() - from)} ms: ${answer}`);
    }
  };
  const lanes = 4;
  await Promise.all(Array.from({ length: lanes }, (_, lane) => probe(lane)));
  return { sent, refused };
}

async function untilAllServed(client: ApiClient, ids: readonly ExecutionId[]): Promise<void> {
  await times(ids.length, 10, (i) =>
    until(
      `execution ${i}`,
      async () => {
        const path = `/api/workflow/${ids[i]}/variables`;
        const answer = await client.request('POST', path, { at: i }).catch(() => undefined);
        return answer?.status === 200;
      },
      { timeoutMs: failoverMs },
    ),
  );
}

it.each(['node-1', 'node-2'])(
  'goes on while the primary with the record of %s is away, and wholly after the failover',
  { timeout: 300_000, retry: 0 },
  async (name) => {
    const { topology } = cluster;
    const clients = cluster.urls.map((url) => new ApiClient(url));
    const [first] = clients as [ApiClient];
    const ids = await startProbes(first);
    const primaryOf = layoutOf(topology);
    const victim = primaryOf(keys.node(name));
    const isHealthy = (shard: number): boolean => primaryOf(stateOf(shard)) !== victim;
    const healthy = everyShard.filter(isHealthy);
    const beside = ids.filter((id) => healthy.includes(shardOf(id, shards)));
    expect(beside.length).toBeGreaterThan(0);
    expect(beside.length).toBeLessThan(ids.length);
    const before = fences(topology, healthy);
    const done = await recordedRun(cluster, { repeats: 3 }, async (journal) => {
      const goneAt = performance.now();
      victim.kill();
      const isOver = (): boolean => performance.now() - goneAt > awayMs;
      const { sent, refused } = await refusals(clients, beside, isOver);
      tell(`${sent} commands beside the primary that is away, ${refused.length} refused`);
      expect(refused).toEqual([]);
      const hasSuccessor = (): boolean => {
        try {
          return layoutOf(topology)(keys.node(name)) !== victim;
        } catch {
          // Nobody has its slots yet.
          return false;
        }
      };
      await until('a new primary', hasSuccessor, { timeoutMs: failoverMs });
      // What is acknowledged has to be confirmed by a replica, which the new primary has not yet.
      await victim.start();
      await untilAllServed(first, ids);
      await untilReports(journal, 50);
    });
    expect(done.violations).toEqual([]);
    // Nobody has taken a shard whose owner went on, so none had two owners.
    expect(fences(topology, healthy)).toEqual(before);
    await untilSettled(cluster, failoverMs);
    await Promise.all(clients.map((client) => client.close()));
  },
);
