// Group commit, output gate, outbox and activation of real shards on a real Redis.
import { bySystem } from '../../src/shard/executions.js';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { Payload } from '../../src/model/payload.js';
import { taskIdOf } from '../../src/std/ids.js';
import { signalProcess } from '../../testkit/process.js';
import { turns } from '../../testkit/until.js';
import { chainOf, shards } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';

const nodes = useShardNodes();

/** The marks that a node has left, as another one sees them. */
function marks(): Promise<string[]> {
  return nodes.witness((witness) => witness.dirty());
}

/** Whether a promise is still open after everything that could settle it had its turn. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  return (await Promise.race([promise, turns().then(() => open)])) === open;
}

/** What a promise gives, undefined when it does not do so now. */
async function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, turns().then(() => undefined)]);
}

describe('the output gate', () => {
  it('lets nothing out while the store has not confirmed', async () => {
    const node = await nodes.start();
    const id = await node.startExecution(chainOf('gate', 'a', 'b'));
    const [task] = await node.poll('a').tasks;
    const polled = node.poll('b').tasks;
    signalProcess(nodes.server.pid as number, 'SIGSTOP');
    const report = node.complete(task as never);
    const start = node.startExecution(chainOf('gate2', 'x'));
    expect(await isOpen(report)).toBe(true);
    const seen = node.shards.read(id, (open) => open.byNumber.get(1)?.status);
    try {
      expect(await isOpen(polled)).toBe(true);
      expect(await isOpen(start)).toBe(true);
      // What a reader would be shown is not yet stored either.
      expect(await isOpen(seen)).toBe(true);
    } finally {
      signalProcess(nodes.server.pid as number, 'SIGCONT');
    }
    await report;
    await start;
    expect(await seen).toBe('COMPLETED');
    expect((await polled).map((next) => next.referenceTaskName)).toEqual(['b']);
  });

  it('tells everybody who waits that the outcome is unknown when the store is lost', async () => {
    const node = await nodes.start();
    const id = await node.startExecution(chainOf('lost', 'a'));
    const [task] = await node.poll('a').tasks;
    await node.until('rest', () => node.shards.cache.peek(id)?.isInFlight === false);
    const report = node.complete(task as never);
    while (node.shards.cache.peek(id)?.pending === undefined) await Promise.resolve();
    const seen = node.shards.read(id, (open) => open.byNumber.get(1)?.status);
    node.placement.lost(new Error('for the test'));
    // Nor is shown what may never be stored.
    const isRefused = expect(seen).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(report).rejects.toMatchObject({ kind: 'unknown-outcome' });
    await isRefused;
    await expect(node.startExecution(chainOf('lost2', 'a'))).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await node.until('serving again', () => node.isServing);
    // The repeated report meets whatever was stored.
    await node.complete(task as never);
    expect(await node.stored(task?.workflowInstanceId as never)).toMatchObject({ a: 'COMPLETED' });
  });
});

describe('starts with slow first steps', () => {
  const def = (name: string): JsonMap => ({
    ...{ name, version: 1 },
    tasks: [
      {
        ...{ name: 'a', taskReferenceName: 'a', type: 'SIMPLE' },
        inputParameters: { value: '${workflow.env.slow}' },
      },
    ],
  });

  it('leave the thread to others between two of one caller, as long as they are slow', async () => {
    let stepMs = 100;
    let steps = 0;
    const variable = (): string => {
      nodes.clock.advance(stepMs);
      return String(++steps);
    };
    const node = await nodes.start({ variable });
    const all: Promise<unknown>[] = [];
    const start = (count: number, name: string): void => {
      for (let i = 0; i < count; i++) all.push(node.startExecution(def(name)));
    };
    start(6, 'slow');
    // The first one tells that they are slow, the second has its turn in the line at once.
    expect(steps).toBe(2);
    await turns();
    expect(steps).toBe(2);
    nodes.clock.advance(stepMs);
    await node.until('the next turn', () => steps === 3);
    start(1, 'other');
    expect(steps).toBe(4);
    stepMs = 1;
    nodes.clock.advance(100);
    await node.until('all of them', () => {
      nodes.clock.advance(stepMs);
      return steps === 7;
    });
    start(5, 'slow');
    expect(steps).toBe(12);
    await Promise.all(all);
  });
});

describe('group commit', () => {
  it('writes what became ready together in one batch, one commit per execution', async () => {
    const node = await nodes.start();
    const def = chainOf('grouped', 'a');
    await node.startExecution(def);
    node.batches.length = 0;
    await Promise.all(Array.from({ length: 50 }, () => node.startExecution(def)));
    expect(node.batches.reduce((sum, size) => sum + size)).toBe(50);
    expect(node.batches.length).toBeLessThanOrEqual(2);
  });

  it('merges the transitions of an execution since its last flush', async () => {
    const node = await nodes.start();
    const id = await node.startExecution(chainOf('merged', 'a'));
    node.batches.length = 0;
    await Promise.all([
      node.shards.command(id, { kind: 'pause' }, bySystem),
      node.shards.command(id, { kind: 'resume' }, bySystem),
      node.shards.command(id, { kind: 'update-variables', variables: { n: 1 } }, bySystem),
    ]);
    expect(node.batches).toEqual([1]);
  });

  it('drops the execution whose head is another one, and only that', async () => {
    const node = await nodes.start();
    const [one, two] = await Promise.all([
      node.startExecution(chainOf('heads', 'a')),
      node.startExecution(chainOf('heads', 'a')),
    ]);
    const key = node.redis.keys.execution(Number.parseInt(one.slice(0, 4), 16), one);
    await node.redis.reads.call('HSET', key, 'h', 'another');
    await expect(node.shards.command(one, { kind: 'pause' }, bySystem)).rejects.toMatchObject({
      kind: 'unknown-outcome',
    });
    await node.shards.command(two, { kind: 'pause' }, bySystem);
    expect(node.counts).toContain('commits_refused_chain');
    expect(node.isServing).toBe(true);
    // Loaded again, it goes on from what is stored.
    await node.shards.command(one, { kind: 'pause' }, bySystem);
    expect(await node.stored(one)).toMatchObject({ '': 'PAUSED' });
  });
});

describe('the outbox', () => {
  it('pushes again what a crash left out between the commit and the push', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('left', 'a'));
    node.crash();
    expect(await marks()).toEqual([id]);
    const again = await nodes.restart(node);
    const { tasks } = again.poll('a');
    expect((await tasks).map((task) => task.workflowInstanceId)).toEqual([id]);
  });

  it('puts a task into its queue with the commit that schedules it, without a mark', async () => {
    const node = await nodes.start();
    node.batches.length = 0;
    const id = await node.startExecution(chainOf('together', 'a'));
    node.crash();
    expect(await marks()).toEqual([]);
    expect(await nodes.witness(({ queues }) => queues.size({ taskType: 'a' }))).toBe(1);
    const again = await nodes.restart(node);
    // Nothing has been loaded for it; the poll finds it in the store.
    expect(again.shards.cache.count).toBe(0);
    expect((await again.poll('a').tasks).map((task) => task.workflowInstanceId)).toEqual([id]);
  });

  it('keeps the mark until the push is confirmed, and strikes it off without a commit', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('mark', 'a'));
    expect(await node.dirty()).toEqual([id]);
    node.batches.length = 0;
    await node.until('no mark', async () => (await node.dirty()).length === 0);
    expect(await node.queues.size({ taskType: 'a' })).toBe(1);
    expect(node.batches).toEqual([]);
  });

  it('takes the mark along with the next commit when its removal has failed', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    let failed = 0;
    node.store.clearDirty = () => {
      failed += 1;
      return Promise.reject(new Error('the connection is gone'));
    };
    const id = await node.startExecution(chainOf('failed', 'a'));
    await node.until('a failure', () => failed > 0 || undefined);
    const [task] = await node.poll('a').tasks;
    await node.complete(task as never);
    expect(await node.stored(id)).toMatchObject({ '': 'COMPLETED' });
    expect(await node.dirty()).toEqual([]);
  });

  it('sets the mark anew for what comes after', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('anew', 'a', 'b'));
    await node.until('no mark', async () => (await node.dirty()).length === 0);
    const [task] = await node.poll('a').tasks;
    await node.complete(task as never);
    expect(await node.dirty()).toEqual([id]);
    const again = await nodes.restart(node);
    expect((await again.poll('b').tasks).map((next) => next.workflowInstanceId)).toEqual([id]);
  });

  it('tells a parent of its ended child although the node died before it could', async () => {
    const defs = [chainOf('child', 'c')];
    const parent = {
      name: 'parent',
      version: 1,
      tasks: [
        {
          name: 's',
          taskReferenceName: 's',
          type: 'SUB_WORKFLOW',
          subWorkflowParam: { name: 'child', version: 1 },
        },
      ],
    };
    const node = await nodes.start({ workflowDefs: defs });
    const id = await node.startExecution(parent);
    const [task] = await node.poll('c').tasks;
    await node.complete(task as never);
    // The end is stored; the child's report of it is an outbox message that was released a moment
    // ago.
    node.crash();
    expect(await nodes.witness((witness) => witness.stored(id))).toMatchObject({
      s: 'IN_PROGRESS',
    });
    expect(await marks()).toContain(task?.workflowInstanceId);
    const again = await nodes.restart(node);
    await again.until('the end of the parent', async () => {
      return (await again.stored(id))?.[''] === 'COMPLETED';
    });
    expect(await again.stored(id)).toMatchObject({ s: 'COMPLETED' });
  });

  it('starts a child once however often its order is repeated', async () => {
    const parent = {
      name: 'once',
      version: 1,
      tasks: [
        {
          name: 's',
          taskReferenceName: 's',
          type: 'SUB_WORKFLOW',
          subWorkflowParam: { name: 'child1', version: 1 },
        },
      ],
    };
    let node = await nodes.start({ workflowDefs: [chainOf('child1', 'c')] });
    const starting = node.startExecution(parent);
    await starting;
    for (let i = 0; i < 3; i++) {
      node = await nodes.restart(node);
      await node.until('the message done', async () => (await node.dirty()).length === 0);
    }
    expect(await node.store.running('child1')).toHaveLength(1);
    expect(await node.queues.size({ taskType: 'c' })).toBe(1);
  });

  it('makes sure, before an execution is shown, that what it waits for can reach it', async () => {
    const node = await nodes.start();
    const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: {} };
    const id = await node.startExecution({ name: 'waits', version: 1, tasks: [wait] });
    const again = await nodes.restart(node);
    expect(again.confirmed).toEqual([]);
    const shown = await again.shards.read(id, () => [...again.confirmed]);
    expect(shown).toEqual(['w']);
  });

  it('runs a system task again whose run died with its node', async () => {
    const def = {
      name: 'http',
      version: 1,
      tasks: [{ name: 'h', taskReferenceName: 'h', type: 'HTTP', inputParameters: {} }],
    };
    const node = await nodes.start();
    await node.startExecution(def);
    expect(node.runs.map(({ task }) => task.ref)).toEqual(['h']);
    const again = await nodes.restart(node);
    await again.until('the run', () => again.runs.length === 1);
    expect(again.runs.map(({ task }) => task.ref)).toEqual(['h']);
  });
});

describe('an execution that has ended', () => {
  it('is one record that expires, also when its last work is done while its end is written', async () => {
    const task = { name: 'h', taskReferenceName: 'h', type: 'HTTP', inputParameters: {} };
    const node = await nodes.start();
    const id = await node.startExecution({ name: 'http', version: 1, tasks: [task] });
    await node.until('rest', () => node.shards.cache.peek(id)?.isUnconfirmed === false);
    const commit = node.store.commit.bind(node.store);
    let asked = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    node.store.commit = async (...batch) => {
      const result = await commit(...batch);
      asked = true;
      await released;
      return result;
    };
    // Somebody else completes the task while its run is under way, as a call of a webhook may.
    const ended = node.complete({ workflowInstanceId: id, taskId: taskIdOf(id, 1) } as never);
    await node.until('its last commit', () => asked, 0);
    node.runs[0]?.end();
    await turns();
    release();
    await ended;
    const shard = Number.parseInt(id.slice(0, 4), 16) % shards;
    await node.until('the record', async () => (await node.store.load(shard, id))?.compact);
  });
});

describe('activation', () => {
  it('believes the leases that the queues remember before it trusts SCHEDULED', async () => {
    const def = { name: 'a', responseTimeoutSeconds: 30, retryCount: 0 };
    const node = await nodes.start({ ridesWithCommits: false, taskDefs: [def] });
    const id = await node.startExecution(chainOf('leased', 'a'));
    await node.until('the push', async () => (await node.queues.size({ taskType: 'a' })) === 1);
    const [task] = await node.poll('a', { workerId: 'w7' }).tasks;
    // The claim is memory of the node and the queue; the execution has not been written.
    expect(await node.stored(id)).toMatchObject({ a: 'SCHEDULED' });
    const again = await nodes.restart(node);
    const view = await again.shards.read(id, ({ byNumber }) => {
      const { status, workerId, pollCount, startAt } = byNumber.get(1) as never as {
        [key: string]: unknown;
      };
      return { status, workerId, pollCount, startAt };
    });
    expect(view).toEqual({
      status: 'IN_PROGRESS',
      workerId: 'w7',
      pollCount: 1,
      startAt: task?.startTime,
    });
    expect(await isOpen(again.poll('a').tasks)).toBe(true);
    nodes.clock.advance(29_000);
    expect(await again.stored(id)).toMatchObject({ a: 'SCHEDULED' });
    await again.until('the response timeout', async () => {
      return (await again.stored(id))?.['a'] === 'TIMED_OUT';
    });
  });

  it('gives a lease back that a report ended in the life before, so that polls may have the task', async () => {
    const queue = { taskType: 'a' };
    const taskDefs = [{ name: 'a', responseTimeoutSeconds: 3600, concurrentExecLimit: 1 }];
    const node = await nodes.start({ taskDefs });
    const id = await node.startExecution(chainOf('reported', 'a'));
    await node.until('the push', async () => (await node.queues.size(queue)) === 1);
    const [task] = await node.poll('a').tasks;
    await node.report(task as never, { status: 'IN_PROGRESS', output: Payload.empty });
    node.crash();
    expect(await marks()).toContain(id);
    // The queue may have heard of the report; then the lease is set again as it was.
    await nodes.witness(async ({ queues }) => {
      const attempt = { taskId: taskIdOf(id, 1), reopenCount: 0 };
      for (const { leaseNumber } of (await queues.pop(queue, 1, 5000)).popped) {
        const startAt = nodes.clock.now();
        const lease = { attempt, leaseNumber, workerId: 'w', startAt, pollCount: 1, endAt: 0 };
        expect(await queues.confirm(queue, [lease])).toEqual([true]);
      }
    });
    const again = await nodes.restart(node);
    const polled = again.poll('a').tasks;
    expect(await again.until('the task', () => soon(polled))).toMatchObject([
      { workflowInstanceId: id, pollCount: 2 },
    ]);
  });

  it('leaves to the queue what a claim of the life before may still bring to a worker', async () => {
    const node = await nodes.start();
    const id = await node.startExecution(chainOf('claimed', 'a'));
    const attempt = { taskId: taskIdOf(id, 1), reopenCount: 0 };
    const push = { attempt, priority: 0, visibleAt: 0, limits: undefined, givenBackAtPoll: 0 };
    await node.queues.push([{ ...push, queue: { taskType: 'a' } }]);
    // Taken from the queue for a worker; the claim is answered, its confirmation is on the way.
    expect((await node.queues.pop({ taskType: 'a' }, 1, 5000)).popped).toHaveLength(1);
    const again = await nodes.restart(node);
    const { tasks } = again.poll('a');
    await again.shards.read(id, (open) => open.isBusy);
    expect(await isOpen(tasks)).toBe(true);
    let handedOut = 0;
    void tasks.then((some) => (handedOut += some.length));
    await again.until('the end of the provisional lease', () => handedOut === 1);
  });

  it('lets only the newest lease of an attempt be confirmed and handed out', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('confirmed', 'a'));
    await node.until('the push', async () => (await node.queues.size({ taskType: 'a' })) === 1);
    const queue = { taskType: 'a' };
    const [first] = (await node.queues.pop(queue, 1, 5000)).popped;
    await node.queues.giveBack(queue, [first as NonNullable<typeof first>]);
    const [second] = (await node.queues.pop(queue, 1, 5000)).popped;
    const claim = { workerId: 'w', startAt: nodes.clock.now(), pollCount: 1, endAt: 0 };
    const attempt = { taskId: taskIdOf(id, 1), reopenCount: 0 };
    const leases = [first, second].map((popped) => ({
      ...{ ...claim, attempt, leaseNumber: popped?.leaseNumber ?? 0 },
    }));
    expect(await node.queues.confirm(queue, leases)).toEqual([false, true]);
  });

  it('lets executions at rest leave memory when there are too many, and finds them again', async () => {
    const node = await nodes.start({ actorBytesMax: 20_000, ridesWithCommits: false });
    const ids = [];
    for (let i = 0; i < 12; i++) {
      ids.push(await node.startExecution(chainOf('many', 'a', 'b')));
      await node.until('rest', async () => (await node.dirty()).length === 0);
    }
    expect(node.shards.cache.count).toBeLessThan(8);
    const tasks = await node.poll('a', { count: 12 }).tasks;
    expect(new Set(tasks.map((task) => task.workflowInstanceId))).toEqual(new Set(ids));
    for (const task of tasks) await node.complete(task);
    expect(await node.stored(ids[0] as never)).toMatchObject({ a: 'COMPLETED', b: 'SCHEDULED' });
  });

  it('shows an execution that has just ended without loading it, then lets it leave memory', async () => {
    const node = await nodes.start();
    const { store } = node;
    let loads = 0;
    Object.defineProperty(store, 'load', {
      value: (...args: Parameters<typeof store.load>) => {
        loads += 1;
        return Object.getPrototypeOf(store).load.apply(store, args) as ReturnType<
          typeof store.load
        >;
      },
    });
    const variable = { type: 'SET_VARIABLE', inputParameters: { a: 1 } };
    const tasks = [{ name: 'v', taskReferenceName: 'v', ...variable }];
    const id = await node.startExecution({ ...chainOf('at-once', 'v'), tasks });
    const statusNow = (): Promise<string | undefined> =>
      node.shards.read(id, ({ execution }) => execution.state.status);
    // As a synchronous call does: it waits for the end, then reads the result.
    expect([await statusNow(), await statusNow()]).toEqual(['COMPLETED', 'COMPLETED']);
    expect(loads).toBe(0);
    await node.until('memory', () => node.shards.cache.peek(id) === undefined);
    expect(await statusNow()).toBe('COMPLETED');
    expect(loads).toBe(1);
  });

  it('loads an execution once for all who ask at the same time', async () => {
    const node = await nodes.start();
    const id = await node.startExecution(chainOf('shared', 'a'));
    const again = await nodes.restart(node);
    const seen = await Promise.all([1, 2, 3].map(() => again.shards.read(id, (open) => open)));
    expect(new Set(seen).size).toBe(1);
  });

  it('uses nothing that was read before the shards were lost', async () => {
    const node = await nodes.start();
    const id = await node.startExecution(chainOf('stale', 'a'));
    const again = await nodes.restart(node);
    const loading = again.shards.read(id, (open) => open.isBusy);
    again.placement.lost(new Error('for the test'));
    await expect(loading).rejects.toMatchObject({ kind: 'unavailable' });
    await again.until('serving again', () => again.isServing);
    await again.shards.command(id, { kind: 'pause' }, bySystem);
    expect(await again.stored(id)).toMatchObject({ '': 'PAUSED' });
  });
});

describe('a start with an idempotency key', () => {
  const def = chainOf('keyed', 'a');

  it('leads to one execution, also when it is repeated after an unknown outcome and a crash', async () => {
    const node = await nodes.start();
    const request = {
      ...node.startRequest(def),
      idempotency: { key: 'k', strategy: 'RETURN_EXISTING' as const },
    };
    const started = node.shards.start(request);
    node.placement.lost(new Error('for the test'));
    await started.catch(() => undefined);
    await node.until('serving again', () => node.isServing);
    const ids = await Promise.all([1, 2, 3].map(() => node.shards.start(request)));
    const again = await nodes.restart(node);
    ids.push(await again.shards.start(request));
    expect(new Set(ids).size).toBe(1);
    expect(await again.store.running('keyed')).toEqual([ids[0]]);
  });

  it('is refused with the name of the execution that is there, while that is to be so', async () => {
    const node = await nodes.start();
    const request = node.startRequest(def);
    const start = (strategy: 'FAIL' | 'FAIL_ON_RUNNING'): Promise<string> =>
      node.shards.start({ ...request, idempotency: { key: 'k', strategy } });
    const id = await start('FAIL');
    await expect(start('FAIL')).rejects.toThrow(id);
    await expect(start('FAIL_ON_RUNNING')).rejects.toMatchObject({ kind: 'conflict' });
    await node.terminate(id);
    await expect(start('FAIL')).rejects.toThrow(id);
    expect(await start('FAIL_ON_RUNNING')).not.toBe(id);
  });
});

describe('a removal', () => {
  it('takes the execution and its waiting tasks away', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('gone', 'a'));
    await node.until('the push', async () => (await node.queues.size({ taskType: 'a' })) === 1);
    await node.shards.remove(id);
    expect(await node.stored(id)).toBeUndefined();
    await node.until('an empty queue', async () => {
      return (await node.queues.size({ taskType: 'a' })) === 0;
    });
  });

  it('is not answered as done when the store refused it', async () => {
    const node = await nodes.start({ ridesWithCommits: false });
    const id = await node.startExecution(chainOf('kept', 'a'));
    await node.until('the push', async () => (await node.queues.size({ taskType: 'a' })) === 1);
    const key = node.redis.keys.execution(Number.parseInt(id.slice(0, 4), 16), id);
    await node.redis.reads.call('HSET', key, 'h', 'another');
    await expect(node.shards.remove(id)).rejects.toMatchObject({ kind: 'unknown-outcome' });
    expect(await node.stored(id)).toMatchObject({ a: 'SCHEDULED' });
    expect(await node.queues.size({ taskType: 'a' })).toBe(1);
  });
});
