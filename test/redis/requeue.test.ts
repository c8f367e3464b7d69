import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requeue } from '../../src/operation/pending-tasks.js';
import { RedisQueueStore } from '../../src/redis/queue-store.js';
import { taskIdOf } from '../../src/std/ids.js';
import type { Push } from '../../src/store/queue-store.js';
import { sampleId, startStore, storeKinds, type TestStore } from './samples.js';

describe.each(storeKinds)('putting back what is missing from a queue, on %s', (kind) => {
  let test: TestStore;
  let store: RedisQueueStore;
  beforeAll(async () => {
    test = await startStore(kind);
    store = new RedisQueueStore(test.redis);
  });
  afterAll(() => test.stop());

  const pushOf = (number: number): Push => ({
    queue: { taskType: 'charge' },
    attempt: { taskId: taskIdOf(sampleId(3), number), reopenCount: 0 },
    priority: 0,
    visibleAt: 0,
    limits: undefined,
    givenBackAtPoll: 0,
  });

  it('does not count a push that is under way', async () => {
    const [underWay, missing] = [pushOf(1), pushOf(2)];
    const counted = requeue({ queueStore: store }, [underWay, missing]);
    await store.push([underWay]);
    expect(await counted).toBe(1);
    const attempts = [underWay.attempt, missing.attempt];
    expect(await store.contains(missing.queue, attempts)).toEqual([true, true]);
  });
});
