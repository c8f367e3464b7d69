import { EventKeys } from '../../src/areas/events/keys.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeadLetter, EventSourceState } from '../../src/areas/events/dead-letter.js';
import { RedisClient } from '../../src/redis/client.js';
import { RedisDeadLetterStore } from '../../src/areas/events/store/redis-dead-letter-store.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';

let redis: RunningRedis;
let client: RedisClient;
let store: RedisDeadLetterStore;

beforeAll(async () => {
  redis = await startRedis();
  client = new RedisClient({ url: redis.url.replace('unix://', 'unix:'), prefix: 'dl' });
  await client.connect();
  store = new RedisDeadLetterStore(client, { recordsMax: 3, lifeMs: 60_000 });
});
afterAll(async () => {
  client.disconnect();
  await redis.stop();
});

const letter = (handler: string, n: number): DeadLetter => ({
  ...{ id: `m${n}`, handler, event: 'kafka:prod:orders', messageId: `m${n}`, payload: '{}' },
  ...{ publishedAt: n, failedAt: 100 + n, reason: 'why' },
});
const idsOf = (letters: readonly DeadLetter[]): string[] => letters.map(({ id }) => id);

it('keeps the newest dead letters of each handler, newest first', async () => {
  for (const n of [1, 2, 3, 4]) await store.add(letter('one', n));
  await store.add(letter('two', 9));
  expect(idsOf(await store.list('one', 10))).toEqual(['m4', 'm3', 'm2']);
  expect(idsOf(await store.list('one', 1))).toEqual(['m4']);
  expect(await store.find('two', ['m9', 'm1'])).toEqual([letter('two', 9)]);
});

it('replaces a letter that fails again, and removes what is done', async () => {
  await store.add(letter('again', 1));
  const newer = { ...letter('again', 1), failedAt: 500, reason: 'still' };
  await store.add(newer);
  expect(await store.list('again', 10)).toEqual([newer]);
  await store.remove('again', ['m1', 'unknown']);
  await store.remove('again', []);
  expect(await store.list('again', 10)).toEqual([]);
});

it('forgets a handler', async () => {
  await store.add(letter('gone', 1));
  await store.forget('gone');
  expect(await store.list('gone', 10)).toEqual([]);
  const { hash, order } = new EventKeys(client.keys.prefix).deadLetters('gone');
  expect(await client.reads.call('EXISTS', hash, order)).toBe(0);
});

it('tells the states of connections until they are dropped', async () => {
  const state = (id: string): EventSourceState => ({
    ...{ id, event: 'kafka:prod:orders', handlers: ['h'], node: 'n' },
    ...{ status: 'UNREACHABLE', since: 5, reason: 'nobody there' },
  });
  for (const id of ['handler:a', 'handler:b']) await store.keepState(state(id));
  await store.keepState({ ...state('handler:a'), status: 'CONNECTED' });
  await store.dropState('handler:b');
  expect(await store.states()).toEqual([{ ...state('handler:a'), status: 'CONNECTED' }]);
  await store.clearStates();
  expect(await store.states()).toEqual([]);
});
