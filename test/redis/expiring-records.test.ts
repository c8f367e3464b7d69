// Records of what has happened outside of executions (runs of schedules, histories, deliveries,
// logs) are gone some time after the newest of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ScheduleRun } from '../../src/areas/schedules/schedule-run.js';
import { RedisDeadLetterStore } from '../../src/areas/events/store/redis-dead-letter-store.js';
import { RedisEventQueueStore } from '../../src/areas/events/store/redis-event-queue-store.js';
import { RedisEventRecordStore } from '../../src/areas/events/store/redis-event-record-store.js';
import { RedisOutgoingStore } from '../../src/areas/outgoing/redis-outgoing-store.js';
import { RedisScheduleRunStore } from '../../src/areas/schedules/redis-run-store.js';
import { RedisTaskLogStore } from '../../src/redis/task-log-store.js';
import { RedisWebhookEventStore } from '../../src/areas/webhooks/redis-event-store.js';
import { executionIdOf, taskIdOf } from '../../src/std/ids.js';
import { startStore, type TestStore } from '../../testkit/samples.js';

const lifeMs = 60_000;
let test: TestStore;
beforeAll(async () => void (test = await startStore()));
afterAll(async () => test.stop());

const letter = {
  ...{ id: 'm', handler: 'h', event: 'e', messageId: 'm', payload: '{}' },
  ...{ publishedAt: 1, failedAt: 1, reason: 'why' },
};
const record = {
  ...{ id: 'm_0', messageId: 'm', name: 'h', event: 'e', created: 1, output: {} },
  ...({ status: 'COMPLETED', action: 'complete_task' } as const),
};
const message = {
  ...({ id: 'm', eventTarget: 'e', eventType: 'MESSAGE', status: 'HANDLED' } as const),
  ...{ createdAt: 1, payload: '{}', eventExecutions: [] },
};
const call = { eventId: 'e', matched: false, workflowIds: [], payload: '{}', timeStamp: 1 };
const delivery = {
  ...{ id: 'd', webhookId: 'w', eventType: 'WORKFLOW_STARTED' as const, body: '{}' },
  ...{ createdAt: 1, attempts: 1, lastError: 'no' },
};
const attempt = {
  ...{ deliveryId: 'd', eventType: 'WORKFLOW_STARTED' as const, attempt: 1, time: 1 },
  ...{ durationMs: 1, status: 500, outcome: 'DEAD' as const, error: 'no' },
};

const writes: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'dead letters of event handlers',
    () => new RedisDeadLetterStore(test.redis, { recordsMax: 3, lifeMs }).add(letter),
  ],
  [
    'records of event handlers',
    async () => {
      const store = new RedisEventRecordStore(test.redis, { recordsMax: 3, lifeMs });
      await store.keep('h', [{ key: 'k', execution: record }]);
      await store.keepMessage('k', message);
    },
  ],
  [
    'messages that nobody wants',
    () =>
      new RedisEventQueueStore(test.redis, { messagesMax: 10, ageMsMax: lifeMs }).publish('q', {
        ...{ id: 'm', attemptKey: 'm', payload: '{}', publishedAt: Date.now() },
      }),
  ],
  [
    'the history of a webhook',
    () =>
      new RedisWebhookEventStore(test.redis, {
        ...{ historyMax: 2, historyLifeMs: lifeMs, claimMs: 100 },
      }).finish({ id: 'e', webhookId: 'w' }, call),
  ],
  [
    'deliveries and dead letters of outgoing webhooks',
    () =>
      new RedisOutgoingStore(test.redis, { attemptsKept: 2, deadLettersMax: 2, lifeMs }).finish(
        delivery,
        attempt,
        { ...delivery, diedAt: 1 },
      ),
  ],
  [
    'logs of tasks',
    () =>
      new RedisTaskLogStore(test.redis, 4, { linesMax: 10, lifeMs }).append(
        taskIdOf(executionIdOf(1, Buffer.alloc(10)), 1),
        [{ log: 'x', taskId: 't', createdTime: 1 }],
      ),
  ],
];

it.each(writes)('%s expire', async (_what, write) => {
  const before = new Set((await test.redis.reads.call('KEYS', '*')) as string[]);
  await write();
  const after = (await test.redis.reads.call('KEYS', '*')) as string[];
  // The list of queues that have got something; a queue leaves it when it is read.
  const written = after.filter((key) => !before.has(key) && !key.endsWith(':marked'));
  expect(written.length).toBeGreaterThan(0);
  for (const key of written) {
    const left = Number(await test.redis.reads.call('PTTL', key));
    expect({ key, expires: left > 0 && left <= lifeMs }).toEqual({ key, expires: true });
  }
});

it('runs of schedules expire, and leave the common list when the leader clears it', async () => {
  const store = new RedisScheduleRunStore(test.redis, { runsPerScheduleMax: 3, lifeMs });
  const fence = await store.takeFence();
  const runAt = (scheduledTime: number): ScheduleRun => ({
    ...{ executionId: `s-${scheduledTime}`, scheduleName: 's', scheduledTime, executionTime: 2 },
    ...{ workflowName: 'w', startWorkflowRequest: {}, state: 'EXECUTED', zoneId: 'UTC' },
  });
  const cursor = { activeFrom: 1, handledUntil: [1] };
  const before = new Set((await test.redis.reads.call('KEYS', '*')) as string[]);
  await store.advance(fence, [{ name: 's', cursor, runs: [runAt(1), runAt(50)] }]);
  const after = (await test.redis.reads.call('KEYS', '*')) as string[];
  const left = await Promise.all(
    after
      .filter((key) => !before.has(key))
      .map(async (key) => Number(await test.redis.reads.call('PTTL', key))),
  );
  expect(left.filter((ms) => ms > 0)).toHaveLength(1);
  await store.expire(10);
  const { runs } = await store.newest(0, 10);
  expect(runs.map(({ scheduledTime }) => scheduledTime)).toEqual([50]);
});

it('an advance removes runs of its schedule that are older than their life, or too many', async () => {
  const store = new RedisScheduleRunStore(test.redis, { runsPerScheduleMax: 120, lifeMs: 1000 });
  const fence = await store.takeFence();
  const runAt = (scheduledTime: number): ScheduleRun => ({
    ...{ executionId: `t-${scheduledTime}`, scheduleName: 't', scheduledTime, executionTime: 2 },
    ...{ workflowName: 'w', startWorkflowRequest: {}, state: 'EXECUTED', zoneId: 'UTC' },
  });
  const advance = async (until: number, times: readonly number[]): Promise<number[]> => {
    const cursor = { activeFrom: 1, handledUntil: [until] };
    await store.advance(fence, [{ name: 't', cursor, runs: times.map(runAt) }]);
    const filter = { scheduleNames: ['t'], executionIds: [] };
    return (await store.find(filter, 1000)).map(({ scheduledTime }) => scheduledTime);
  };
  expect(await advance(1, [5000, 5001, 5500])).toEqual([5500, 5001, 5000]);
  expect(await advance(2, [6001])).toEqual([6001, 5500, 5001]);
  const many = Array.from({ length: 300 }, (_, i) => 6100 + i);
  // What one advance may remove is bounded: the next one takes the rest.
  expect(await advance(3, many)).toHaveLength(120);
  expect((await advance(4, [6500]))[119]).toBe(6281);
});
