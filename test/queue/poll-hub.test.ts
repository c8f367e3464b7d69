// The three ways from a task to a poll, with the real parts around a real Redis: sync match, head,
// script.
import { bySystem } from '../../src/shard/executions.js';
import { describe, expect, it } from 'vitest';
import { Payload } from '../../src/model/payload.js';
import { chainOf, type ShardNode, type NodeOptions } from '../shard/shard-node.js';
import { useShardNodes } from '../shard/shard-nodes.js';
import { taskIdOf } from '../../src/std/ids.js';
import { turns } from '../../testkit/until.js';
import type { WireTask } from '../../testkit/wire.js';

const a = { taskType: 'a' };

const nodes = useShardNodes();
let node: ShardNode;

async function startNode(options: Partial<NodeOptions> = {}): Promise<void> {
  node = await nodes.start(options);
}

const forever = 10_000_000;

/** What the queue of `a` holds in the store. */
async function stored(): Promise<{ waiting: number; leased: number } | undefined> {
  return (await node.queues.sizes([a]))[0];
}

/** A poll that waits because the store's queue is known to be empty. */
async function park(options: Parameters<ShardNode['poll']>[1] = {}): Promise<{
  tasks: Promise<WireTask[]>;
  abort: () => void;
}> {
  const poll = node.poll('a', { timeoutMs: forever, ...options });
  await node.until('an empty queue', () => {
    const queue = node.hub.queue(a);
    return !queue.fetching && !queue.signals.mayHold;
  });
  return poll;
}

/** Whether a promise is still open when the store has done what it was asked for before. */
const isOpen = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => false), allAsked().then(() => true)])) === true;

async function allAsked(): Promise<void> {
  const { commits, reads } = node.redis;
  // What an answer leads to may ask once more.
  for (let round = 0; round < 5; round++) {
    await Promise.all([commits.call('PING'), reads.call('PING')]);
    await turns();
  }
}

describe('sync match', () => {
  it('leases a task to a parked poll in the very commit that schedules it', async () => {
    await startNode();
    const { tasks } = await park({ workerId: 'w1' });
    node.batches.length = 0;
    const id = await node.startExecution(chainOf('sync', 'a'));
    const [task] = await tasks;
    expect(task).toMatchObject({ workflowInstanceId: id, workerId: 'w1', status: 'IN_PROGRESS' });
    expect(node.batches).toEqual([1]);
    expect(await node.stored(id)).toMatchObject({ a: 'IN_PROGRESS' });
    expect(await stored()).toEqual({ waiting: 0, leased: 0 });
    expect(await node.dirty()).toEqual([]);
  });

  it('serves the poll that has waited longest', async () => {
    await startNode();
    const first = await park({ workerId: 'first' });
    const second = await park({ workerId: 'second' });
    await node.startExecution(chainOf('order', 'a'));
    expect((await first.tasks)[0]?.workerId).toBe('first');
    expect(await isOpen(second.tasks)).toBe(true);
    await node.startExecution(chainOf('order', 'a'));
    expect((await second.tasks)[0]?.workerId).toBe('second');
  });

  it('answers a poll for many with what one batch brings', async () => {
    await startNode();
    const { tasks } = await park({ count: 10 });
    const def = chainOf('batch', 'a');
    await Promise.all([1, 2, 3].map(() => node.startExecution(def)));
    expect(await tasks).toHaveLength(3);
  });

  it('keeps domains apart', async () => {
    await startNode();
    const queue = { taskType: 'a', domain: 'd' };
    const inDomain = node.poll(queue, { timeoutMs: forever });
    const outside = await park();
    const request = node.startRequest(chainOf('domain', 'a'));
    const attributes = { ...request.attributes, taskToDomain: { a: 'd' } };
    const id = await node.shards.start({ ...request, attributes });
    expect(await inDomain.tasks).toMatchObject([{ workflowInstanceId: id, domain: 'd' }]);
    expect(await isOpen(outside.tasks)).toBe(true);
  });

  it('gives a task back whose client went before the answer, and the next poll gets it', async () => {
    await startNode();
    const { abort } = await park();
    const starting = node.startExecution(chainOf('abort', 'a'));
    // Matched, and not yet through the gate.
    while (node.hub.parkedPolls > 0) await Promise.resolve();
    abort();
    const id = await starting;
    const { tasks } = node.poll('a', { timeoutMs: forever, workerId: 'next' });
    const [task] = await node.until('the task', async () => {
      const found = await Promise.race([tasks, turns().then(() => undefined)]);
      return found;
    });
    expect(task).toMatchObject({ workflowInstanceId: id, workerId: 'next', pollCount: 1 });
  });

  it('ends the lease of a worker that says nothing in its own commit', async () => {
    const taskDefs = [
      { name: 'a', responseTimeoutSeconds: 10, retryCount: 1, retryDelaySeconds: 0 },
    ];
    await startNode({ taskDefs });
    const { tasks } = await park();
    const id = await node.startExecution(chainOf('silent', 'a'));
    await tasks;
    nodes.clock.advance(9_000);
    const again = node.poll('a', { timeoutMs: forever });
    expect(await isOpen(again.tasks)).toBe(true);
    nodes.clock.advance(1_100);
    expect(await again.tasks).toMatchObject([{ workflowInstanceId: id, retryCount: 1 }]);
  });
});

describe('queues that nobody uses', () => {
  it('are forgotten when many have become known, those in use are not', async () => {
    await startNode();
    const { tasks } = await park();
    const used = node.hub.queue(a);
    for (let i = 0; i < 500; i++) node.hub.queue({ taskType: `idle${i}` });
    const idle = node.hub.queue({ taskType: 'idle0' });
    nodes.clock.advance(120_000);
    for (let i = 0; i < 1000; i++) node.hub.queue({ taskType: `more${i}` });
    expect(node.hub.queue({ taskType: 'idle0' })).not.toBe(idle);
    expect(node.hub.queue(a)).toBe(used);
    const id = await node.startExecution(chainOf('used', 'a'));
    expect(await tasks).toMatchObject([{ workflowInstanceId: id }]);
  });
});

describe('the head of a queue', () => {
  /** A node whose queue is known to be empty, so that what becomes ready is held. */
  async function startHolding(options: Partial<NodeOptions> = {}): Promise<void> {
    await startNode(options);
    const { tasks } = await park({ timeoutMs: 0 });
    await tasks;
  }

  it('gives a task that stands in ready to the next poll, by a grant in a batch', async () => {
    await startHolding();
    const id = await node.startExecution(chainOf('held', 'a'));
    expect(await stored()).toEqual({ waiting: 1, leased: 0 });
    node.batches.length = 0;
    const [task] = await node.poll('a', { workerId: 'w2' }).tasks;
    expect(task).toMatchObject({ workflowInstanceId: id, workerId: 'w2', status: 'IN_PROGRESS' });
    expect(await stored()).toEqual({ waiting: 0, leased: 1 });
    // No commit of the execution: the queue remembers the lease.
    expect(node.batches).toEqual([0]);
    expect(await node.stored(id)).toMatchObject({ a: 'SCHEDULED' });
    await node.complete(task as WireTask);
    expect(await stored()).toEqual({ waiting: 0, leased: 0 });
  });

  it('gives the most urgent first, then the oldest', async () => {
    await startHolding();
    const started: string[] = [];
    for (const priority of [0, 50, 1, 50]) {
      const request = node.startRequest(chainOf('urgent', 'a'));
      const attributes = { ...request.attributes, priority };
      started.push(await node.shards.start({ ...request, attributes }));
    }
    const tasks = await node.poll('a', { count: 10 }).tasks;
    const order = tasks.map((task) => started.indexOf(task.workflowInstanceId));
    expect(order).toEqual([2, 1, 3, 0]);
  });

  it('forgets a task whose execution ends, in memory and store', async () => {
    await startHolding();
    const id = await node.startExecution(chainOf('withdrawn', 'a'));
    await node.terminate(id);
    expect(await stored()).toEqual({ waiting: 0, leased: 0 });
    const poll = node.poll('a', { timeoutMs: forever });
    nodes.clock.advance(2000);
    expect(await isOpen(poll.tasks)).toBe(true);
  });

  it('is read from the store when there is more than it holds', async () => {
    await startHolding({ readyHeldMax: 3 });
    const ids = [];
    for (let i = 0; i < 8; i++) ids.push(await node.startExecution(chainOf('more', 'a')));
    const tasks = [];
    while (tasks.length < 8) tasks.push(...(await node.poll('a', { count: 3 }).tasks));
    expect(tasks.map((task) => task.workflowInstanceId)).toEqual(ids);
    expect(await stored()).toEqual({ waiting: 0, leased: 8 });
  });

  it('leaves to another node what that has popped, and hears of it again when it goes back', async () => {
    await startHolding();
    const id = await node.startExecution(chainOf('popped', 'a'));
    const { popped } = await node.queues.pop(a, 1, 5000);
    const { tasks } = node.poll('a', { timeoutMs: forever });
    expect(await isOpen(tasks)).toBe(true);
    expect(popped.map(({ attempt }) => attempt.taskId)).toEqual([taskIdOf(id, 1)]);
    let handedOut: WireTask[] = [];
    void tasks.then((some) => (handedOut = some));
    await node.until('the end of the provisional lease', () => handedOut.length === 1, 500);
    expect(handedOut).toMatchObject([{ workflowInstanceId: id, pollCount: 1 }]);
  });

  it('gives a task back whose client went before the answer', async () => {
    await startHolding();
    const id = await node.startExecution(chainOf('gone', 'a'));
    const { abort } = node.poll('a', { timeoutMs: forever });
    abort();
    const { tasks } = node.poll('a', { timeoutMs: forever, workerId: 'next' });
    expect(await tasks).toMatchObject([{ workflowInstanceId: id, workerId: 'next' }]);
  });

  it('leaves tasks with limits to the scripts of the store', async () => {
    const taskDefs = [{ name: 'a', concurrentExecLimit: 1, responseTimeoutSeconds: 3600 }];
    await startHolding({ taskDefs });
    for (let i = 0; i < 2; i++) await node.startExecution(chainOf('limits', 'a'));
    await node.until('the pushes', async () => (await stored())?.waiting === 2);
    expect(await node.poll('a', { count: 2 }).tasks).toHaveLength(1);
    expect(await stored()).toEqual({ waiting: 1, leased: 1 });
  });
});

describe('the store as the way', () => {
  it('hands out in batches, oldest first, and keeps the leases', async () => {
    await startNode({ ridesWithCommits: false });
    const ids = [];
    for (let i = 0; i < 5; i++) {
      ids.push(await node.startExecution(chainOf('stored', 'a')));
      await node.until('the push', async () => (await stored())?.waiting === i + 1);
    }
    const first = await node.poll('a', { count: 3 }).tasks;
    expect(first.map((task) => task.workflowInstanceId)).toEqual(ids.slice(0, 3));
    expect(await stored()).toEqual({ waiting: 2, leased: 3 });
    const rest = await node.poll('a', { count: 10 }).tasks;
    expect(rest.map((task) => task.workflowInstanceId)).toEqual(ids.slice(3));
    for (const task of [...first, ...rest]) await node.complete(task);
    await node.until('an empty queue', async () => (await stored())?.leased === 0);
  });

  it('hands out no task whose lease went back between the claim and its confirmation', async () => {
    await startNode({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('went-back', 'a'));
    await node.until('the push', async () => (await stored())?.waiting === 1);
    const { tasks } = node.poll('a', { timeoutMs: forever });
    // Sent right behind the pop, on the same connection: it comes before the confirmation.
    const attempt = { taskId: taskIdOf(id, 1), reopenCount: 0 };
    await node.queues.giveBack(a, [{ attempt, leaseNumber: 1 }]);
    expect(await tasks).toMatchObject([{ workflowInstanceId: id }]);
    expect(await stored()).toEqual({ waiting: 0, leased: 1 });
  });

  it('takes back at once what a client that went was to get', async () => {
    await startNode({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('gone', 'a'));
    await node.until('the push', async () => (await stored())?.waiting === 1);
    const { abort } = node.poll('a', { timeoutMs: forever });
    abort();
    const before = nodes.clock.now();
    const { tasks } = node.poll('a', { timeoutMs: forever });
    expect(await tasks).toMatchObject([{ workflowInstanceId: id, pollCount: 1 }]);
    expect(nodes.clock.now()).toBe(before);
  });

  it('never hands out what has ended when it is claimed', async () => {
    await startNode({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('ended', 'a'));
    await node.until('the push', async () => (await stored())?.waiting === 1);
    const attempt = { taskId: `${id.slice(0, 28)}00000001` as never, reopenCount: 0 };
    await node.terminate(id);
    await node.until('an empty queue', async () => (await stored())?.waiting === 0);
    // As if its removal had been lost.
    await node.queues.push([
      { queue: a, attempt, priority: 0, visibleAt: 0, limits: undefined, givenBackAtPoll: 0 },
    ]);
    const { tasks } = node.poll('a', { timeoutMs: forever });
    await node.until('removal', async () => {
      const now = await stored();
      return now?.waiting === 0 && now.leased === 0;
    });
    // The poll waits on, for the next one.
    expect(await isOpen(tasks)).toBe(true);
    const next = await node.startExecution(chainOf('next', 'a'));
    expect(await tasks).toMatchObject([{ workflowInstanceId: next }]);
  });

  it('keeps the concurrency limit of a definition and lets the next one out when a slot is free', async () => {
    const taskDefs = [{ name: 'a', concurrentExecLimit: 1, responseTimeoutSeconds: 3600 }];
    await startNode({ taskDefs });
    for (let i = 0; i < 2; i++) await node.startExecution(chainOf('limited', 'a'));
    await node.until('the pushes', async () => (await stored())?.waiting === 2);
    const [first] = await node.poll('a', { count: 2 }).tasks;
    const second = node.poll('a', { timeoutMs: forever });
    expect(await isOpen(second.tasks)).toBe(true);
    await node.complete(first as WireTask);
    expect(await second.tasks).toHaveLength(1);
  });

  it('shows a task that its worker gave back when its time has come, not before', async () => {
    await startNode({ ridesWithCommits: false });
    await node.startExecution(chainOf('later', 'a'));
    const [task] = await node.poll('a', { timeoutMs: forever }).tasks;
    await node.shards.command(
      task?.workflowInstanceId as string,
      {
        kind: 'update-task',
        task: { taskNumber: 1 },
        result: {
          status: 'IN_PROGRESS',
          output: Payload.empty,
          callbackAfterSeconds: 30,
          extendLease: false,
        },
        mergeOutput: false,
      },
      bySystem,
    );
    await node.until('hidden', async () => (await stored())?.waiting === 1);
    const { tasks } = node.poll('a', { timeoutMs: forever });
    nodes.clock.advance(25_000);
    expect(await isOpen(tasks)).toBe(true);
    nodes.clock.advance(6_000);
    expect(await tasks).toMatchObject([{ taskId: task?.taskId, pollCount: 2 }]);
  });
});

describe('parked polls', () => {
  it('are answered empty when their time is over', async () => {
    await startNode();
    const { tasks } = await park({ timeoutMs: 20_000 });
    nodes.clock.advance(20_000);
    expect(await tasks).toEqual([]);
    expect(node.hub.parkedPolls).toBe(0);
  });

  it('cost no call while they wait', async () => {
    await startNode();
    for (let i = 0; i < 50; i++) void (await park()).tasks;
    const calls = async (): Promise<string> =>
      /evalsha:calls=(\d+)/.exec(
        String(await node.redis.reads.call('INFO', 'commandstats')),
      )?.[1] ?? '0';
    const before = await calls();
    await allAsked();
    expect(await calls()).toBe(before);
    expect(node.hub.parkedPolls).toBe(50);
  });

  it('are refused beyond their bound', async () => {
    await startNode();
    for (let i = 0; i < 100; i++) void node.poll('a', { timeoutMs: forever }).tasks;
    await expect(node.poll('a').tasks).rejects.toMatchObject({ kind: 'too-many' });
  });

  it('are all answered when the node stops', async () => {
    await startNode();
    const polls = [await park(), await park()];
    node.hub.close();
    expect(await Promise.all(polls.map(({ tasks }) => tasks))).toEqual([[], []]);
    expect(await node.poll('a').tasks).toEqual([]);
  });
});
