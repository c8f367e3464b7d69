// Cost of commits in the store: Node's CPU for encoding and sending, Redis' CPU, per commit of a
// typical step of a chain (one finished task's record and output, the next task's record and input,
// progress, head) in groups of 50, and for first commits and compactions. Run: node bin/tool.mjs
// bench/commit-bench
import { randomBytes } from 'node:crypto';
import { Changes, taskPart } from '../src/engine/decision.js';
import type { Execution, Task } from '../src/model/execution.js';
import { Payload } from '../src/model/payload.js';
import { RedisClient } from '../src/redis/client.js';
import { RedisExecutionStore } from '../src/redis/execution-store.js';
import { RedisShardStore } from '../src/redis/shard-store.js';
import type { Commit, Fence } from '../src/store/execution-store.js';
import {
  sampleCommit,
  sampleExecution,
  sampleSnapshot,
  sampleTask,
} from '../test/redis/samples.js';
import { startRedis } from '../test/support/redis.js';

const groupSize = 50;
const groups = 400;
const refs = ['a', 'b', 'c', 'd', 'e'];

interface Cost {
  readonly nodeUs: number;
  readonly redisUs: number;
  readonly wallUs: number;
}

async function redisCpuUs(redis: RedisClient): Promise<number> {
  const info = String(await redis.reads.call('INFO', 'cpu'));
  const seconds = (name: string): number =>
    Number(new RegExp(`^${name}:([0-9.]+)`, 'm').exec(info)?.[1] ?? 0);
  return (seconds('used_cpu_user_main_thread') + seconds('used_cpu_sys_main_thread')) * 1e6;
}

/** Cost per commit of `send`, which commits one group. */
async function measure(redis: RedisClient, send: (group: number) => Promise<void>): Promise<Cost> {
  const redisBefore = await redisCpuUs(redis);
  const nodeBefore = process.cpuUsage();
  const startedAt = performance.now();
  for (let group = 0; group < groups; group++) await send(group);
  const wallMs = performance.now() - startedAt;
  const node = process.cpuUsage(nodeBefore);
  const redisUs = (await redisCpuUs(redis)) - redisBefore;
  const commits = groups * groupSize;
  return {
    nodeUs: (node.user + node.system) / commits,
    redisUs: redisUs / commits,
    wallUs: (wallMs * 1000) / commits,
  };
}

class Chain {
  head = '';
  #next = 1;

  constructor(
    readonly execution: Execution,
    private readonly fence: Fence,
  ) {}

  first(): Commit {
    const changes = new Changes();
    changes.created = changes.state = changes.input = true;
    const task = this.#schedule();
    changes.touch(task, taskPart.record | taskPart.input);
    return this.#commit(changes);
  }

  step(): Commit {
    const changes = new Changes();
    changes.state = true;
    const done = this.execution.tasks.at(-1) as Task;
    done.status = 'COMPLETED';
    done.endAt = done.updateAt = 1_700_000_100_000;
    done.workerId = 'worker-1';
    done.output = Payload.of({ result: 'text of some length', number: done.number, ok: true });
    changes.touch(done, taskPart.record | taskPart.output);
    changes.touch(this.#schedule(), taskPart.record | taskPart.input);
    return this.#commit(changes);
  }

  end(): Commit {
    const changes = new Changes();
    changes.state = true;
    this.execution.state.status = 'COMPLETED';
    return { ...this.#commit(changes), compactUntilAt: Date.now() + 3_600_000 };
  }

  #schedule(): Task {
    const number = this.#next++;
    const config = this.execution.snapshot.def.tasks[number % refs.length];
    const task = sampleTask(number, config as never);
    this.execution.tasks.push(task);
    this.execution.state.taskCounter = this.execution.state.seqCounter = number;
    return task;
  }

  #commit(changes: Changes): Commit {
    const nextHead = randomBytes(12).toString('base64url');
    const { head } = this;
    this.head = nextHead;
    return sampleCommit(this.fence, this.execution, { changes, head, nextHead });
  }
}

async function main(): Promise<void> {
  const server = await startRedis();
  const redis = new RedisClient({ url: server.url, prefix: 'bench' });
  await redis.connect();
  try {
    const store = new RedisExecutionStore(redis, 256);
    const node = { nodeId: 'bench', bootId: 'bench', address: '', peerAddress: '' };
    const takenAt = performance.now();
    const fences = await new RedisShardStore(redis).acquire(
      node,
      Array.from({ length: 256 }, (_, shard) => shard),
    );
    console.log(`256 shards taken in ${(performance.now() - takenAt).toFixed(1)} ms`);
    const snapshot = sampleSnapshot('bench', refs);
    const sendAll = async (batch: Commit[]): Promise<void> => {
      const results = (await store.commit(batch)).commits;
      if (results.some((result) => result !== 'committed')) throw new Error(results.join());
    };
    const chains = Array.from({ length: groups * groupSize }, (_, index) => {
      const fence = fences[index % fences.length] as Fence;
      return new Chain(sampleExecution(fence.shard, snapshot), fence);
    });
    const groupOf = (group: number): Chain[] =>
      chains.slice(group * groupSize, (group + 1) * groupSize);
    const warm = chains.slice(0, groupSize);
    const report = (name: string, cost: Cost): void =>
      console.log(
        `${name}: Node ${cost.nodeUs.toFixed(1)} us, Redis ${cost.redisUs.toFixed(1)} us, ` +
          `wall ${cost.wallUs.toFixed(1)} us per commit`,
      );
    report('start', await measure(redis, (g) => sendAll(groupOf(g).map((c) => c.first()))));
    for (let i = 0; i < 100; i++) await sendAll(warm.map((c) => c.step()));
    for (let round = 0; round < 4; round++) {
      report('step', await measure(redis, (g) => sendAll(groupOf(g).map((c) => c.step()))));
    }
    report('end', await measure(redis, (g) => sendAll(groupOf(g).map((c) => c.end()))));
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

await main();
