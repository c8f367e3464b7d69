// Tasks that one node holds for the polls of another one: what the holder gives, and what the asker
// does with it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionId } from '../../src/std/ids.js';
import type { HandedOver } from '../../src/queue/peer-hand-over.js';
import { chainOf, ShardNode } from '../shard/shard-node.js';
import { startRedis, type RunningRedis } from '../support/redis.js';
import { VirtualClock } from '../support/virtual-clock.js';

const queue = { taskType: 'a' };
const wish = { count: 5, workerId: 'far' };

let server: RunningRedis;
let node: ShardNode;
let number = 0;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.stop());

beforeEach(() => startNode(30));
afterEach(async () => node.stop());

async function startNode(responseTimeoutSeconds: number): Promise<void> {
  number += 1;
  const clock = new VirtualClock(Date.now());
  const taskDefs = [{ name: 'a', responseTimeoutSeconds, retryCount: 1, retryDelaySeconds: 0 }];
  node = await new ShardNode(server, { prefix: `h${number}`, clock, taskDefs }).start();
}

function start(): Promise<ExecutionId> {
  return node.startExecution(chainOf('far', 'a'));
}

function ask(signal = new AbortController().signal): Promise<HandedOver> {
  return node.hub.peerHandOver.handOver(queue, wish, signal);
}

const workflowsOf = ({ tasks }: HandedOver): unknown[] =>
  tasks.map(({ text }) => (JSON.parse(text) as { workflowInstanceId: string }).workflowInstanceId);

async function stored(): Promise<{ waiting: number; leased: number } | undefined> {
  return (await node.queues.sizes([queue]))[0];
}

describe('the node that holds ready tasks', () => {
  it('leases them for the worker of another node, in order', async () => {
    const ids = [await start(), await start()];
    const given = await ask();
    expect(workflowsOf(given)).toEqual(ids);
    expect(given.hasLeft).toBe(false);
    expect(JSON.parse(given.tasks[0]?.text ?? '')).toMatchObject({
      status: 'IN_PROGRESS',
      workerId: 'far',
      pollCount: 1,
    });
    expect(await stored()).toEqual({ waiting: 0, leased: 2 });
    expect(await ask()).toEqual({ tasks: [], hasLeft: false });
  });

  it('ends the lease of one that nobody reports', async () => {
    const id = await start();
    await ask();
    const { tasks } = node.poll('a', { timeoutMs: 10_000_000 });
    node.clock.advance(31_000);
    expect(await tasks).toMatchObject([{ workflowInstanceId: id, retryCount: 1 }]);
  });

  it('takes them back at once when the other node no longer waits', async () => {
    const id = await start();
    const gone = new AbortController();
    const given = ask(gone.signal);
    gone.abort();
    expect(await given).toEqual({ tasks: [], hasLeft: true });
    const { tasks } = node.poll('a', { timeoutMs: 10_000_000 });
    expect(await tasks).toMatchObject([{ workflowInstanceId: id, workerId: 'w' }]);
  });

  it('leaves tasks whose lease has no end to the scripts of the store', async () => {
    await node.stop();
    await startNode(0);
    const id = await start();
    expect(await ask()).toEqual({ tasks: [], hasLeft: true });
    expect(await stored()).toEqual({ waiting: 1, leased: 0 });
    expect(await node.poll('a').tasks).toMatchObject([{ workflowInstanceId: id }]);
  });
});

describe('the node at which polls wait', () => {
  const task = (name: string): HandedOver['tasks'][number] => ({
    attempt: { taskId: name as never, reopenCount: 0 },
    leaseNumber: 1,
    text: JSON.stringify({ taskId: name }),
  });

  it('asks for as many as its poll takes, and answers it', async () => {
    const { tasks } = node.poll('a', { count: 3, workerId: 'w1' });
    const asked: unknown[] = [];
    const isTaken = node.hub.peerHandOver.offered(queue, 'node-2', (wanted) => {
      asked.push(wanted);
      return Promise.resolve({ tasks: [task('one'), task('two')], hasLeft: false });
    });
    expect(isTaken).toBe(true);
    expect(await tasks).toEqual([{ taskId: 'one' }, { taskId: 'two' }]);
    expect(asked).toEqual([{ count: 3, workerId: 'w1' }]);
  });

  it('asks the next poll for what is left', async () => {
    const first = node.poll('a');
    const second = node.poll('a');
    const left = [task('one'), task('two')];
    node.hub.peerHandOver.offered(queue, 'node-2', () =>
      Promise.resolve({ tasks: left.splice(0, 1), hasLeft: left.length > 0 }),
    );
    expect(await first.tasks).toEqual([{ taskId: 'one' }]);
    expect(await second.tasks).toEqual([{ taskId: 'two' }]);
  });

  it('remembers an offer until a poll comes', async () => {
    const holder = (): Promise<HandedOver> =>
      Promise.resolve({ tasks: [task('one')], hasLeft: false });
    expect(node.hub.peerHandOver.offered(queue, 'node-2', holder)).toBe(false);
    expect(await node.poll('a').tasks).toEqual([{ taskId: 'one' }]);
  });

  it('looks into the store when the holder cannot be asked', async () => {
    const id = await start();
    const known = node.hub.queue(queue);
    known.head.clear();
    known.maybeReady = false;
    const { tasks } = node.poll('a');
    node.hub.peerHandOver.offered(queue, 'node-2', () => Promise.reject(new Error('gone')));
    expect(await tasks).toMatchObject([{ workflowInstanceId: id }]);
  });
});
