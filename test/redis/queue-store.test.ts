import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskIdOf } from '../../src/std/ids.js';
import type { QueueName } from '../../src/engine/decision.js';
import { queueText } from '../../src/redis/codec/queue-record.js';
import { RedisQueueStore } from '../../src/redis/queue-store.js';
import type { Attempt, AttemptLimits, Push } from '../../src/store/queue-store.js';
import { sampleId, startStore, storeKinds, type TestStore } from '../../testkit/samples.js';

let test: TestStore;
let store: RedisQueueStore;
/** Added to store time, so that nothing here waits. */
let offsetMs = 0;

describe.each(storeKinds)('on %s', (kind) => {
  beforeAll(async () => {
    test = await startStore(kind, { timeOffsetMs: () => offsetMs });
    store = new RedisQueueStore(test.redis);
  });
  afterAll(async () => test.stop());

  const provisionalMs = 5_000;
  let queuesMade = 0;

  function freshQueue(domain?: string): QueueName {
    const taskType = `type:{${++queuesMade}}`;
    return domain === undefined ? { taskType } : { taskType, domain };
  }

  function attempts(count: number): Attempt[] {
    const id = sampleId(3);
    return Array.from({ length: count }, (_, index) => ({
      taskId: taskIdOf(id, index + 1),
      reopenCount: 0,
    }));
  }

  function pushOf(queue: QueueName, attempt: Attempt, rest: Partial<Push> = {}): Push {
    return {
      queue,
      attempt,
      priority: 0,
      visibleAt: 0,
      limits: undefined,
      givenBackAtPoll: 0,
      ...rest,
    };
  }

  function limited(defName: string, rest: Partial<AttemptLimits>): AttemptLimits {
    return {
      defName,
      concurrentExecLimit: 0,
      rateLimitPerFrequency: 0,
      rateLimitFrequencyInSeconds: 1,
      ...rest,
    };
  }

  async function popAll(queue: QueueName, count = 100): Promise<string[]> {
    const result = await store.pop(queue, count, provisionalMs);
    return result.popped.map(({ attempt }) => attempt.taskId);
  }

  async function storeNow(): Promise<number> {
    return await test.redis.now();
  }

  const ids = (of: readonly Attempt[]): string[] => of.map(({ taskId }) => taskId);

  describe('the order of a queue', () => {
    it('is by priority, 0 last, and first in, first out within one', async () => {
      const queue = freshQueue();
      const [a, b, c, d, e] = attempts(5) as [Attempt, Attempt, Attempt, Attempt, Attempt];
      const priorities: [Attempt, number][] = [
        [a, 0],
        [b, 99],
        [c, 1],
        [d, 0],
        [e, 1],
      ];
      for (const [attempt, priority] of priorities) {
        await store.push([pushOf(queue, attempt, { priority })]);
      }
      expect(await popAll(queue)).toEqual(ids([c, e, b, a, d]));
    });

    it('holds for hundreds pushed at once', async () => {
      const queue = freshQueue();
      const all = attempts(1200);
      await store.push(all.map((attempt) => pushOf(queue, attempt)));
      const first = await popAll(queue, 500);
      const rest = [...(await popAll(queue, 500)), ...(await popAll(queue, 500))];
      expect([...first, ...rest]).toEqual(ids(all));
    });

    it('is kept by a member that comes back', async () => {
      const queue = freshQueue();
      const all = attempts(3);
      await store.push(all.map((attempt) => pushOf(queue, attempt)));
      const { popped } = await store.pop(queue, 2, provisionalMs);
      await store.giveBack(queue, popped);
      expect(await popAll(queue)).toEqual(ids(all));
    });
  });

  describe('the age of a queue', () => {
    it('is that of the attempt that is ready for longest, whatever its priority', async () => {
      const [mixed, plain, empty] = [freshQueue(), freshQueue('eu'), freshQueue()];
      const [a, b, c, d, e] = attempts(5) as [Attempt, Attempt, Attempt, Attempt, Attempt];
      const begin = await storeNow();
      await store.push([pushOf(mixed, a, { priority: 7 })]);
      const firstUntil = await storeNow();
      offsetMs += 60_000;
      await store.push([pushOf(mixed, b, { priority: 3 }), pushOf(mixed, c)]);
      await store.push([pushOf(plain, d)]);
      await store.push([pushOf(empty, e, { visibleAt: begin + 3_600_000 })]);
      const [first = 0, second = 0, none] = await store.oldestReady([mixed, plain, empty]);
      expect(first).toBeGreaterThanOrEqual(begin);
      expect(first).toBeLessThanOrEqual(firstUntil);
      expect(second).toBeGreaterThanOrEqual(begin + 60_000);
      expect(second).toBeLessThanOrEqual(await storeNow());
      expect(none).toBeUndefined();
      await store.finish(mixed, [a]);
      const [next = 0] = await store.oldestReady([mixed]);
      expect(next).toBeGreaterThanOrEqual(begin + 60_000);
    });

    it('is kept by an attempt that comes back', async () => {
      const queue = freshQueue();
      await store.push(attempts(2).map((attempt) => pushOf(queue, attempt)));
      const before = await store.oldestReady([queue]);
      offsetMs += 5_000;
      const { popped } = await store.pop(queue, 1, provisionalMs);
      await store.giveBack(queue, popped);
      expect(await store.oldestReady([queue])).toEqual(before);
    });
  });

  describe('a push', () => {
    it('adds an attempt once, wherever it is', async () => {
      const queue = freshQueue();
      const [attempt] = attempts(1) as [Attempt];
      await store.push([pushOf(queue, attempt), pushOf(queue, attempt)]);
      expect(await popAll(queue)).toEqual([attempt.taskId]);
      await store.push([pushOf(queue, attempt)]);
      expect(await popAll(queue)).toEqual([]);
      expect(await store.sizes([queue])).toEqual([{ waiting: 0, leased: 1 }]);
    });

    it('takes attempts of one task with different revivals for different ones', async () => {
      const queue = freshQueue();
      const [attempt] = attempts(1) as [Attempt];
      await store.push([pushOf(queue, attempt), pushOf(queue, { ...attempt, reopenCount: 1 })]);
      expect(await store.size(queue)).toBe(2);
    });

    it('moves a member that its worker gave back', async () => {
      const queue = freshQueue();
      const [attempt] = attempts(1) as [Attempt];
      await store.push([pushOf(queue, attempt)]);
      await popAll(queue);
      await store.push([pushOf(queue, attempt, { givenBackAtPoll: 1 })]);
      expect(await store.leases(queue, [attempt])).toEqual([undefined]);
      expect(await popAll(queue)).toEqual([attempt.taskId]);
    });

    it('leaves a lease alone that counts more polls than the report that gives the member back', async () => {
      const queue = freshQueue();
      const [attempt] = attempts(1) as [Attempt];
      await store.push([pushOf(queue, attempt)]);
      const { popped } = await store.pop(queue, 1, provisionalMs);
      const lease = { workerId: 'w', startAt: 1, pollCount: 2, endAt: 0 };
      await store.confirm(
        queue,
        popped.map((one) => ({ ...one, ...lease })),
      );
      await store.push([pushOf(queue, attempt, { givenBackAtPoll: 1 })]);
      expect(await store.sizes([queue])).toEqual([{ waiting: 0, leased: 1 }]);
      await store.push([pushOf(queue, attempt, { givenBackAtPoll: 2 })]);
      expect(await store.sizes([queue])).toEqual([{ waiting: 1, leased: 0 }]);
    });

    it('hides a member until its moment, which a later push may change', async () => {
      const queue = freshQueue();
      const [a, b] = attempts(2) as [Attempt, Attempt];
      const now = await storeNow();
      await store.push([
        pushOf(queue, a, { visibleAt: now + 60_000, priority: 5 }),
        pushOf(queue, b, { visibleAt: now + 120_000 }),
      ]);
      const first = await store.pop(queue, 10, provisionalMs);
      expect(first).toMatchObject({ popped: [], moreReady: false, nextVisibleAt: now + 60_000 });
      expect(await store.contains(queue, [a, { ...a, reopenCount: 9 }])).toEqual([true, false]);
      await store.push([pushOf(queue, b)]);
      expect(await popAll(queue)).toEqual([b.taskId]);
      offsetMs += 60_000;
      expect(await popAll(queue)).toEqual([a.taskId]);
    });
  });

  describe('a lease', () => {
    it('goes back to ready when it is provisional and has ended', async () => {
      const queue = freshQueue();
      const all = attempts(2);
      await store.push(all.map((attempt) => pushOf(queue, attempt)));
      const { popped } = await store.pop(queue, 2, provisionalMs);
      const before = await store.endedLeases(queue, 10);
      expect(before.ended).toEqual([]);
      expect(before.nextEndAt).toBeGreaterThan((await storeNow()) + 4_000);
      offsetMs += provisionalMs + 1_000;
      expect(await store.endedLeases(queue, 10)).toEqual({ ended: [], nextEndAt: 0 });
      const again = await store.pop(queue, 2, provisionalMs);
      expect(again.popped.map(({ attempt }) => attempt)).toEqual(all);
      const numbers = [...popped, ...again.popped].map(({ leaseNumber }) => leaseNumber);
      expect(new Set(numbers).size).toBe(4);
    });

    it('remembers its holder once confirmed, and a late confirmation changes nothing', async () => {
      const queue = freshQueue();
      const [attempt] = attempts(1) as [Attempt];
      await store.push([pushOf(queue, attempt)]);
      const { popped } = await store.pop(queue, 1, provisionalMs);
      const leaseNumber = popped[0]?.leaseNumber as number;
      const endAt = (await storeNow()) + 60_000;
      const record = { attempt, leaseNumber, workerId: 'w1', startAt: 5, pollCount: 2, endAt };
      await store.confirm(queue, [record]);
      await store.confirm(queue, [{ ...record, leaseNumber: leaseNumber + 1, workerId: 'late' }]);
      expect(await store.leases(queue, [attempt])).toEqual([record]);
      await store.giveBack(queue, [{ attempt, leaseNumber: leaseNumber + 1 }]);
      expect(await store.leases(queue, [attempt])).toEqual([record]);
    });

    it('is returned at its end, again while nobody finishes it, and never goes back by itself', async () => {
      const queue = freshQueue();
      const [attempt] = attempts(1) as [Attempt];
      await store.push([pushOf(queue, attempt)]);
      const { popped } = await store.pop(queue, 1, provisionalMs);
      const endAt = (await storeNow()) + 60_000;
      const holder = { workerId: undefined, startAt: 5, pollCount: 1, endAt };
      await store.confirm(queue, [{ ...(popped[0] as never as object), ...holder } as never]);
      offsetMs += 61_000;
      expect((await store.endedLeases(queue, 10)).ended).toEqual([attempt]);
      expect((await store.endedLeases(queue, 10)).ended).toEqual([]);
      offsetMs += 10_000;
      expect((await store.endedLeases(queue, 10)).ended).toEqual([attempt]);
      expect(await popAll(queue)).toEqual([]);
      await store.finish(queue, [attempt]);
      offsetMs += 10_000;
      expect(await store.endedLeases(queue, 10)).toEqual({ ended: [], nextEndAt: 0 });
    });

    it('ends later when it is extended, never when its end is 0', async () => {
      const queue = freshQueue();
      const [attempt, other] = attempts(2) as [Attempt, Attempt];
      await store.push([pushOf(queue, attempt)]);
      await popAll(queue);
      expect(await store.extend(queue, attempt, 0)).toBe(true);
      offsetMs += 10 * 60_000;
      expect(await store.endedLeases(queue, 10)).toEqual({ ended: [], nextEndAt: 0 });
      expect(await store.extend(queue, other, 1)).toBe(false);
    });
  });

  describe('finishing', () => {
    it('removes attempts that are ready, hidden or leased', async () => {
      const queue = freshQueue('d');
      const [a, b, c] = attempts(3) as [Attempt, Attempt, Attempt];
      await store.push([pushOf(queue, a)]);
      await popAll(queue);
      const visibleAt = (await storeNow()) + 1_000;
      await store.push([pushOf(queue, b), pushOf(queue, c, { visibleAt })]);
      await store.finish(queue, [a, b, c]);
      expect(await store.sizes([queue])).toEqual([{ waiting: 0, leased: 0 }]);
      expect(await popAll(queue)).toEqual([]);
    });
  });

  describe('a concurrency limit', () => {
    const two = { limits: limited('def one', { concurrentExecLimit: 2 }) };

    it('counts leases that have not ended, over all domains, and opens with a finish', async () => {
      const queue = freshQueue();
      const sibling = { ...queue, domain: 'd' };
      const all = attempts(4);
      await store.push(all.slice(0, 3).map((attempt) => pushOf(queue, attempt, two)));
      await store.push([pushOf(sibling, all[3] as Attempt, two)]);
      const first = await store.pop(queue, 10, provisionalMs);
      expect(ids(first.popped.map(({ attempt }) => attempt))).toEqual(ids(all.slice(0, 2)));
      expect(first).toMatchObject({ moreReady: true, blockedBy: 'concurrency' });
      expect(await popAll(sibling)).toEqual([]);
      await store.finish(queue, [all[1] as Attempt]);
      expect(await popAll(sibling)).toEqual([all[3]?.taskId]);
      expect(await popAll(queue)).toEqual([]);
      await store.giveBack(queue, first.popped.slice(0, 1));
      expect(await popAll(queue)).toEqual([all[0]?.taskId]);
    });

    it('frees the slot of a lease that has ended', async () => {
      const queue = freshQueue();
      const all = attempts(3);
      await store.push(all.map((attempt) => pushOf(queue, attempt, two)));
      await popAll(queue);
      offsetMs += provisionalMs + 1;
      expect(await popAll(queue)).toEqual([all[2]?.taskId]);
    });

    it('says when the next lease that holds a slot ends, whoever has it', async () => {
      const queue = freshQueue();
      const all = attempts(4);
      await store.push(all.map((attempt) => pushOf(queue, attempt, two)));
      const { popped } = await store.pop(queue, 2, provisionalMs);
      const at = (await storeNow()) + 20_000;
      const lengths = [
        [at, popped[0]],
        [0, popped[1]],
      ] as const;
      await store.confirm(
        queue,
        lengths.flatMap(([endAt, lease]) =>
          lease === undefined ? [] : { ...lease, workerId: 'w', startAt: 1, pollCount: 1, endAt },
        ),
      );
      const blocked = await store.pop(queue, 1, provisionalMs);
      expect(blocked).toMatchObject({ popped: [], blockedBy: 'concurrency', nextVisibleAt: at });
    });

    it('holds the slot for the full length of a confirmed lease', async () => {
      const queue = freshQueue();
      const all = attempts(3);
      await store.push(all.map((attempt) => pushOf(queue, attempt, two)));
      const { popped } = await store.pop(queue, 10, provisionalMs);
      await store.confirm(
        queue,
        popped.map((lease) => ({ ...lease, workerId: 'w', startAt: 1, pollCount: 1, endAt: 0 })),
      );
      offsetMs += 3_600_000;
      expect(await popAll(queue)).toEqual([]);
    });

    it('is known to a process that has never pushed', async () => {
      const queue = freshQueue();
      const all = attempts(3);
      await store.push(all.map((attempt) => pushOf(queue, attempt, two)));
      const other = new RedisQueueStore(test.redis);
      const { popped } = await other.pop(queue, 10, provisionalMs);
      expect(popped.length).toBe(2);
      const third = new RedisQueueStore(test.redis);
      await third.finish(queue, [popped[0]?.attempt as Attempt]);
      expect(await popAll(queue)).toEqual([all[2]?.taskId]);
      const fourth = new RedisQueueStore(test.redis);
      await fourth.push([pushOf(queue, all[2] as Attempt, { ...two, givenBackAtPoll: 1 })]);
      expect(await popAll(queue)).toEqual([all[2]?.taskId]);
    });

    it('does not hide members without a limit behind it', async () => {
      const queue = freshQueue();
      const all = attempts(60);
      await store.push(all.slice(0, 50).map((attempt) => pushOf(queue, attempt, two)));
      await store.push(all.slice(50).map((attempt) => pushOf(queue, attempt)));
      expect(await popAll(queue, 5)).toEqual(ids([...all.slice(0, 2), ...all.slice(50, 53)]));
    });
  });

  describe('a rate limit', () => {
    it('gives at most so many in any window and says when it opens', async () => {
      const queue = freshQueue();
      const limits = limited('r', { rateLimitPerFrequency: 2, rateLimitFrequencyInSeconds: 10 });
      const all = attempts(4);
      await store.push(all.map((attempt) => pushOf(queue, attempt, { limits })));
      const first = await store.pop(queue, 10, provisionalMs);
      expect(ids(first.popped.map(({ attempt }) => attempt))).toEqual(ids(all.slice(0, 2)));
      expect(first.blockedBy).toBe('rate');
      const opensIn = first.nextVisibleAt - (await storeNow());
      expect(opensIn).toBeGreaterThan(9_000);
      expect(opensIn).toBeLessThanOrEqual(10_001);
      await store.finish(queue, all.slice(0, 2));
      expect(await popAll(queue)).toEqual([]);
      offsetMs += 10_001;
      expect(await popAll(queue)).toEqual(ids(all.slice(2)));
    });
  });

  describe('the list of queues', () => {
    it('has every queue that ever had a member', async () => {
      const queue = freshQueue('a,b');
      await store.push([pushOf(queue, attempts(1)[0] as Attempt)]);
      expect(await new RedisQueueStore(test.redis).queues()).toContainEqual(queue);
    });

    it('has one again that a failover took off it, once somebody reads it', async () => {
      const queue = freshQueue();
      await store.push([pushOf(queue, attempts(1)[0] as Attempt)]);
      await test.redis.queues.call('DEL', test.redis.keys.queues());
      expect(await store.queues()).toContainEqual(queue);
      const listed = await test.redis.reads.call('SMEMBERS', test.redis.keys.queues());
      expect(listed).toContain(queueText(queue));
    });
  });
});
