// Cost of commits in the store: Node's CPU for encoding and sending, Redis' CPU, its calls
// (commands inside scripts counted) and the bytes of its append-only file. Per commit, in groups of
// 50, of a typical step of a chain (one finished task's record and output, the next task's record
// and input, progress, head, and the moves of both in their queue), of the leases between two
// steps, and of first commits and compactions. Run: node bin/tool.mjs bench/commit-bench
import { randomBytes } from 'node:crypto';
import { taskIdOf } from '../src/std/ids.js';
import { Changes, taskPart } from '../src/engine/decision.js';
import type { Execution, Task } from '../src/model/execution.js';
import { Payload } from '../src/model/payload.js';
import { RedisClient } from '../src/redis/client.js';
import { RedisExecutionStore } from '../src/redis/execution-store.js';
import { RedisShardStore } from '../src/redis/shard-store.js';
import type { Commit, Fence, QueueMove } from '../src/store/execution-store.js';
import type { Attempt, LeaseRecord } from '../src/store/queue-store.js';
import { sampleCommit, sampleExecution, sampleSnapshot, sampleTask } from '../testkit/samples.js';
import { startRedis } from '../testkit/redis.js';

const groupSize = 50;
const groups = 400;
const refs = ['a', 'b', 'c', 'd', 'e'];
const queue = { taskType: 'bench' };

interface Cost {
  readonly nodeUs: number;
  readonly redisUs: number;
  readonly wallUs: number;
  readonly redisCalls: number;
  readonly fileBytes: number;
}

interface RedisUse {
  readonly cpuUs: number;
  readonly calls: number;
  readonly fileBytes: number;
}

async function useOf(redis: RedisClient): Promise<RedisUse> {
  const text = (section: string): Promise<unknown> => redis.reads.call('INFO', section);
  const info = [await text('cpu'), await text('persistence'), await text('commandstats')].join();
  const number = (name: string): number =>
    Number(new RegExp(`^${name}:([0-9.]+)`, 'm').exec(info)?.[1] ?? 0);
  let calls = 0;
  for (const [, count] of info.matchAll(/^cmdstat_(?!info)[^:]+:calls=(\d+)/gm)) {
    calls += Number(count);
  }
  const seconds = number('used_cpu_user_main_thread') + number('used_cpu_sys_main_thread');
  return { cpuUs: seconds * 1e6, calls, fileBytes: number('aof_current_size') };
}

/** Cost per commit of `send`, which commits one group. */
async function measure(redis: RedisClient, send: (group: number) => Promise<void>): Promise<Cost> {
  const before = await useOf(redis);
  const nodeBefore = process.cpuUsage();
  const startedAt = performance.now();
  for (let group = 0; group < groups; group++) await send(group);
  const wallMs = performance.now() - startedAt;
  const node = process.cpuUsage(nodeBefore);
  const after = await useOf(redis);
  const commits = groups * groupSize;
  return {
    nodeUs: (node.user + node.system) / commits,
    redisUs: (after.cpuUs - before.cpuUs) / commits,
    wallUs: (wallMs * 1000) / commits,
    redisCalls: (after.calls - before.calls) / commits,
    fileBytes: (after.fileBytes - before.fileBytes) / commits,
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
    return this.#commit(changes, [this.#move('ready', task)]);
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
    const next = this.#schedule();
    changes.touch(next, taskPart.record | taskPart.input);
    return this.#commit(changes, [this.#move('done', done), this.#move('ready', next)]);
  }

  lease(): LeaseRecord {
    const task = this.execution.tasks.at(-1) as Task;
    const now = Date.now();
    return {
      attempt: this.#attemptOf(task),
      leaseNumber: now * 1000 + task.number,
      workerId: 'worker-1',
      startAt: now,
      pollCount: 1,
      endAt: now + 600_000,
    };
  }

  end(): Commit {
    const changes = new Changes();
    changes.state = true;
    this.execution.state.status = 'COMPLETED';
    const moves = [this.#move('done', this.execution.tasks.at(-1) as Task)];
    return { ...this.#commit(changes, moves), compactUntilAt: Date.now() + 3_600_000 };
  }

  #move(kind: 'ready' | 'done', task: Task): QueueMove {
    const attempt = this.#attemptOf(task);
    if (kind === 'done') return { kind, queue, attempt };
    return { kind, queue, attempt, priority: 0, isNew: true };
  }

  #attemptOf(task: Task): Attempt {
    return { taskId: taskIdOf(this.execution.id, task.number), reopenCount: 0 };
  }

  get shard(): number {
    return this.fence.shard;
  }

  #schedule(): Task {
    const number = this.#next++;
    const config = this.execution.snapshot.def.tasks[number % refs.length];
    const task = sampleTask(number, config as never);
    this.execution.tasks.push(task);
    this.execution.state.taskCounter = this.execution.state.seqCounter = number;
    return task;
  }

  #commit(changes: Changes, moves: readonly QueueMove[]): Commit {
    const nextHead = randomBytes(12).toString('base64url');
    const { head } = this;
    this.head = nextHead;
    return sampleCommit(this.fence, this.execution, { changes, head, nextHead, moves });
  }
}

async function main(): Promise<void> {
  const server = await startRedis();
  const redis = new RedisClient({ url: server.url, prefix: 'bench' });
  await redis.connect();
  // A rewrite would make the file shorter.
  await redis.reads.call('CONFIG', 'SET', 'auto-aof-rewrite-percentage', '0');
  try {
    const store = new RedisExecutionStore(redis, 256);
    const node = { nodeId: 'bench', bootId: 'bench', address: '', peerAddress: '' };
    const takenAt = performance.now();
    const { fences } = await new RedisShardStore(redis).acquire(
      node,
      Array.from({ length: 256 }, (_, shard) => shard),
    );
    console.log(`256 shards taken in ${(performance.now() - takenAt).toFixed(1)} ms`);
    const snapshot = sampleSnapshot('bench', refs);
    const grantAll = async (group: readonly Chain[]): Promise<void> => {
      const { grants } = await store.commit([], [{ queue, leases: group.map((c) => c.lease()) }]);
      if (grants.flat().some((granted) => !granted)) throw new Error('a lease was refused');
    };
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
          `wall ${cost.wallUs.toFixed(1)} us, ${cost.redisCalls.toFixed(2)} calls, ` +
          `${cost.fileBytes.toFixed(0)} bytes per commit`,
      );
    report('start', await measure(redis, (g) => sendAll(groupOf(g).map((c) => c.first()))));
    for (let i = 0; i < 100; i++) {
      await grantAll(warm);
      await sendAll(warm.map((c) => c.step()));
    }
    for (let round = 0; round < 4; round++) {
      report('lease', await measure(redis, (g) => grantAll(groupOf(g))));
      report('step', await measure(redis, (g) => sendAll(groupOf(g).map((c) => c.step()))));
    }
    report('end', await measure(redis, (g) => sendAll(groupOf(g).map((c) => c.end()))));
    // The first 50 have a hundred tasks and more.
    report(
      'load of a finished one',
      await measure(redis, async (g) => {
        if (g > 0) await Promise.all(groupOf(g).map((c) => store.load(c.shard, c.execution.id)));
      }),
    );
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

await main();
