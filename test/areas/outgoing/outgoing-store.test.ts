// What the store of outgoing webhooks promises about its deliveries.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutgoingKeys } from '../../../src/areas/outgoing/keys.js';
import type { Delivery, DeliveryAttempt } from '../../../src/areas/outgoing/outgoing-webhook.js';
import { RedisOutgoingStore } from '../../../src/areas/outgoing/redis-outgoing-store.js';
import { startStore, storeKinds, type TestStore } from '../../../testkit/samples.js';

const delivery = (webhookId: string, id: string): Delivery => ({
  ...{ id, webhookId, eventType: 'WORKFLOW_STARTED', body: '{}' },
  ...{ createdAt: 1, attempts: 0, lastError: '' },
});

const attempt = (deliveryId: string, time: number): DeliveryAttempt => ({
  ...{ deliveryId, eventType: 'WORKFLOW_STARTED', attempt: 1, time, durationMs: 1 },
  ...{ status: 500, outcome: 'RETRY', error: 'no' },
});

describe.each(storeKinds)('deliveries on %s', (kind) => {
  let test: TestStore;
  let store: RedisOutgoingStore;
  beforeAll(async () => {
    test = await startStore(kind);
    const limits = { attemptsKept: 2, deadLettersMax: 2, lifeMs: 60_000 };
    store = new RedisOutgoingStore(test.redis, limits);
  });
  afterAll(async () => test.stop());

  const claim = async (webhookId: string, now: number, limit = 10): Promise<string[]> => {
    const taken = await store.claim({ webhookId, now, until: now + 100, limit });
    return taken.map(({ id }) => id);
  };

  it('are taken once, the oldest first, and again when who took them does not finish', async () => {
    expect(await store.add(delivery('a', '1'), 10)).toBe(1);
    expect(await store.add(delivery('a', '2'), 5)).toBe(2);
    expect(await store.add(delivery('a', '2'), 5)).toBe(2);
    expect(await store.dueWebhooks(4, 10)).toEqual([]);
    expect(await store.dueWebhooks(5, 10)).toEqual(['a']);
    expect(await claim('a', 10, 1)).toEqual(['2']);
    expect(await store.dueWebhooks(10, 10)).toEqual(['a']);
    expect(await claim('a', 10)).toEqual(['1']);
    expect(await claim('a', 10)).toEqual([]);
    expect(await store.dueWebhooks(109, 10)).toEqual([]);
    expect(await claim('a', 110)).toEqual(['1', '2']);
  });

  it('wait for the moment of their next attempt, and are gone when finished', async () => {
    const one = delivery('b', '1');
    await store.add(one, 0);
    await claim('b', 1);
    await store.postpone({ ...one, attempts: 1, lastError: 'no' }, 50, attempt('1', 1));
    expect(await claim('b', 49)).toEqual([]);
    const [again] = await store.claim({ webhookId: 'b', now: 50, until: 99, limit: 1 });
    expect(again).toMatchObject({ attempts: 1, lastError: 'no' });
    await store.finish(one, { ...attempt('1', 2), outcome: 'DELIVERED' }, undefined);
    expect(await store.waiting('b')).toBe(0);
    expect(await claim('b', 1000)).toEqual([]);
    const log = await store.attempts('b');
    expect(log.map(({ outcome, time }) => [outcome, time])).toEqual([
      ['DELIVERED', 2],
      ['RETRY', 1],
    ]);
  });

  it('that were given up are kept, bounded, until they are removed', async () => {
    for (const [i, id] of ['1', '2', '3'].entries()) {
      const one = delivery('c', id);
      await store.add(one, 0);
      await store.finish(one, attempt(id, i), { ...one, diedAt: i });
    }
    expect((await store.deadLetters('c')).map(({ id }) => id)).toEqual(['2', '3']);
    expect(await store.attempts('c')).toHaveLength(2);
    await store.removeDeadLetters('c', ['2']);
    expect((await store.deadLetters('c')).map(({ id }) => id)).toEqual(['3']);
    const { keys, reads } = test.redis;
    for (const key of [
      new OutgoingKeys(keys.prefix).log('c'),
      new OutgoingKeys(keys.prefix).dead('c'),
      new OutgoingKeys(keys.prefix).deadOrder('c'),
    ]) {
      expect(Number(await reads.call('PTTL', key)), key).toBeGreaterThan(0);
    }
  });

  it('of a webhook that is gone are removed', async () => {
    const one = delivery('d', '1');
    await store.add(one, 0);
    await store.postpone(one, 0, attempt('1', 1));
    await store.forget('d');
    expect(await store.waiting('d')).toBe(0);
    expect(await store.attempts('d')).toEqual([]);
    expect(await store.dueWebhooks(1000, 10)).not.toContain('d');
    expect(await claim('d', 1000)).toEqual([]);
  });
});
