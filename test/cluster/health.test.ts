// What the health of a node says while its Redis fails in ways that leave it reachable. Liveness is
// another answer: nothing of this makes it fail.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import type { LocalNode } from '../../cluster/local-node.js';
import type { RedisProcess } from '../../cluster/redis-process.js';
import { ApiClient } from '../support/api-client.js';
import { tell } from '../support/figures.js';
import { stretched } from '../support/load.js';
import { startSettledCluster } from '../support/settled-cluster.js';
import { until } from '../support/until.js';

let cluster: LocalCluster;
let client: ApiClient;

beforeAll(async () => {
  cluster = await startSettledCluster({ redis: 'single', nodes: 1 });
  client = new ApiClient((cluster.nodes[0] as LocalNode).url);
}, 120_000);

afterAll(async () => {
  await client.close();
  await cluster.stop();
}, 60_000);

/** Why the node is not healthy; '' while it is. */
async function why(): Promise<string> {
  const { status, body } = await client.request('GET', '/health');
  const { details } = body as { details: { why?: string } };
  expect(status).toBe(details.why === undefined ? 200 : 503);
  return details.why ?? '';
}

async function untilWhy(pattern: RegExp): Promise<number> {
  const startAt = performance.now();
  await until(`health that says ${pattern.source}`, async () => pattern.test(await why()), {
    timeoutMs: 20_000,
  });
  return performance.now() - startAt;
}

const faults: readonly {
  readonly name: string;
  readonly begin: (redis: RedisProcess) => unknown;
  readonly end: (redis: RedisProcess) => unknown;
  readonly sentence: RegExp;
}[] = [
  {
    name: 'hangs',
    begin: (redis) => redis.pause(),
    end: (redis) => redis.resume(),
    sentence: /has not answered for/,
  },
  {
    name: 'is a replica',
    begin: (redis) => redis.ask('REPLICAOF', '127.0.0.1', '1'),
    end: (redis) => redis.ask('REPLICAOF', 'NO', 'ONE'),
    sentence: /READONLY/,
  },
  {
    name: 'is full',
    begin: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '1'),
    end: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
    sentence: /OOM/,
  },
];

describe('the health of a node whose Redis', () => {
  it.each(faults)('$name', async ({ name, begin, end, sentence }) => {
    const redis = cluster.topology.primary();
    expect(await why()).toBe('');
    begin(redis);
    const ms = await untilWhy(sentence);
    const live = await client.request('GET', '/health/live');
    end(redis);
    tell(`health said within ${Math.round(ms)} ms that Redis ${name}`);
    expect(live.status).toBe(200);
    expect(ms).toBeLessThan(stretched(3_000));
    await untilWhy(/^$/);
  });
});
