// Ownership of shards: taking, losing and handing over, with the real store; see also
// test/redis/shard-store.test.ts for the records.
import { bySystem } from '../../src/shard/executions.js';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chainOf, type ShardNode, shards } from '../shard/shard-node.js';
import { useShardNodes } from '../shard/shard-nodes.js';
import { isShardMoved } from '../../src/shard/refusals.js';
import { executionIdOf, shardOf, type ExecutionId } from '../../src/std/ids.js';
import { signalProcess } from '../../testkit/process.js';
import type { WireTask } from '../../testkit/wire.js';

const nodes = useShardNodes();

function all<T>(make: (shard: number) => T): T[] {
  return Array.from({ length: shards }, (_, shard) => make(shard));
}

/** Ends a node's lease as the time without a renewal would. */
async function endLease(node: ShardNode, nodeId: string): Promise<void> {
  expect(await node.redis.reads.call('DEL', node.redis.keys.node(nodeId))).toBe(1);
}

describe('a node that starts', () => {
  it('takes every shard with an epoch and a token of its own, and serves', async () => {
    const node = await nodes.start();
    expect(node.isServing).toBe(true);
    expect(node.owned.all).toEqual(all((shard) => shard));
    const tokens = all((shard) => node.owned.fenceOf(shard)?.token);
    expect(new Set(tokens).size).toBe(shards);
    expect(tokens[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('takes the shards of its own earlier process at once, with higher epochs', async () => {
    const before = await nodes.start();
    const fences = all((shard) => before.owned.fenceOf(shard));
    before.crash();
    const node = await nodes.start();
    for (const [shard, fence] of fences.entries()) {
      expect(node.owned.fenceOf(shard)?.epoch).toBe((fence?.epoch ?? 0) + 1);
      expect(node.owned.fenceOf(shard)?.token).not.toBe(fence?.token);
    }
  });

  it('waits for the shards of a node that lives, and takes them when its lease has ended', async () => {
    const first = await nodes.start({ nodeId: 'n1' });
    const second = nodes.create({ nodeId: 'n2' });
    let started = false;
    const starting = second.start().then(() => (started = true));
    for (let step = 0; step < 20; step++) {
      nodes.clock.advance(50);
      await first.redis.reads.call('PING');
    }
    expect(started).toBe(false);
    first.crash();
    await endLease(second, 'n1');
    await second.until('the second node', () => started);
    await starting;
    expect(second.isServing).toBe(true);
  });
});

describe('a node whose shards another one has taken', () => {
  it('is refused by the fence, drops everything and changes nothing any more', async () => {
    const first = await nodes.start({ nodeId: 'n1', ridesWithCommits: false });
    const id = await first.startExecution(chainOf('fenced', 'a', 'b'));
    await first.until('no mark', async () => (await first.dirty()).length === 0);
    const [task] = await first.poll('a').tasks;
    await endLease(first, 'n1');
    const second = await nodes.start({ nodeId: 'n2' });
    // It does not know yet: it holds the execution in memory and takes the report.
    expect(first.isServing).toBe(true);
    await expect(first.complete(task as WireTask)).rejects.toMatchObject({
      kind: 'unknown-outcome',
    });
    expect(first.counts).toContain('commits_refused_fence');
    expect(first.owned.has(shardOf(id, shards))).toBe(false);
    expect(first.shards.cache.count).toBe(0);
    expect((await second.stored(id))?.['b']).toBeUndefined();
    // The worker repeats at the node that has the shard now.
    await second.complete(task as WireTask);
    expect(await second.stored(id)).toMatchObject({ a: 'COMPLETED', b: 'SCHEDULED' });
    // The former owner, for its part, takes nothing while the other one lives.
    const epoch = second.owned.fenceOf(0)?.epoch;
    nodes.clock.advance(200);
    await second.shards.command(id, { kind: 'pause' }, bySystem);
    expect(second.owned.fenceOf(0)?.epoch).toBe(epoch);
  });

  it('gets them back when that one leaves, and goes on from what is stored', async () => {
    const first = await nodes.start({ nodeId: 'n1' });
    const id = await first.startExecution(chainOf('back', 'a'));
    await endLease(first, 'n1');
    const second = await nodes.start({ nodeId: 'n2' });
    await expect(first.shards.command(id, { kind: 'pause' }, bySystem)).rejects.toThrow();
    await second.shards.command(id, { kind: 'pause' }, bySystem);
    await second.placement.stop();
    await first.until('the shard', () => first.owned.all.length === shards);
    expect(await first.shards.read(id, (open) => open.execution.state.status)).toBe('PAUSED');
  });
});

describe('a node that loses one shard', () => {
  it('drops the executions of that shard alone, and takes it again under a new token', async () => {
    const node = await nodes.start();
    const ids: ExecutionId[] = [];
    for (let i = 0; i < 40; i++) ids.push(await node.startExecution(chainOf('one', 'a')));
    const [lost] = ids.map((id) => shardOf(id, shards)) as [number];
    const tokens = all((shard) => node.owned.fenceOf(shard)?.token);
    const isLost = (id: ExecutionId): boolean => shardOf(id, shards) === lost;
    node.placement.lost(new Error('for the test'), [lost]);
    expect(node.isServing).toBe(true);
    const kept = ids.filter((id) => !isLost(id));
    expect(kept.length).toBeGreaterThan(0);
    expect(ids.filter((id) => node.shards.cache.peek(id) !== undefined)).toEqual(kept);
    for (const id of kept) await node.shards.command(id, { kind: 'pause' }, bySystem);
    await node.until('the shard', () => node.owned.has(lost));
    for (const [shard, token] of tokens.entries()) {
      expect(node.owned.fenceOf(shard)?.token === token).toBe(shard !== lost);
    }
    // What was held for a poll is in the queue by now, or held again.
    for (const id of kept) await node.shards.command(id, { kind: 'resume' }, bySystem);
    const { tasks } = node.poll('a', { count: 40 });
    await node.until('all tasks', async () => {
      const found = await Promise.race([tasks, undefined]);
      return found !== undefined && found.length > 0;
    });
    expect(node.failures.map(String)).toEqual(['Error: for the test']);
  });
});

describe('a node that hands shards over', () => {
  /** Nothing of the next executions is written before this is called. */
  function holdStore(): () => void {
    signalProcess(nodes.server.pid as number, 'SIGSTOP');
    return () => signalProcess(nodes.server.pid as number, 'SIGCONT');
  }

  it('lets those go at once in which nothing waits for its commit', async () => {
    const node = await nodes.start();
    const proceed = holdStore();
    try {
      const start = node.startExecution(chainOf('settling', 'a'));
      const given = node.shards.handOver(all((shard) => shard))[Symbol.asyncIterator]();
      const quiet = (await given.next()).value as number[];
      expect(quiet).toHaveLength(shards - 1);
      proceed();
      const busy = shardOf(await start, shards);
      expect(quiet).not.toContain(busy);
      let last: readonly number[] = [];
      void given.next().then(({ value }) => (last = value as number[]));
      await node.until('the last shard', () => last.length > 0, 1);
      expect(last).toEqual([busy]);
    } finally {
      proceed();
    }
  });

  it('does nothing for what finds its shard closed after a load, and says so', async () => {
    const before = await nodes.start();
    const [id, other] = await Promise.all([
      before.startExecution(chainOf('loaded', 'a')),
      before.startExecution(chainOf('loaded', 'a')),
    ]);
    await before.placement.stop();
    const node = await nodes.start({ nodeId: 'n2' });
    const request = node.startRequest(chainOf('loaded', 'a'));
    const late = [
      node.shards.command(id, { kind: 'pause' }, bySystem),
      node.shards.remove(other),
      node.shards.startAs(executionIdOf(0, randomBytes(12)), request),
    ];
    node.owned.close(all((shard) => shard));
    for (const each of await Promise.allSettled(late)) {
      const error: unknown = each.status === 'rejected' ? each.reason : undefined;
      expect(isShardMoved(error), String(error)).toBe(true);
    }
    expect(await node.stored(id)).toMatchObject({ '': 'RUNNING' });
    expect(await node.stored(other)).toMatchObject({ '': 'RUNNING' });
  });
});

describe('a node that loses its store', () => {
  it('serves again with new tokens, and what was acknowledged is there', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('store', 'a'));
    const { tasks } = node.poll('a', { timeoutMs: 200_000 });
    const [task] = await tasks;
    const token = node.owned.fenceOf(0)?.token;
    await dropConnections(node);
    await node.until('not serving', () => !node.isServing);
    await expect(node.complete(task as WireTask)).rejects.toMatchObject({ kind: 'unavailable' });
    await node.until('serving again', () => node.isServing);
    expect(node.owned.fenceOf(0)?.token).not.toBe(token);
    await node.complete(task as WireTask);
    expect(await node.stored(id)).toMatchObject({ '': 'COMPLETED' });
  });

  it('drops again what it loaded when the store is lost in the middle of taking shards', async () => {
    const node = await nodes.start();
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await node.startExecution(chainOf('twice', 'a')));
    for (let loss = 0; loss < 5; loss++) {
      node.placement.lost(new Error(`loss ${loss}`));
      await Promise.resolve();
      await dropConnections(node);
    }
    // A node serves while it has lost some of its shards: those are taken again a turn later.
    const hasAll = (): boolean => node.owned.all.length === shards;
    await node.until('serving again', () => node.isServing && node.redis.isUp && hasAll());
    // Nothing waits for a commit that nobody answers: every execution takes commands and hands its
    // task out.
    for (const id of ids) await node.shards.command(id, { kind: 'pause' }, bySystem);
    for (const id of ids) await node.shards.command(id, { kind: 'resume' }, bySystem);
    const tasks = await node.poll('a', { count: 5 }).tasks;
    expect(new Set(tasks.map((task) => task.workflowInstanceId))).toEqual(new Set(ids));
  });

  it('looks at once for work that polls have waited for meanwhile', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('parked', 'a'));
    await node.until('no mark', async () => (await node.dirty()).length === 0);
    const other = await nodes.bystander();
    const { popped } = await other.queues.pop({ taskType: 'a' }, 1, 600_000);
    const { tasks } = node.poll('a', { timeoutMs: 600_000 });
    await node.until('a queue known to be empty', () => {
      return !node.hub.queue({ taskType: 'a' }).fetching;
    });
    await other.queues.giveBack({ taskType: 'a' }, popped);
    other.crash();
    const lostAt = nodes.clock.now();
    node.placement.lost(new Error('for the test'));
    // In small steps: where time runs much faster than Redis answers, the claim is given up, and
    // nobody moves the clock to the end of its lease.
    await node.until('serving again', () => node.isServing, 1);
    expect((await tasks).map((task) => task.workflowInstanceId)).toEqual([id]);
    expect(nodes.clock.now() - lostAt).toBeLessThan(2000);
  });
});

/** Every connection of the node breaks, as when Redis dies; it connects again by itself. */
async function dropConnections(node: ShardNode): Promise<void> {
  const other = await nodes.bystander();
  const clients = String(await other.redis.reads.call('CLIENT', 'LIST')).split('\n');
  const own = new Set<string>();
  for (const connection of [other.redis.commits, other.redis.queues, other.redis.reads]) {
    own.add(String(await connection.call('CLIENT', 'ID')));
  }
  for (const line of clients) {
    const id = /^id=(\d+)/.exec(line)?.[1];
    const name = /name=(\S*)/.exec(line)?.[1] ?? '';
    if (id === undefined || own.has(id) || !name.startsWith(`${node.options.prefix}-`)) continue;
    await other.redis.reads.call('CLIENT', 'KILL', 'ID', id);
  }
  other.crash();
}
