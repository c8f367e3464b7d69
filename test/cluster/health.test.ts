// A node whose Redis fails in ways that leave it reachable: what clients see, what the health
// answer and the log say, and that nothing is half-changed. Liveness is another answer: nothing of
// this makes it fail.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import type { LocalNode } from '../../cluster/local-node.js';
import type { RedisProcess } from '../../cluster/redis-process.js';
import { buildFsck } from '../../src/server/build-fsck.js';
import { RedisClient } from '../../src/redis/client.js';
import { systemClock } from '../../src/std/clock.js';
import { ApiClient } from '../../testkit/api-client.js';
import { tell } from '../support/figures.js';
import { stretched } from '../../testkit/load.js';
import { startProgram } from '../../testkit/process.js';
import { startSettledCluster } from '../../cluster/settled-cluster.js';
import { until } from '../../testkit/until.js';

let cluster: LocalCluster;
let node: LocalNode;
let client: ApiClient;

beforeAll(async () => {
  cluster = await startSettledCluster({ redis: 'single', nodes: 1 });
  node = cluster.nodes[0] as LocalNode;
  client = new ApiClient(node.url);
  const task = { name: 'neighbour', taskReferenceName: 't', type: 'SIMPLE' };
  await client.registerWorkflows({ name: 'neighbour', version: 1, tasks: [task] });
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
    timeoutMs: 30_000,
  });
  return performance.now() - startAt;
}

/** Keys of a Redis that takes long to load. */
const fillers = 100_000;

interface Fault {
  readonly name: string;
  readonly begin: (redis: RedisProcess) => unknown;
  readonly end: (redis: RedisProcess) => unknown;
  readonly sentence: RegExp;
  /** Nothing refuses: what is asked meanwhile may be done when it is over. */
  readonly mayWait?: true;
}

const faults: readonly Fault[] = [
  {
    name: 'hangs',
    begin: (redis) => redis.pause(),
    end: (redis) => redis.resume(),
    sentence: /Redis has not answered for/,
    mayWait: true,
  },
  {
    name: 'is a replica',
    begin: (redis) => redis.ask('REPLICAOF', '127.0.0.1', '1'),
    end: (redis) => redis.ask('REPLICAOF', 'NO', 'ONE'),
    sentence: /this server is a replica \(READONLY\)/,
  },
  {
    name: 'is full',
    begin: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '1'),
    end: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
    sentence: /it has reached its memory limit \(OOM\)/,
  },
  {
    name: 'is busy with a script',
    begin(redis) {
      redis.ask('CONFIG', 'SET', 'busy-reply-threshold', '100');
      const script = ['-p', String(redis.port), 'EVAL', 'while true do end', '0'];
      void startProgram('redis-cli', script).ended;
    },
    end: (redis) => redis.ask('SCRIPT', 'KILL'),
    sentence: /busy with a script that does not end \(BUSY\)/,
  },
  {
    name: 'cannot write to its disk',
    async begin(redis) {
      redis.ask('CONFIG', 'SET', 'save', '3600 1');
      fs.mkdirSync(path.join(redis.settings.folder, 'dump.rdb', 'taken'), { recursive: true });
      redis.ask('BGSAVE');
      await saved(redis, 'err');
    },
    async end(redis) {
      fs.rmSync(path.join(redis.settings.folder, 'dump.rdb'), { recursive: true });
      redis.ask('BGSAVE');
      await saved(redis, 'ok');
      redis.ask('CONFIG', 'SET', 'save', '');
    },
    sentence: /it cannot write to its disk \(MISCONF\)/,
  },
  {
    name: 'loads its data',
    async begin(redis) {
      redis.ask('EVAL', `for i = 1, ${fillers} do redis.call('SET', 'filler:' .. i, '') end`, '0');
      await redis.stop();
      // By command, so that it takes some 20 s.
      redis.launch(['--key-load-delay', '200']);
    },
    async end(redis) {
      redis.ask('CONFIG', 'SET', 'key-load-delay', '0');
      await until('the data', () => redis.answers());
      redis.ask('EVAL', `for i = 1, ${fillers} do redis.call('DEL', 'filler:' .. i) end`, '0');
    },
    sentence: /Redis is loading its data \(LOADING\)/,
  },
  {
    name: 'is away',
    begin: (redis) => redis.stop(),
    end: (redis) => redis.start(),
    sentence: /There is no connection to Redis: it is away, or still loading its data/,
  },
];

async function saved(redis: RedisProcess, status: 'ok' | 'err'): Promise<void> {
  await until('the snapshot', () => {
    const info = redis.ask('INFO', 'persistence');
    return (
      info.includes('rdb_bgsave_in_progress:0') && info.includes(`rdb_last_bgsave_status:${status}`)
    );
  });
}

/** The id, once the node takes a start (again). */
async function untilStarted(start: () => ReturnType<ApiClient['request']>): Promise<string> {
  return await until('a start', async () => {
    const { status, text } = await start();
    return status === 200 ? text : undefined;
  });
}

/** Ids of the executions with a correlation id. */
async function startedAs(correlationId: string): Promise<string[]> {
  const path = `/api/workflow/neighbour/correlated/${correlationId}?includeClosed=true`;
  const { body } = await client.ask('GET', path);
  return (body as { workflowId: string }[]).map(({ workflowId }) => workflowId);
}

describe('a node whose Redis', () => {
  it.each(faults)('$name', { timeout: 90_000 }, async (fault) => {
    const { name, begin, end, sentence, mayWait } = fault;
    const redis = cluster.topology.primary();
    const correlationId = name.replaceAll(' ', '-');
    const start = (): ReturnType<ApiClient['request']> =>
      client.request('POST', '/api/workflow', { name: 'neighbour', version: 1, correlationId });
    expect(await why()).toBe('');
    const before = await untilStarted(start);
    await begin(redis);
    const ms = await untilWhy(sentence);
    const live = await client.request('GET', '/health/live');
    // Without an answer of the store a call waits for it, some seconds long.
    const asked = start();
    const refused = mayWait === true ? undefined : await asked;
    await until('the log', () => sentence.test(node.output.replace('for seconds', 'for 3 s')));
    await end(redis);
    tell(`health said within ${Math.round(ms)} ms that Redis ${name}`);
    expect(live.status).toBe(200);
    expect(ms).toBeLessThan(stretched(3_000));
    const answer = refused ?? (await asked);
    expect(mayWait === true ? [200, 503] : [503]).toContain(answer.status);
    if (answer.status === 503) {
      expect((answer.body as { message: string }).message).toMatch(/^[A-Z].{10,}/);
    }
    await untilWhy(/^$/);
    const after = await untilStarted(start);
    const started = await startedAs(correlationId);
    const acknowledged = [before, after, ...(answer.status === 200 ? [answer.text] : [])];
    expect(started).toEqual(expect.arrayContaining(acknowledged));
    for (const id of started) expect((await client.workflow(id)).tasks).toHaveLength(1);
  });

  it('has failed in all these ways has stored nothing by half', async () => {
    const redis = new RedisClient({ url: cluster.topology.url, prefix: 'db' });
    await redis.connect();
    try {
      const report = await buildFsck(
        { redis, shards: 256, retentionSeconds: 86_400, now: () => Date.now() },
        { clock: systemClock, settleMs: 3_000, repairs: false, suspectsMax: 100 },
      ).run();
      expect(report.violations).toEqual([]);
    } finally {
      redis.disconnect();
    }
  });
});
