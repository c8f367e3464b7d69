// Collections that grow without a bound are read in slices: no command of Redis is proportional to
// one. Each case fills one, reads it as the server does, and looks at the most that a single
// command has answered with.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskId } from '../../src/std/ids.js';
import type { Argument } from '../../src/redis/encoded-call.js';
import { shortIdOf } from '../../src/redis/codec/short-id.js';
import { indexScore } from '../../src/redis/codec/scores.js';
import { RedisDefinitionStore } from '../../src/redis/definition-store.js';
import { RedisPollDataStore } from '../../src/redis/poll-data-store.js';
import { RedisRecordStore } from '../../src/redis/record-store.js';
import { RedisScheduleRunStore } from '../../src/areas/schedules/redis-run-store.js';
import { RedisSearchStore } from '../../src/redis/search-store.js';
import { RedisWebhookWaitStore } from '../../src/areas/webhooks/redis-wait-store.js';
import { writesMax } from '../../src/store/record-store.js';
import { sampleId, sampleTaskDef, startStore, type TestStore } from '../../testkit/samples.js';

/** Bulk replies of one command: a read of 1000 entries with their scores takes some 0.5 ms. */
const repliesMax = 4 * writesMax;
const many = 5000;

let test: TestStore;
/** Of the commands since the last case. */
let largest = 0;
beforeAll(async () => {
  test = await startStore();
  const { reads } = test.redis;
  const { callBuffer, call } = reads;
  const measured = (reply: unknown): unknown => {
    largest = Math.max(largest, bulksOf(reply));
    return reply;
  };
  reads.callBuffer = async (...args) => measured(await callBuffer.apply(reads, args));
  reads.call = async (...args) => measured(await call.apply(reads, args));
});
afterAll(async () => test.stop());

function bulksOf(reply: unknown): number {
  return Array.isArray(reply) ? reply.reduce((sum: number, each) => sum + bulksOf(each), 0) : 1;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

async function fill(command: string, key: string, members: readonly Argument[][]): Promise<void> {
  for (let first = 0; first < members.length; first += 1000) {
    const some = members.slice(first, first + 1000).flat();
    await test.redis.commits.call(command, key, ...some);
  }
}

function expectSmallReplies(): void {
  expect(largest).toBeLessThanOrEqual(repliesMax);
  largest = 0;
}

describe('no command reads a whole', () => {
  it('index of executions', async () => {
    const search = new RedisSearchStore(test.redis, 1, undefined as never);
    const { keys } = test.redis;
    const at = (n: number): number => 1_700_000_000_000 + Math.floor(n / 7);
    const entries = numbers(many).map((n) => ({ id: sampleId(0), startedAt: at(n) }));
    const scored = entries.map(({ id, startedAt }) => [
      indexScore('COMPLETED', startedAt),
      shortIdOf(id),
    ]);
    await fill('ZADD', keys.all(0), scored);
    // Another status beside it.
    await fill('ZADD', keys.all(0), [[indexScore('FAILED', at(0)), shortIdOf(sampleId(0))]]);
    entries.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
    const range = { names: undefined, statuses: ['COMPLETED'], fromAt: undefined } as const;
    const all = { ...range, untilAt: undefined };
    expect(await search.list(all)).toEqual(entries);
    const newest = await search.page(all, { newestFirst: true, start: 0, size: 3000 });
    expect(newest.entries).toEqual([...entries].reverse().slice(0, 3000));
    expect(newest.total).toBe(many);
    const ids: string[] = [];
    for await (const some of search.scan()) ids.push(...some);
    expect(new Set(ids).size).toBe(many + 1);
    expectSmallReplies();
  });

  it('kind of records, nor its changes', async () => {
    const records = new RedisRecordStore(test.redis);
    const writes = numbers(many).map(
      (n) => ({ kind: 'schedule', id: `s${n}`, text: '{}' }) as const,
    );
    for (let first = 0; first < many; first += writesMax) {
      await records.write(writes.slice(first, first + writesMax));
    }
    const loaded = await records.load('schedule');
    expect(new Set(loaded.records.map(({ id }) => id)).size).toBe(many);
    expect((await records.revisions()).get('schedule')).toBe(loaded.revision);
    const { revision } = loaded.records[writesMax - 1] as { revision: number };
    const later = await records.changes('schedule', revision);
    expect(later.records.map(({ id }) => id)).not.toContain('s0');
    expect(later.records.length).toBe(many - writesMax);
    expectSmallReplies();
  });

  it('registry of definitions', async () => {
    const definitions = new RedisDefinitionStore(test.redis);
    await definitions.putTasks(numbers(many).map((n) => sampleTaskDef(`task ${n}`)));
    const { tasks } = await definitions.loadAll();
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(many);
    expectSmallReplies();
  });

  it('set of tasks that wait for the same webhook', async () => {
    const waits = new RedisWebhookWaitStore(test.redis, { shapesMax: 10, lifeMs: 60_000 });
    const shape = { ref: 'w', paths: ['id'], isFixed: [false] };
    const target = { workflowName: 'wf', workflowVersion: 1, shape, values: ['a'] };
    const ids = numbers(many).map((n) => `task-${n}` as TaskId);
    for (const id of ids) await waits.register(target, id);
    const [found = []] = await waits.waiting([target]);
    expect([...found].sort()).toEqual([...ids].sort());
    await waits.remove(target, found);
    expect(await waits.waiting([target])).toEqual([[]]);
    expectSmallReplies();
  });

  it('table of polls or of cursors', async () => {
    const polls = new RedisPollDataStore(test.redis);
    await polls.save(numbers(many).map((n) => ({ queueName: `q${n}`, lastPollTime: n })));
    expect((await polls.list(undefined)).length).toBe(many);
    const runs = new RedisScheduleRunStore(test.redis, { runsPerScheduleMax: 1, lifeMs: 60_000 });
    const fence = await runs.takeFence();
    const cursor = { checkedAt: 1 } as never;
    for (let first = 0; first < many; first += 500) {
      const advances = numbers(500).map((n) => ({ name: `s${first + n}`, cursor, runs: [] }));
      expect(await runs.advance(fence, advances)).toBe('stored');
    }
    expect((await runs.cursors()).size).toBe(many);
    expectSmallReplies();
  });
});
