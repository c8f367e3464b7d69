// Whatever a queue loses behind the node's back is found, repaired and counted; no work stays
// stuck.
import { bySystem } from '../../src/shard/executions.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { checksPerRound } from '../../src/shard/queue-audit.js';
import { Payload } from '../../src/model/payload.js';
import type { ExecutionId } from '../../src/std/ids.js';
import type { Popped } from '../../src/store/queue-store.js';
import type { WireTask } from '../../testkit/wire.js';
import { chainOf, type ShardNode, shards } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';

const queue = { taskType: 'a' };
const taskDefs = [{ name: 'a', responseTimeoutSeconds: 30, retryCount: 3, retryDelaySeconds: 0 }];

const nodes = useShardNodes();
let node: ShardNode;

beforeEach(async () => {
  node = await nodes.start({ ridesWithCommits: false, taskDefs });
});

/** One round over all shards. */
async function audit(): Promise<void> {
  for (let check = 0; check < checksPerRound; check++) await node.audit.runOnce();
}

async function remove(key: string): Promise<void> {
  expect(await node.redis.reads.call('DEL', key)).toBe(1);
}

async function leasedCount(): Promise<number | undefined> {
  return (await node.queues.sizes([queue]))[0]?.leased;
}

/** Starts executions whose task waits in its queue and whose marks are cleared. */
async function startWaiting(count = 1): Promise<ExecutionId[]> {
  const ids: ExecutionId[] = [];
  for (let i = 0; i < count; i++) ids.push(await node.startExecution(chainOf('audited', 'a')));
  await node.until('no marks', async () => (await node.dirty()).length === 0);
  expect(await node.queues.size(queue)).toBe(count);
  return ids;
}

/** The execution ends once a worker polls for `a` as often as needed. */
async function finish(): Promise<WireTask> {
  const { tasks } = node.poll('a', { timeoutMs: 200_000 });
  let polled: WireTask[] | undefined;
  void tasks.then((found) => (polled = found));
  const [task] = await node.until('a task', () => polled, 500);
  await node.complete(task as WireTask);
  return task as WireTask;
}

describe('the audit of queues', () => {
  it('does not read an execution that is set aside', async () => {
    const [bad] = (await startWaiting()) as [ExecutionId];
    await node.quarantine.set([{ id: bad, deaths: 3, loader: '' }]);
    await remove(node.redis.keys.ready(queue));
    node = await nodes.restart(node);
    node.clock.advance(20_000);
    const read: ExecutionId[] = [];
    const load = node.store.load.bind(node.store);
    node.store.load = (shard, id) => {
      read.push(id);
      return load(shard, id);
    };
    await audit();
    expect(node.counts).toEqual([]);
    expect(read).toEqual([]);
    await node.shards.release(bad);
    await audit();
    expect(node.counts).toEqual(['pushed']);
  });

  it('compares the tasks of a wide execution in parts, and repairs each', async () => {
    const branches = 1_500;
    const fork = { name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN_DYNAMIC' };
    const inputParameters = { forkTaskName: 'a', forkTaskInputs: '${workflow.input.items}' };
    const join = { name: 'join', taskReferenceName: 'join', type: 'JOIN' };
    const wide = { name: 'wide', version: 1, tasks: [{ ...fork, inputParameters }, join] };
    const items = Array.from({ length: branches }, (_, at) => at);
    await node.startExecution(wide, { items });
    await node.until('all wait', async () => (await node.queues.size(queue)) === branches);
    await remove(node.redis.keys.ready(queue));
    node.clock.advance(20_000);
    const asked: number[] = [];
    const contains = node.queues.contains.bind(node.queues);
    node.queues.contains = (of, attempts) => {
      asked.push(attempts.length);
      return contains(of, attempts);
    };
    await audit();
    expect(Math.max(...asked)).toBe(1_000);
    expect(node.counts.filter((count) => count === 'pushed')).toHaveLength(branches);
    await node.until('all wait', async () => (await node.queues.size(queue)) === branches, 500);
  });

  it('repairs nothing in order', async () => {
    await startWaiting(3);
    const [out] = await node.poll('a').tasks;
    node.clock.advance(20_000);
    await audit();
    expect(node.counts).toEqual([]);
    expect(await node.queues.sizes([queue])).toEqual([{ waiting: 2, leased: 1 }]);
    await node.complete(out as WireTask);
  });

  it('reads only shards that may have an open execution, where failovers are noticed', async () => {
    const read = new Set<number>();
    const open = node.store.open.bind(node.store);
    node.store.open = async (shard, ...asked): ReturnType<typeof open> => {
      read.add(shard);
      return await open(shard, ...asked);
    };
    await audit();
    expect(read.size).toBe(0);
    await startWaiting();
    await audit();
    expect(read.size).toBe(1);
    await finish();
    await audit();
    read.clear();
    await audit();
    expect(read.size).toBe(0);
    Object.defineProperty(node.store, 'noticesFailovers', { value: false });
    await audit();
    expect(read.size).toBe(shards);
  });

  it('counts nothing when a lease goes back to ready between its two looks', async () => {
    await startWaiting();
    const [popped] = (await node.queues.pop(queue, 1, 50_000)).popped;
    const leases = node.queues.leases.bind(node.queues);
    node.queues.leases = async (...asked): ReturnType<typeof leases> => {
      await node.queues.giveBack(queue, [popped as Popped]);
      return await leases(...asked);
    };
    node.clock.advance(6000);
    await audit();
    expect(node.counts).toEqual([]);
    expect(await node.queues.size(queue)).toBe(1);
  });

  it('pushes tasks again that their queue has lost, of executions in memory', async () => {
    const ids = await startWaiting(3);
    await remove(node.redis.keys.ready(queue));
    node.clock.advance(6000);
    await audit();
    expect(node.counts).toEqual(['pushed', 'pushed', 'pushed']);
    const tasks = await node.poll('a', { count: 3 }).tasks;
    expect(new Set(tasks.map((task) => task.workflowInstanceId))).toEqual(new Set(ids));
    node.counts.length = 0;
    await audit();
    expect(node.counts).toEqual([]);
  });

  it('pushes tasks again of executions that are not in memory, and wakes who waits for them', async () => {
    const [id] = await startWaiting();
    node.placement.lost(new Error('for the test'));
    await node.until('serving again', () => node.isServing);
    await remove(node.redis.keys.ready(queue));
    expect(node.shards.cache.count).toBe(0);
    const { tasks } = node.poll('a', { timeoutMs: 200_000 });
    node.clock.advance(6000);
    await audit();
    expect(node.counts).toEqual(['pushed']);
    expect((await tasks).map((task) => task.workflowInstanceId)).toEqual([id]);
  });

  it('believes nothing in memory while the node has no lease', async () => {
    await startWaiting();
    await remove(node.redis.keys.ready(queue));
    node.clock.advance(6000);
    node.lease.holdsLease = false;
    await audit();
    expect(node.counts).toEqual([]);
    node.lease.holdsLease = true;
    await audit();
    expect(node.counts).toEqual(['pushed']);
  });

  it('puts tasks that are hidden until later back with their time', async () => {
    await startWaiting();
    const [task] = await node.poll('a').tasks;
    await node.shards.command(
      task?.workflowInstanceId as string,
      {
        kind: 'update-task',
        task: { taskNumber: 1 },
        result: {
          status: 'IN_PROGRESS',
          output: node.startRequest(chainOf('x', 'a')).input,
          callbackAfterSeconds: 60,
          extendLease: false,
        },
        mergeOutput: false,
      },
      bySystem,
    );
    await node.until('hidden', async () => (await node.queues.size(queue)) === 1);
    await remove(node.redis.keys.hidden(queue));
    node.clock.advance(6000);
    await audit();
    await node.until('the push', async () => (await node.queues.size(queue)) === 1);
    expect((await node.queues.pop(queue, 1, 1)).popped).toEqual([]);
    node.clock.advance(55_000);
    expect((await node.queues.pop(queue, 1, 1)).popped).toHaveLength(1);
  });

  it('pushes a task again that its worker gave back when the queue still keeps the lease', async () => {
    await startWaiting();
    const [task] = await node.poll('a').tasks;
    await node.report(task as WireTask, { status: 'IN_PROGRESS', output: Payload.empty });
    await node.until('the push', async () => (await node.queues.size(queue)) === 1);
    const [popped] = (await node.queues.pop(queue, 1, 5000)).popped;
    const lease = { workerId: 'w', startAt: 1, pollCount: 1, endAt: 0 };
    await node.queues.confirm(queue, [{ ...(popped as Popped), ...lease }]);
    node.clock.advance(6000);
    await audit();
    expect(node.counts).toEqual(['pushed']);
    expect(await finish()).toMatchObject({ taskId: task?.taskId, pollCount: 2 });
  });

  it('ends attempts whose lease the queue has lost, once their time is over', async () => {
    const [id] = await startWaiting();
    await node.poll('a').tasks;
    await remove(node.redis.keys.leases(queue));
    node.clock.advance(20_000);
    await audit();
    expect(node.counts).not.toContain('ended');
    node.clock.advance(20_000);
    await audit();
    expect(node.counts).toContain('ended');
    const task = await finish();
    expect(task).toMatchObject({ workflowInstanceId: id, retryCount: 1 });
    expect(await node.stored(id as ExecutionId)).toMatchObject({ '': 'COMPLETED' });
  });

  it('ends and gives back leases whose ends the queue has lost', async () => {
    const [first] = await startWaiting();
    await node.poll('a').tasks;
    await node.startExecution(chainOf('audited', 'a'));
    await node.until('no marks', async () => (await node.dirty()).length === 0);
    // Popped by a node that died before it claimed.
    expect((await node.queues.pop(queue, 1, 5000)).popped).toHaveLength(1);
    await remove(node.redis.keys.leaseEnds(queue));
    node.clock.advance(40_000);
    await audit();
    expect(node.counts.filter((count) => ['ended', 'given-back'].includes(count)).sort()).toEqual([
      'ended',
      'given-back',
    ]);
    const tasks = [await finish(), await finish()];
    expect(tasks.find((task) => task.workflowInstanceId === first)?.retryCount).toBe(1);
  });

  it('finishes leases of attempts that are over, in memory or not', async () => {
    await startWaiting(3);
    const leased = await Promise.all([1, 2, 3].map(async () => (await node.poll('a').tasks)[0]));
    const leases = node.redis.keys.leases(queue);
    const kept = (await node.redis.reads.callBuffer('HGETALL', leases)) as Buffer[];
    const [first, second, third] = leased as WireTask[];
    for (const task of [first, second]) await node.complete(task as WireTask);
    await node.until('both ends', async () => (await leasedCount()) === 1);
    // As after a crash, or an unclear outcome, right after the commit that ended each.
    await node.redis.reads.call('HSET', leases, ...kept);
    await node.shards.leaseAudit.runOnce();
    expect(node.counts).toEqual([]);
    node.clock.advance(6000);
    for (let check = 0; check < 3; check++) await node.shards.leaseAudit.runOnce();
    expect(node.counts).toEqual(['finished', 'finished']);
    await node.until('the mend', async () => (await leasedCount()) === 1);
    await node.complete(third as WireTask);
  });

  it('finds what was lost within half a minute by itself', async () => {
    await node.audit.start();
    await startWaiting();
    await remove(node.redis.keys.ready(queue));
    const lostAt = node.clock.now();
    await node.until('the repair', () => node.counts.includes('pushed'), 200);
    expect(node.clock.now() - lostAt).toBeLessThan(30_000);
    await node.audit.stop();
    await finish();
  });

  it.each(['queueState', 'memberLimits', 'queues'] as const)(
    'leaves no work stuck when the key %s is removed',
    async (name) => {
      await startWaiting(2);
      const [out] = await node.poll('a').tasks;
      const key =
        name === 'queueState'
          ? node.redis.keys.queueState('a')
          : name === 'queues'
            ? node.redis.keys.queues()
            : node.redis.keys.memberLimits(queue);
      await node.redis.reads.call('DEL', key);
      expect((await finish()).taskId).not.toBe(out?.taskId);
      node.clock.advance(40_000);
      await audit();
      expect(await finish()).toMatchObject({ retryCount: 1 });
    },
  );
});

describe('the ends of leases', () => {
  it('takes leases of attempts that are over out of the queue', async () => {
    const [id] = await startWaiting();
    const [task] = await node.poll('a').tasks;
    await node.complete(task as WireTask);
    await node.until('an empty queue', async () => {
      return (await node.queues.sizes([queue]))[0]?.leased === 0;
    });
    // As after a crash between the commit of the report and the word to the queue.
    const attempt = { taskId: task?.taskId as never, reopenCount: 0 };
    await node.queues.push([
      { queue, attempt, priority: 0, visibleAt: 0, limits: undefined, givenBackAtPoll: 0 },
    ]);
    const [popped] = (await node.queues.pop(queue, 1, 5000)).popped;
    const endAt = node.clock.now() + 5000;
    await node.queues.confirm(queue, [
      {
        attempt,
        leaseNumber: popped?.leaseNumber as number,
        workerId: 'w',
        startAt: 1,
        pollCount: 1,
        endAt,
      },
    ]);
    await node.until(
      'no lease',
      async () => {
        return (await node.queues.sizes([queue]))[0]?.leased === 0;
      },
      500,
    );
    expect(await node.stored(id as ExecutionId)).toMatchObject({ '': 'COMPLETED' });
  });

  it('ends an attempt that the owner before gave away and this one knows as SCHEDULED', async () => {
    const [id] = (await startWaiting()) as [ExecutionId];
    // Another node popped it and asked the owner before this one; its confirmation comes last.
    const [popped] = (await node.queues.pop(queue, 1, 5000)).popped;
    await node.shards.read(id, () => undefined);
    const endAt = node.clock.now() + 30_000;
    const lease = { workerId: 'w', startAt: node.clock.now(), pollCount: 1, endAt };
    const { attempt, leaseNumber } = popped as NonNullable<typeof popped>;
    expect(await node.queues.confirm(queue, [{ ...lease, attempt, leaseNumber }])).toEqual([true]);
    const again = node.poll('a', { timeoutMs: 200_000 }).tasks;
    let polled: WireTask[] | undefined;
    void again.then((tasks) => (polled = tasks));
    const [task] = await node.until('the next attempt', () => polled, 500);
    expect(node.clock.now()).toBeGreaterThanOrEqual(endAt);
    expect(task).toMatchObject({ workflowInstanceId: id, retryCount: 1 });
    await node.complete(task as WireTask);
    expect(await node.stored(id)).toMatchObject({ '': 'COMPLETED' });
  });
});
