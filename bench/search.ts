// Measures searches over many executions: loads finished ones straight through the store's own
// commits, then asks by the operation that the search endpoint calls. States the time of each
// question, the memory per execution, and the longest command of Redis: of each round the longest
// one, and of these the least (what it costs when Redis has its core) and the most (redis-time.ts).
//
//   node bin/tool.mjs bench/search --executions 1000000
import { readOptions } from '../bin/lib/options.mjs';
import { everythingAllowed } from '../src/access/access-rules.js';
import { localAdministrator } from '../src/model/caller.js';
import { Payload } from '../src/model/payload.js';
import type { WorkflowStatus } from '../src/model/status.js';
import { defaultOperationLimits } from '../src/operation/context.js';
import { defaultSearchLimits, type SearchContext } from '../src/operation/search/request.js';
import type { WorkflowSearch } from '../src/operation/search/find-workflows.js';
import { searchWorkflows } from '../src/operation/search/search-workflows.js';
import { createExecutionTexts } from '../src/operation/search/execution-texts.js';
import { RedisClient } from '../src/redis/client.js';
import { RedisExecutionStore } from '../src/redis/execution-store.js';
import { executionFeed } from '../src/redis/search-feed.js';
import { RedisShardStore } from '../src/redis/shard-store.js';
import { systemClock } from '../src/std/clock.js';
import type { Commit, Fence } from '../src/store/execution-store.js';
import {
  createdChanges,
  sampleCommit,
  sampleConfig,
  sampleExecution,
  sampleSnapshot,
  sampleTask,
} from '../testkit/samples.js';
import { startLocalRedis } from '../testkit/redis.js';
import {
  longestOf,
  mainThreadMs,
  takeCommands,
  type LongestCommand,
  watchCommands,
} from './redis-time.js';

const options = readOptions({
  command: 'node bin/tool.mjs bench/search',
  about: 'Measures searches over many executions in a Redis of its own.',
  options: {
    executions: { type: 'integer', default: 100_000, about: 'executions to search' },
    rounds: { type: 'integer', default: 20, about: 'times that each question is asked' },
  },
});
const count = options.executions;
const rounds = options.rounds;
const shards = 256;
const batch = 200;
const statuses: readonly WorkflowStatus[] = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED'];
const names = Array.from({ length: 20 }, (_, i) => `flow_${i}`);
const startedAt = Date.now() - count;

const redis = await startLocalRedis();
const redisPid = redis.pid as number;
const client = new RedisClient({ url: redis.url, prefix: 'bench' });
await client.connect();
const store = new RedisExecutionStore(client, shards);
const node = { nodeId: 'bench', bootId: 'b', address: '127.0.0.1:1', peerAddress: '' };
const all = Array.from({ length: shards }, (_, shard) => shard);
const { fences } = await new RedisShardStore(client).acquire(node, all);
const snapshots = names.map((name) => sampleSnapshot(name, ['a', 'b']));

/** The n-th execution: ended, two tasks, about 200 characters of payload. */
function commitOf(n: number): Commit {
  const shard = n % shards;
  const execution = sampleExecution(shard, snapshots[n % snapshots.length] as never);
  const { state } = execution;
  state.createTime = startedAt + n;
  state.status = statuses[n % statuses.length] as WorkflowStatus;
  state.endTime = state.createTime + 1000;
  if (state.status === 'FAILED') state.reasonForIncompletion = `No stock for order ${n}`;
  execution.attributes.correlationId = `order-${n}`;
  execution.input = Payload.of({
    ...{ order: n, city: `city${n % 1000}`, customer: `c-${(n * 7919) % count}` },
    note: 'leave the parcel at the door of the neighbours',
  });
  execution.output = Payload.of({ invoice: `inv-${n}`, state: 'paid' });
  for (const [i, ref] of ['a', 'b'].entries()) {
    const task = sampleTask(i + 1, sampleConfig(ref));
    task.status = 'COMPLETED';
    task.input = execution.input;
    task.output = execution.output;
    execution.tasks.push(task);
  }
  return sampleCommit(fences[shard] as Fence, execution, {
    ...{ changes: createdChanges(execution), head: '', nextHead: 'h1' },
    compactUntilAt: Date.now() + 7 * 86_400_000,
  });
}

async function usedBytes(): Promise<number> {
  const info = String(await client.reads.call('INFO', 'memory'));
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

const texts = createExecutionTexts(store.search, {
  ...{ feed: executionFeed(client, shards), clock: systemClock },
  ...{ bytesMax: 4 * 1024 ** 3, failed: (error) => console.error(error) },
});
const search: SearchContext = {
  context: {
    executions: undefined as never,
    ...{ clock: systemClock, access: everythingAllowed, limits: defaultOperationLimits },
  },
  ...{ store: store.search, texts, limits: defaultSearchLimits },
};

async function ask(name: string, over: Partial<WorkflowSearch>): Promise<void> {
  const request: WorkflowSearch = {
    ...{ caller: localAdministrator, start: 0, size: 15, sort: undefined },
    ...{ freeText: undefined, query: undefined, classifiers: [], topLevelOnly: false, ...over },
  };
  const times: number[] = [];
  const longest: LongestCommand[] = [];
  const usedAt = process.cpuUsage();
  const redisAt = mainThreadMs(redisPid);
  let hits = 0;
  await takeCommands(client);
  for (let round = 0; round < rounds; round += 1) {
    const askedAt = performance.now();
    hits = (await searchWorkflows(search, request)).totalHits;
    times.push(performance.now() - askedAt);
    longest.push(longestOf(await takeCommands(client)));
  }
  const { user, system } = process.cpuUsage(usedAt);
  const cpu = (user + system) / 1000 / rounds;
  const redisCpu = (mainThreadMs(redisPid) - redisAt) / rounds;
  const [first = 0] = times;
  const [firstLongest] = longest;
  times.sort((a, b) => a - b);
  longest.sort((a, b) => a.ms - b.ms);
  const p50 = times[Math.floor(times.length / 2)] ?? 0;
  console.log(
    `${name}: p50 ${p50.toFixed(1)} ms, most ${(times.at(-1) ?? 0).toFixed(0)}, first ` +
      `${first.toFixed(0)} (${hits} found); processor of the node ${cpu.toFixed(1)} ms, of Redis ` +
      `${redisCpu.toFixed(1)}; longest command ${textOf(longest[0])} to ${textOf(longest.at(-1))}, ` +
      `first ${textOf(firstLongest)}`,
  );
}

function textOf(command: LongestCommand | undefined): string {
  return command === undefined ? '' : `${command.ms.toFixed(2)} ms (${command.name})`;
}

/** Kinds of commands since the last call with their median and longest time. */
async function commandsText(): Promise<string> {
  const parts: string[] = [];
  for (const [name, times] of await takeCommands(client)) {
    const median = times[Math.floor(times.length / 2)] ?? 0;
    const most = times.at(-1) ?? 0;
    parts.push(`${name} ${times.length} times, ${median.toFixed(2)} ms, most ${most.toFixed(1)}`);
  }
  return parts.join('; ');
}

try {
  await watchCommands(client);
  const emptyBytes = await usedBytes();
  const loadedAt = performance.now();
  for (let first = 0; first < count; first += 8 * batch) {
    const batches = Array.from({ length: 8 }, (_, i) => {
      const from = first + i * batch;
      const size = Math.max(0, Math.min(batch, count - from));
      return Array.from({ length: size }, (_, j) => commitOf(from + j));
    });
    await Promise.all(batches.map((each) => store.commit(each)));
  }
  const seconds = (performance.now() - loadedAt) / 1000;
  const perExecution = ((await usedBytes()) - emptyBytes) / count;
  console.log(
    `${count} executions loaded in ${seconds.toFixed(0)} s; ${perExecution.toFixed(0)} ` +
      `bytes of Redis each; ${(mainThreadMs(redisPid) / 1000).toFixed(0)} s of its processor; ` +
      `commands of 0.1 ms: ${await commandsText()}`,
  );
  console.log(/latest_fork_usec:\d+/.exec(String(await client.reads.call('INFO', 'stats')))?.[0]);
  await client.reads.call('CONFIG', 'RESETSTAT');
  await ask('newest', {});
  await ask('by status', { query: 'status = FAILED' });
  await ask('by name and status', { query: 'workflowType = flow_7 AND status IN (FAILED)' });
  await ask('by start time', { query: `startTime > ${startedAt + count / 2}` });
  await ask('page 1000', { start: 15_000 });
  await ask('page of the middle', { start: count >> 1 });
  await ask('page of the oldest, by status', { start: count / 5, query: 'status = FAILED' });
  await ask('by correlation id', { query: `correlationId = 'order-${count >> 1}'` });
  await ask('by ids', { query: `workflowId IN (${(await someIds()).join(',')})` });
  const rss = process.memoryUsage().rss;
  await ask('one word', { freeText: `inv-${count >> 1}` });
  const grown = (process.memoryUsage().rss - rss) / count;
  console.log(`the text index takes about ${grown.toFixed(0)} bytes of the node each`);
  await ask('a word of each hundredth', { freeText: 'city123' });
  await ask('a word of all', { freeText: 'parcel' });
  await ask('two words and a status', { freeText: 'city12 AND door', query: 'status = FAILED' });
  await ask('a wildcard', { freeText: 'inv-*77' });
  await ask('a word but not another', { freeText: 'parcel AND NOT city12' });
  await ask('a phrase', { freeText: `"No stock for order ${(count >> 2) * 4 - 1}"` });
  const stats = String(await client.reads.call('INFO', 'commandstats'));
  console.log(`on average: ${/cmdstat_evalsha:\S*/.exec(stats)?.[0]}`);
} finally {
  await texts.stop();
  client.disconnect();
  await redis.stop();
}

async function someIds(): Promise<string[]> {
  const range = { names: undefined, statuses: undefined, fromAt: undefined, untilAt: undefined };
  const { entries } = await store.search.page(range, { newestFirst: true, start: 0, size: 15 });
  return entries.map(({ id }) => id);
}
