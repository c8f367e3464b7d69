// Hand-outs that cross each other or a lost connection: whatever comes between a lease, a report
// and a push, the queue gets the task again.
import { bySystem } from '../../src/shard/executions.js';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Payload } from '../../src/model/payload.js';
import { taskIdOf, type ExecutionId } from '../../src/std/ids.js';
import type { Attempt, Popped, Push } from '../../src/store/queue-store.js';
import type { WireTask } from '../../testkit/wire.js';
import { chainOf, type ShardNode } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';

const queue = { taskType: 'a' };
const taskDefs = [{ name: 'a', responseTimeoutSeconds: 30, retryCount: 3, retryDelaySeconds: 0 }];

const nodes = useShardNodes();
let node: ShardNode;

beforeEach(async () => {
  node = await nodes.start({ taskDefs });
});

/** An execution whose only task waits in its queue. */
async function startWaiting(): Promise<{ id: ExecutionId; attempt: Attempt }> {
  const id = await node.startExecution(chainOf('crossed', 'a'));
  expect(await node.queues.size(queue)).toBe(1);
  return { id, attempt: { taskId: taskIdOf(id, 1), reopenCount: 0 } };
}

async function pop(): Promise<Popped> {
  const [popped] = (await node.queues.pop(queue, 1, 5000)).popped;
  if (popped === undefined) throw new Error('nothing is ready');
  return popped;
}

/** What a node does that has popped an attempt and heard that it may have it. */
async function confirm({ attempt, leaseNumber }: Popped, pollCount = 1): Promise<void> {
  const startAt = node.clock.now();
  const endAt = startAt + 30_000;
  const lease = { attempt, leaseNumber, workerId: 'w', startAt, pollCount, endAt };
  expect(await node.queues.confirm(queue, [lease])).toEqual([true]);
}

function giveBack(id: ExecutionId): Promise<void> {
  const task = { taskId: taskIdOf(id, 1), workflowInstanceId: id } as unknown as WireTask;
  return node.report(task, { status: 'IN_PROGRESS', output: Payload.empty });
}

async function untilHandedOut(): Promise<WireTask> {
  const polled: WireTask[] = [];
  void node.poll('a', { timeoutMs: 600_000 }).tasks.then((tasks) => polled.push(...tasks));
  return node.until('the next hand-out', () => polled[0], 500);
}

describe('a task that its worker gives back', () => {
  it('is offered again when a script popped it while its owner was leasing it', async () => {
    const { id, attempt } = await startWaiting();
    const popped = await pop();
    const leasing = node.shards.claims.lease({ queue, attempts: [attempt], workerId: 'head' });
    expect(await node.shards.claims.claim(attempt, 'script')).toMatchObject({ pollCount: 1 });
    expect(await leasing).toEqual(['taken']);
    await confirm(popped);
    await giveBack(id);
    expect(await untilHandedOut()).toMatchObject({ workflowInstanceId: id, pollCount: 2 });
    expect(node.counts).toEqual([]);
  });

  it('counts as handed out when its claim is answered after the grant that came too late', async () => {
    const { id, attempt } = await startWaiting();
    await pop();
    const grant = holdCommit();
    const leasing = node.shards.claims.lease({ queue, attempts: [attempt], workerId: 'head' });
    await grant.carriedOut;
    const variables = { kind: 'update-variables', variables: { v: 1 } } as const;
    const changed = node.shards.command(id, variables, bySystem);
    const claimed = node.shards.claims.claim(attempt, 'script');
    await setImmediate();
    grant.answer();
    expect(await claimed).toMatchObject({ pollCount: 1 });
    expect(await leasing).toEqual(['taken']);
    await changed;
  });

  it('is offered again when a lease from before its hand-out meets it before its push', async () => {
    const { id, attempt } = await startWaiting();
    await handOut(await pop());
    const proceed = holdCommits();
    const given = giveBack(id);
    await setImmediate();
    const leasing = node.shards.claims.lease({ queue, attempts: [attempt], workerId: 'head' });
    await setImmediate();
    proceed();
    await given;
    expect(await leasing).toEqual(['later']);
    // Long before the end of the lease that it was given back from.
    await node.until('the push', async () => (await node.queues.size(queue)) === 1, 1);
    expect(await untilHandedOut()).toMatchObject({ workflowInstanceId: id, pollCount: 2 });
    expect(node.counts).toEqual([]);
  });

  it('is offered again when the claim of an older pop meets it before its push', async () => {
    const { id, attempt } = await startWaiting();
    await handOut(await pop());
    const proceed = holdCommits();
    const given = giveBack(id);
    await setImmediate();
    // Its provisional lease has ended long since: the answer to the pop was late.
    const claiming = node.shards.claims.claim(attempt, 'late').catch((error: unknown) => error);
    await setImmediate();
    proceed();
    await given;
    expect(await claiming).toMatchObject({ kind: 'unavailable' });
    // Long before the end of the lease that it was given back from.
    await node.until('the push', async () => (await node.queues.size(queue)) === 1, 1);
    expect(await untilHandedOut()).toMatchObject({ workflowInstanceId: id, pollCount: 2 });
    expect(node.counts).toEqual([]);
  });

  it('is offered again when an earlier push of it is confirmed only then', async () => {
    await nodes.stop(node);
    node = await nodes.start({ taskDefs, ridesWithCommits: false });
    const confirmPush = holdConfirmation();
    const id = await node.startExecution(chainOf('late', 'a'));
    await node.until('the push', async () => (await node.queues.size(queue)) === 1);
    const popped = await pop();
    await node.shards.claims.claim(popped.attempt, 'w');
    await confirm(popped);
    const given = giveBack(id);
    confirmPush();
    await given;
    expect(await untilHandedOut()).toMatchObject({ workflowInstanceId: id, pollCount: 2 });
    expect(node.counts).toEqual([]);
  });

  it('keeps a later lease when the push that gave it back is repeated', async () => {
    const { id } = await startWaiting();
    const pushes = recordPushes();
    const first = await pop();
    await node.shards.claims.claim(first.attempt, 'w1');
    await confirm(first);
    await giveBack(id);
    await node.until('the push', async () => (await node.queues.size(queue)) === 1);
    const second = await pop();
    expect(await node.shards.claims.claim(second.attempt, 'w2')).toMatchObject({ pollCount: 2 });
    await confirm(second, 2);
    await node.queues.push(pushes);
    expect(await node.queues.sizes([queue])).toEqual([{ waiting: 0, leased: 1 }]);
  });
});

describe('a lease that its owner does not know', () => {
  it('times out like any other, so that the task is retried', async () => {
    const { id } = await startWaiting();
    await confirm(await pop());
    expect(await untilHandedOut()).toMatchObject({ workflowInstanceId: id, retryCount: 1 });
    expect(await node.stored(id)).toMatchObject({ '': 'RUNNING' });
  });
});

describe('a lease whose task has ended, but not durably', () => {
  it('stays when a poll meets the attempt in ready', async () => {
    const { id, attempt } = await startWaiting();
    await handOut(await pop());
    const proceed = holdCommits();
    const reported = complete(id);
    expect(
      await node.shards.claims.lease({ queue, attempts: [attempt], workerId: 'other' }),
    ).toEqual(['taken']);
    await node.hub.drained();
    expect(await node.queues.sizes([queue])).toEqual([{ waiting: 0, leased: 1 }]);
    proceed();
    await reported;
    await untilForgotten();
    expect(
      await node.shards.claims.lease({ queue, attempts: [attempt], workerId: 'other' }),
    ).toEqual(['over']);
  });
});

describe('a task that was taken back, but not durably', () => {
  it('stays in its queue when its push is confirmed only then', async () => {
    await nodes.stop(node);
    node = await nodes.start({ taskDefs, ridesWithCommits: false });
    const confirmPush = holdConfirmation();
    const id = await node.startExecution(chainOf('late', 'a'));
    await node.until('the push', async () => (await node.queues.size(queue)) === 1);
    await node.startExecution(chainOf('next', 'a'));
    const proceed = holdCommits();
    const terminate = {
      kind: 'terminate',
      triggerFailureWorkflow: false,
      byParent: false,
    } as const;
    const ended = node.shards.command(id, terminate, bySystem);
    confirmPush();
    // What the first push has caused is written with the next one, or right after it.
    await node.until('the next push', async () => (await node.queues.size(queue)) === 2);
    await node.hub.drained();
    expect(await node.queues.size(queue)).toBe(2);
    proceed();
    await ended;
    await node.until('the end', async () => (await node.queues.size(queue)) === 1);
  });
});

/** A popped attempt goes to a worker. */
async function handOut(popped: Popped): Promise<void> {
  expect(await node.shards.claims.claim(popped.attempt, 'w')).toMatchObject({ pollCount: 1 });
  await confirm(popped);
}

async function untilForgotten(): Promise<void> {
  await node.until('the end of the lease', async () => {
    const [size] = await node.queues.sizes([queue]);
    return size?.leased === 0;
  });
}

function complete(id: ExecutionId): Promise<void> {
  const task = { taskId: taskIdOf(id, 1), workflowInstanceId: id } as unknown as WireTask;
  return node.report(task, { status: 'COMPLETED', output: Payload.empty });
}

/** No commit reaches the store until the result is called. */
function holdCommits(): () => void {
  const commit = node.store.commit.bind(node.store);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  node.store.commit = async (...batch): ReturnType<typeof commit> => {
    await held;
    return await commit(...batch);
  };
  return release;
}

/**
 * The store takes the next commit, but answers it only when `answer` is called.
 */
function holdCommit(): { readonly carriedOut: Promise<void>; readonly answer: () => void } {
  const commit = node.store.commit.bind(node.store);
  let tell = (): void => undefined;
  const carriedOut = new Promise<void>((resolve) => (tell = resolve));
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  let isFirst = true;
  node.store.commit = async (...batch): ReturnType<typeof commit> => {
    if (!isFirst) return await commit(...batch);
    isFirst = false;
    const results = await commit(...batch);
    tell();
    await held;
    return results;
  };
  return { carriedOut, answer };
}

/** The store takes pushes, but the node hears of the first one only when the result is called. */
function holdConfirmation(): () => void {
  const push = node.queues.push.bind(node.queues);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let isFirst = true;
  node.queues.push = async (pushes): Promise<void> => {
    const mustWait = isFirst;
    isFirst = false;
    await push(pushes);
    if (mustWait) await held;
  };
  return release;
}

/** All that is pushed from now on. */
function recordPushes(): Push[] {
  const recorded: Push[] = [];
  const push = node.queues.push.bind(node.queues);
  node.queues.push = (pushes): Promise<void> => {
    recorded.push(...pushes);
    return push(pushes);
  };
  return recorded;
}
