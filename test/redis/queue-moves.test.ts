import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskIdOf } from '../../src/std/ids.js';
import { Changes, type QueueName } from '../../src/engine/decision.js';
import type { Execution } from '../../src/model/execution.js';
import { queueText } from '../../src/redis/codec/queue-record.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisQueueStore } from '../../src/redis/queue-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import type { Commit, Fence, QueueMove } from '../../src/store/execution-store.js';
import type { Attempt, LeaseRecord } from '../../src/store/queue-store.js';
import {
  createdChanges,
  sampleCommit,
  sampleExecution,
  sampleSnapshot,
  startStore,
  type TestStore,
} from '../../testkit/samples.js';

const shard = 1;
const node = { nodeId: 'n1', bootId: 'b1', address: '127.0.0.1:1', peerAddress: '' };
const provisionalMs = 5_000;

describe('moves and grants that ride with commits', () => {
  let test: TestStore;
  let store: RedisExecutionStore;
  let queues: RedisQueueStore;
  let fence: Fence;
  let queuesMade = 0;
  let leaseNumbers = Date.now() * 1000;

  beforeAll(async () => {
    test = await startStore('one Redis');
    store = new RedisExecutionStore(test.redis, 4);
    queues = new RedisQueueStore(test.redis);
    [fence] = (await new RedisShardStore(test.redis).acquire(node, [shard])).fences as [Fence];
  });
  afterAll(async () => test.stop());

  const freshQueue = (domain?: string): QueueName => {
    const taskType = `moved ${++queuesMade}`;
    return domain === undefined ? { taskType } : { taskType, domain };
  };

  function attemptOf(execution: Execution, taskNumber = 1, reopenCount = 0): Attempt {
    return { taskId: taskIdOf(execution.id, taskNumber), reopenCount };
  }

  const ready = (queue: QueueName, attempt: Attempt, priority = 0, isNew = false): QueueMove => ({
    ...{ kind: 'ready', queue, attempt, priority, isNew },
  });
  const done = (queue: QueueName, attempt: Attempt): QueueMove => ({
    ...{ kind: 'done', queue, attempt },
  });

  function leaseOf(attempt: Attempt, rest: Partial<LeaseRecord> = {}): LeaseRecord {
    const leaseNumber = ++leaseNumbers;
    return { attempt, leaseNumber, workerId: 'w', startAt: 7, pollCount: 1, endAt: 0, ...rest };
  }

  function newExecution(): Execution {
    return sampleExecution(shard, sampleSnapshot('moves', ['a']));
  }

  function start(
    execution: Execution,
    moves: readonly QueueMove[],
    rest?: Partial<Commit>,
  ): Commit {
    const changes = createdChanges(execution);
    return sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1', moves, ...rest });
  }

  function next(execution: Execution, number: number, moves: readonly QueueMove[]): Commit {
    const changes = new Changes();
    changes.state = true;
    const heads = { head: `h${number}`, nextHead: `h${number + 1}` };
    return sampleCommit(fence, execution, { changes, ...heads, moves });
  }

  /** Starts an execution whose first attempt is ready. */
  async function started(queue: QueueName, priority = 0): Promise<[Execution, Attempt]> {
    const execution = newExecution();
    const attempt = attemptOf(execution);
    const { commits } = await store.commit([start(execution, [ready(queue, attempt, priority)])]);
    expect(commits).toEqual(['committed']);
    return [execution, attempt];
  }

  async function stateOf(queue: QueueName): Promise<{ waiting: number; leased: number }> {
    return (await queues.sizes([queue]))[0] as { waiting: number; leased: number };
  }

  async function popped(queue: QueueName): Promise<string[]> {
    const result = await queues.pop(queue, 100, provisionalMs);
    return result.popped.map(({ attempt }) => attempt.taskId);
  }

  describe('an attempt that becomes ready', () => {
    it('is in its queue once its commit is through, in the list of queues too', async () => {
      const queue = freshQueue('d');
      const [, attempt] = await started(queue);
      expect(await stateOf(queue)).toEqual({ waiting: 1, leased: 0 });
      expect(await queues.queues()).toContainEqual(queue);
      expect(await popped(queue)).toEqual([attempt.taskId]);
    });

    it.each([false, true])(
      'stands by priority and then in the order of the commits, between pushes',
      async (isNew) => {
        const queue = freshQueue();
        const executions = Array.from({ length: 90 }, newExecution);
        const low = executions.map((execution) => attemptOf(execution));
        const urgent = executions.map((execution) => attemptOf(execution, 2));
        const first = { taskId: taskIdOf(newExecution().id, 1), reopenCount: 0 };
        const pushed = { queue, priority: 0, visibleAt: 0, limits: undefined, givenBackAtPoll: 0 };
        await queues.push([{ ...pushed, attempt: first }]);
        await store.commit(
          executions.map((execution, i) =>
            start(execution, [
              ready(queue, low[i] as Attempt, 0, isNew),
              ready(queue, urgent[i] as Attempt, 5, isNew),
            ]),
          ),
        );
        const last = { taskId: taskIdOf(newExecution().id, 1), reopenCount: 0 };
        await queues.push([{ ...pushed, attempt: last }]);
        const order = [...(await popped(queue)), ...(await popped(queue))];
        expect(order).toEqual([...urgent, first, ...low, last].map(({ taskId }) => taskId));
      },
    );

    it.each([
      ['ready', async (queue: QueueName) => stateOf(queue), { waiting: 1, leased: 0 }],
      ['leased', async (queue: QueueName) => popped(queue), { waiting: 0, leased: 1 }],
    ] as const)('is not added when it is %s already', async (_, bring, after) => {
      const queue = freshQueue();
      const [execution, attempt] = await started(queue);
      await bring(queue);
      await store.commit([next(execution, 1, [ready(queue, attempt)])]);
      expect(await stateOf(queue)).toEqual(after);
    });

    it('is not added when it is hidden already', async () => {
      const queue = freshQueue();
      const execution = newExecution();
      const attempt = attemptOf(execution);
      const visibleAt = (await test.redis.now()) + 60_000;
      const rest = { priority: 0, limits: undefined, givenBackAtPoll: 0 };
      await queues.push([{ queue, attempt, visibleAt, ...rest }]);
      await store.commit([start(execution, [ready(queue, attempt)])]);
      expect(await stateOf(queue)).toEqual({ waiting: 1, leased: 0 });
      expect(await popped(queue)).toEqual([]);
    });
  });

  describe('an attempt that is done', () => {
    it.each([
      ['ready', async () => undefined],
      ['leased by a pop', async (queue: QueueName) => popped(queue)],
      [
        'leased by a grant',
        async (queue: QueueName, attempt: Attempt) =>
          store.commit([], [{ queue, leases: [leaseOf(attempt, { endAt: 9 })] }]),
      ],
    ] as const)('leaves its queue when it was %s', async (_, bring) => {
      const queue = freshQueue();
      const [execution, attempt] = await started(queue);
      await bring(queue, attempt);
      const { commits } = await store.commit([next(execution, 1, [done(queue, attempt)])]);
      expect(commits).toEqual(['committed']);
      expect(await stateOf(queue)).toEqual({ waiting: 0, leased: 0 });
      expect(await queues.endedLeases(queue, 10)).toEqual({ ended: [], nextEndAt: 0 });
    });

    it('makes way for the next one in the same commit', async () => {
      const queue = freshQueue();
      const [execution, attempt] = await started(queue);
      const following = attemptOf(execution, 2);
      const again = attemptOf(execution, 1, 1);
      const moves = [done(queue, attempt), ready(queue, following), ready(queue, again)];
      await store.commit([next(execution, 1, moves)]);
      const result = await queues.pop(queue, 10, provisionalMs);
      expect(result.popped.map((each) => each.attempt)).toEqual([following, again]);
    });

    it('is not added when it became ready and was done within one commit', async () => {
      const queue = freshQueue();
      const execution = newExecution();
      const attempt = attemptOf(execution);
      await store.commit([start(execution, [ready(queue, attempt), done(queue, attempt)])]);
      expect(await stateOf(queue)).toEqual({ waiting: 0, leased: 0 });
    });
  });

  describe('a batch', () => {
    it.each([
      ['wrong-head', { head: 'other' }],
      ['stale-owner', { fence: { shard, epoch: 99, token: 'x' } }],
    ] as const)(
      'moves nothing of a commit that ends in %s, all of the others',
      async (end, rest) => {
        const queue = freshQueue();
        const [good, refused] = [newExecution(), newExecution()];
        const [mine, theirs] = [attemptOf(good), attemptOf(refused)];
        const [held] = (await started(queue)).slice(1) as [Attempt];
        const { commits, grants } = await store.commit(
          [start(refused, [ready(queue, theirs)], rest), start(good, [ready(queue, mine)])],
          [{ queue, leases: [leaseOf(held)] }],
        );
        expect(commits).toEqual([end, 'committed']);
        expect(grants).toEqual([[true]]);
        expect(await store.load(shard, refused.id)).toBeUndefined();
        expect((await store.load(shard, good.id))?.head).toBe('h1');
        expect(await popped(queue)).toEqual([mine.taskId]);
      },
    );

    it('that is repeated moves nothing again', async () => {
      const queue = freshQueue();
      const execution = newExecution();
      const commit = start(execution, [ready(queue, attemptOf(execution))]);
      await store.commit([commit]);
      expect(await popped(queue)).toHaveLength(1);
      await queues.finish(queue, [attemptOf(execution)]);
      expect((await store.commit([commit])).commits).toEqual(['already-applied']);
      expect(await stateOf(queue)).toEqual({ waiting: 0, leased: 0 });
    });

    it('is whole when the store lacks a snapshot that it was thought to have', async () => {
      const queue = freshQueue();
      const snapshot = sampleSnapshot('gone meanwhile', ['a']);
      const first = sampleExecution(shard, snapshot);
      await store.commit([start(first, [])]);
      await store.commit([{ ...next(first, 1, []), remove: true }]);
      const second = sampleExecution(shard, snapshot);
      const attempt = attemptOf(second);
      const { commits } = await store.commit([start(second, [ready(queue, attempt)])]);
      expect(commits).toEqual(['committed']);
      expect(await popped(queue)).toEqual([attempt.taskId]);
      const fresh = new RedisExecutionStore(test.redis, 4);
      expect((await fresh.load(shard, second.id))?.execution.snapshot.def).toEqual(snapshot.def);
    });
  });

  it('bring a queue to the list again that a failover took off it', async () => {
    const queue = freshQueue();
    await started(queue);
    await test.redis.queues.call('DEL', test.redis.keys.queues());
    expect(await queues.queues()).toContainEqual(queue);
    const listed = await test.redis.reads.call('SMEMBERS', test.redis.keys.queues());
    expect(listed).toContain(queueText(queue));
  });

  describe('a grant', () => {
    it('leases what is ready, in full, and refuses what is not', async () => {
      const queue = freshQueue('d');
      const [, held] = await started(queue);
      const [other, over] = await started(queue);
      await store.commit([next(other, 1, [done(queue, over)])]);
      const [, taken] = await started(queue);
      await queues.giveBack(queue, []);
      const endAt = (await test.redis.now()) + 60_000;
      const lease = leaseOf(held, { workerId: undefined, startAt: 5, pollCount: 3, endAt });
      const leases = [lease, leaseOf(over), leaseOf(attemptOf(newExecution()))];
      const result = await store.commit(
        [],
        [
          { queue, leases },
          { queue, leases: [leaseOf(taken)] },
          { queue, leases: [leaseOf(held)] },
        ],
      );
      expect(result).toEqual({ commits: [], grants: [[true, false, false], [true], [false]] });
      expect(await queues.leases(queue, [held])).toEqual([lease]);
      expect(await stateOf(queue)).toEqual({ waiting: 0, leased: 2 });
      expect((await queues.endedLeases(queue, 10)).nextEndAt).toBe(endAt);
    });

    it('refuses what a pop has taken', async () => {
      const queue = freshQueue();
      const [, attempt] = await started(queue);
      const { popped: taken } = await queues.pop(queue, 1, provisionalMs);
      const { grants } = await store.commit([], [{ queue, leases: [leaseOf(attempt)] }]);
      expect(grants).toEqual([[false]]);
      const [lease] = await queues.leases(queue, [attempt]);
      expect(lease?.leaseNumber).toBe(taken[0]?.leaseNumber);
    });

    it('may be confirmed anew, extended and given back to its old place', async () => {
      const queue = freshQueue();
      const [, first] = await started(queue);
      const [, second] = await started(queue);
      const lease = leaseOf(first, { endAt: 1 });
      await store.commit([], [{ queue, leases: [lease] }]);
      expect(await queues.extend(queue, first, 2)).toBe(true);
      expect(await queues.confirm(queue, [{ ...lease, endAt: 3 }])).toEqual([true]);
      expect(await queues.confirm(queue, [{ ...lease, leaseNumber: 1 }])).toEqual([false]);
      expect((await queues.endedLeases(queue, 10)).ended).toEqual([first]);
      await queues.giveBack(queue, [lease]);
      const { popped: again } = await queues.pop(queue, 10, provisionalMs);
      expect(again.map(({ attempt }) => attempt)).toEqual([first, second]);
    });

    it('of thousands is divided among calls and answered in order', async () => {
      const queue = freshQueue();
      const executions = Array.from({ length: 3 }, newExecution);
      const attempts = executions.flatMap((execution) =>
        Array.from({ length: 400 }, (_, i) => attemptOf(execution, i + 1)),
      );
      const batch = executions.map((execution, i) =>
        start(
          execution,
          attempts.slice(400 * i, 400 * (i + 1)).map((attempt) => ready(queue, attempt)),
        ),
      );
      await store.commit(batch);
      const absent = attemptOf(newExecution());
      const wanted = [...attempts.slice(0, 700), absent, ...attempts.slice(700)];
      const last = newExecution();
      const { commits, grants } = await store.commit(
        [start(last, [])],
        [{ queue, leases: wanted.map((attempt) => leaseOf(attempt)) }],
      );
      expect(commits).toEqual(['committed']);
      expect(grants).toEqual([wanted.map((attempt) => attempt !== absent)]);
      expect(await stateOf(queue)).toEqual({ waiting: 0, leased: 1200 });
    });
  });
});

describe('on a cluster', () => {
  let test: TestStore;
  beforeAll(async () => void (test = await startStore('a cluster')));
  afterAll(async () => test.stop());

  it('moves and grants do not ride with commits, and are refused', async () => {
    const store = new RedisExecutionStore(test.redis, 4);
    expect(store.movesRideWithCommits).toBe(false);
    const [fence] = (await new RedisShardStore(test.redis).acquire(node, [shard])).fences as [
      Fence,
    ];
    const execution = sampleExecution(shard, sampleSnapshot('apart', ['a']));
    const attempt = { taskId: taskIdOf(execution.id, 1), reopenCount: 0 };
    const queue = { taskType: 't' };
    const changes = createdChanges(execution);
    const first = { changes, head: '', nextHead: 'h1' };
    const move: QueueMove = { kind: 'done', queue, attempt };
    const moving = sampleCommit(fence, execution, { ...first, moves: [move] });
    await expect(store.commit([moving])).rejects.toThrow(/share no slot/);
    await expect(store.commit([], [{ queue, leases: [] }])).rejects.toThrow(/share no slot/);
    const plain = sampleCommit(fence, execution, first);
    expect(await store.commit([plain])).toEqual({ commits: ['committed'], grants: [] });
  });
});
