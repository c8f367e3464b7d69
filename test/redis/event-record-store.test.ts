// Records of event handlers on a real Redis: found again by their keys, newest first, bounded.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventExecution } from '../../src/areas/events/event-record.js';
import { RedisClient } from '../../src/redis/client.js';
import { RedisEventRecordStore } from '../../src/areas/events/store/redis-event-record-store.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';

let redis: RunningRedis;
let client: RedisClient;
let store: RedisEventRecordStore;

beforeAll(async () => {
  redis = await startRedis();
  client = new RedisClient({ url: redis.url.replace('unix://', 'unix:'), prefix: 'er' });
  await client.connect();
  store = new RedisEventRecordStore(client, { recordsMax: 3, lifeMs: 60_000 });
});
afterAll(async () => {
  client.disconnect();
  await redis.stop();
});

const execution = (n: number, over: Partial<EventExecution> = {}): EventExecution => ({
  ...{ id: `m${n}_0`, messageId: `m${n}`, name: 'h', event: 'e', created: 1000 + n },
  ...{ status: 'IN_PROGRESS', action: 'complete_task', output: {} },
  ...over,
});
const kept = (n: number, over?: Partial<EventExecution>) => ({
  key: `k${n}`,
  execution: execution(n, over),
});
const message = (n: number) => ({
  ...({ id: `m${n}`, eventTarget: 'e', eventType: 'MESSAGE', status: 'HANDLED' } as const),
  ...{ createdAt: 1000 + n, payload: `{"n":${n}}`, eventExecutions: [] },
});

describe('records of a handler', () => {
  it('are replaced under their key and bounded by number', async () => {
    await store.keep('h', [kept(1), kept(2)]);
    await store.keep('h', [kept(1, { status: 'COMPLETED', output: { a: 1 } })]);
    const [one, none, two] = await store.find('h', ['k1', 'k9', 'k2']);
    expect([one?.status, one?.output, none, two?.status]).toEqual([
      'COMPLETED',
      { a: 1 },
      undefined,
      'IN_PROGRESS',
    ]);
    await store.keep('h', [kept(3), kept(4), kept(5)]);
    const newest = await store.executions('h', 0);
    expect(newest.map(({ messageId }) => messageId)).toEqual(['m5', 'm4', 'm3']);
    expect(await store.find('h', ['k1'])).toEqual([undefined]);
    expect(await store.executions('h', 1005)).toHaveLength(1);
    await store.forget('h');
    expect(await store.executions('h', 0)).toEqual([]);
  });

  it('of messages stay as they were first, and are counted', async () => {
    await store.keepMessage('k1', message(1));
    await store.keepMessage('k1', { ...message(1), payload: 'other' });
    for (const n of [2, 3, 4]) await store.keepMessage(`k${n}`, message(n));
    const messages = await store.messages('e', 0);
    expect(messages.map(({ payload }) => payload)).toEqual(['{"n":4}', '{"n":3}', '{"n":2}']);
    expect(await store.messageCounts(['e', 'other'], 0)).toEqual([3, 0]);
    expect(await store.messageCounts(['e'], 1004)).toEqual([1]);
  });
});
