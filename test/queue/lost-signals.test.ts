// A task that may be handed out, with a poll waiting, is handed out at once (invariants I19): what
// tells that the store may hold something is not lost, whichever way a read of the store ends. Each
// test brings about one order of events; the clock moves only where the test moves it.
import { bySystem } from '../../src/shard/executions.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { Payload } from '../../src/model/payload.js';
import type { QueueName } from '../../src/engine/decision.js';
import { chainOf, type NodeOptions, type ShardNode } from '../shard/shard-node.js';
import { useShardNodes } from '../shard/shard-nodes.js';
import type { WireTask } from '../../testkit/wire.js';

const a: QueueName = { taskType: 'a' };
const forever = 10_000_000;
const laterSeconds = 30;
/** A little more: the clock of the store is read at another moment than that of the node. */
const dueMs = laterSeconds * 1000 + 20;

const nodes = useShardNodes();
let node: ShardNode;

async function startNode(options: Partial<NodeOptions> = {}): Promise<void> {
  node = await nodes.start(options);
}

/** The answers of the store's `head` or `pop` wait from now on until they are let through. */
function holdAnswers(method: 'head' | 'pop'): { asked: () => boolean; release: () => void } {
  const { queues } = node;
  const real = queues[method].bind(queues) as (...args: unknown[]) => Promise<unknown>;
  let asked = false;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const held = async (...args: unknown[]): Promise<unknown> => {
    const answer = await real(...args);
    asked = true;
    await released;
    return answer;
  };
  Object.assign(queues, { [method]: held });
  return {
    asked: () => asked,
    release: () => {
      Object.assign(queues, { [method]: real });
      release();
    },
  };
}

/** A poll that has looked at the store and waits. */
async function park(
  queue: QueueName = a,
  timeoutMs = forever,
): Promise<{ tasks: Promise<WireTask[]> }> {
  const poll = node.poll(queue, { timeoutMs });
  await node.until('a read of the store', () => !node.hub.queue(queue).fetching, 0);
  return poll;
}

/** A task that its worker gave back for a while, hidden in the store; resolves with its id. */
async function hiddenTask(): Promise<string> {
  await node.startExecution(chainOf('later', 'a'));
  const [task] = await node.poll('a', { timeoutMs: forever }).tasks;
  const { taskId = '', workflowInstanceId = '' } = task ?? {};
  await node.shards.command(
    workflowInstanceId,
    {
      kind: 'update-task',
      task: { taskNumber: 1 },
      result: {
        status: 'IN_PROGRESS',
        output: Payload.empty,
        callbackAfterSeconds: laterSeconds,
        extendLease: false,
      },
      mergeOutput: false,
    },
    bySystem,
  );
  await node.until('hidden', async () => (await node.queues.size(a)) === 1, 0);
  return taskId;
}

/** A call of another node that still waits. */
const waits = { isCancelled: false };

describe('a task that becomes visible', () => {
  beforeEach(async () => {
    await startNode();
    // Its sweep would find what was lost, ten seconds later.
    await node.hub.leaseEnds.stop();
  });

  it('gets to the next poll when the last one ended while the store was read', async () => {
    const taskId = await hiddenTask();
    const ends = await park(a, dueMs + 50);
    const held = holdAnswers('head');
    // Its moment comes, the store is asked, and the poll ends before the answer.
    nodes.clock.advance(dueMs);
    await node.until('a read of the store', held.asked, 0);
    nodes.clock.advance(50);
    expect(await ends.tasks).toEqual([]);
    held.release();
    await node.until('the end of the read', () => !node.hub.queue(a).fetching, 0);
    const before = nodes.clock.now();
    expect(await node.poll('a', { timeoutMs: forever }).tasks).toMatchObject([{ taskId }]);
    expect(nodes.clock.now()).toBe(before);
  });

  it('gets to a poll that came while the store was read for one that has ended', async () => {
    const taskId = await hiddenTask();
    const ends = await park(a, dueMs + 50);
    const held = holdAnswers('head');
    nodes.clock.advance(dueMs);
    await node.until('a read of the store', held.asked, 0);
    nodes.clock.advance(50);
    expect(await ends.tasks).toEqual([]);
    const next = node.poll('a', { timeoutMs: forever });
    held.release();
    expect(await next.tasks).toMatchObject([{ taskId }]);
  });

  it('is shown to another node that asks for what is held here', async () => {
    const taskId = await hiddenTask();
    nodes.clock.advance(dueMs);
    const wish = { count: 1, workerId: 'far' };
    const request = { bootId: 'far', number: 1, openFrom: 1 };
    const given = await node.hub.peerHandOver.handOver({ queue: a, wish, request }, waits);
    // It looks into the store itself.
    expect(given).toEqual({ tasks: [], hasLeft: true });
    expect(await node.poll('a', { timeoutMs: forever }).tasks).toMatchObject([{ taskId }]);
  });

  it('gets to a poll that came while the store was read for another node', async () => {
    const taskId = await hiddenTask();
    nodes.clock.advance(dueMs + 50);
    const held = holdAnswers('head');
    const wish = { count: 1, workerId: 'far' };
    const request = { bootId: 'far', number: 1, openFrom: 1 };
    const given = node.hub.peerHandOver.handOver({ queue: a, wish, request }, waits);
    await node.until('a read of the store', held.asked, 0);
    const { tasks } = node.poll('a', { timeoutMs: forever });
    held.release();
    await given;
    expect(await tasks).toMatchObject([{ taskId }]);
  });
});

describe('a poll that waits', () => {
  it('is served soon after a read of the store that failed', async () => {
    await startNode({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('failed', 'a'));
    await node.until('the push', async () => (await node.queues.size(a)) === 1, 0);
    const { queues } = node;
    const real = queues.pop.bind(queues);
    let asked = 0;
    const failTwice: typeof queues.pop = (...args) => {
      asked += 1;
      return asked > 2 ? real(...args) : Promise.reject(new Error('The store is away'));
    };
    Object.assign(queues, { pop: failTwice });
    const { tasks } = node.poll('a', { timeoutMs: forever });
    const before = nodes.clock.now();
    let handedOut: WireTask[] = [];
    void tasks.then((some) => (handedOut = some));
    await node.until('the task', () => handedOut.length > 0, 10);
    expect(handedOut).toMatchObject([{ workflowInstanceId: id }]);
    expect(asked).toBe(3);
    // Not the end of the lease that a lost answer may have left behind.
    expect(nodes.clock.now() - before).toBeLessThan(3000);
  });

  it('gets what came meanwhile when one of many tasks on their way to it did not come', async () => {
    const taskDefs = [{ name: 'a', responseTimeoutSeconds: 0 }];
    await startNode({ taskDefs });
    const first = await park(a, 1);
    nodes.clock.advance(1);
    await first.tasks;
    const id = await node.startExecution(chainOf('many', 'a'));
    // Another node takes it out of the head; a lease without an end is then refused.
    const request = { bootId: 'far', number: 1, openFrom: 1 };
    const wish = { count: 1, workerId: 'far' };
    const given = node.hub.peerHandOver.handOver({ queue: a, wish, request }, waits);
    while (node.hub.queue(a).head.size > 0) await Promise.resolve();
    const { tasks } = node.poll('a', { count: 5, timeoutMs: forever });
    await given;
    expect(await tasks).toMatchObject([{ workflowInstanceId: id }]);
  });
});

describe('a limit that opens', () => {
  const taskDefs = [{ name: 'a', concurrentExecLimit: 1, responseTimeoutSeconds: 60 }];
  const inDomain: QueueName = { taskType: 'a', domain: 'd' };

  async function startIn(domain: string | undefined): Promise<void> {
    const request = node.startRequest(chainOf('limited', 'a'));
    const taskToDomain: Record<string, string> = domain === undefined ? {} : { a: domain };
    await node.shards.start({ ...request, attributes: { ...request.attributes, taskToDomain } });
  }

  it('is seen by a poll of another domain of the type', async () => {
    await startNode({ taskDefs });
    await startIn(undefined);
    const [first] = await node.poll('a', { timeoutMs: forever }).tasks;
    await startIn('d');
    await node.until('the push', async () => (await node.queues.size(inDomain)) === 1, 0);
    const waiting = await park(inDomain);
    expect(node.hub.queue(inDomain).blockedBy).toBe('concurrency');
    const before = nodes.clock.now();
    await node.complete(first as WireTask);
    expect(await waiting.tasks).toHaveLength(1);
    expect(nodes.clock.now()).toBe(before);
  });

  it('is seen when the lease that held the place ends, also one of another node', async () => {
    await startNode({ taskDefs });
    await startIn(undefined);
    await node.until('the push', async () => (await node.queues.size(a)) === 1, 0);
    // As another node would: this one knows nothing of the lease.
    const { popped } = await node.queues.pop(a, 1, 5000);
    const endAt = nodes.clock.now() + 60_000;
    const lease = { workerId: 'far', startAt: nodes.clock.now(), pollCount: 1, endAt };
    await node.queues.confirm(
      a,
      popped.map((one) => ({ ...one, ...lease })),
    );
    await startIn(undefined);
    await node.until('the push', async () => (await node.queues.size(a)) === 1, 0);
    const waiting = await park();
    await node.hub.leaseEnds.stop();
    nodes.clock.advance(59_900);
    await node.until('a read of the store', () => !node.hub.queue(a).fetching, 0);
    nodes.clock.advance(200);
    expect(await waiting.tasks).toHaveLength(1);
  });
});
