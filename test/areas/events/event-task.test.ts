import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventPublisher } from '../../../src/operation/publish-event.js';
import { RedisClient } from '../../../src/redis/client.js';
import { RedisEventQueueStore } from '../../../src/areas/events/store/redis-event-queue-store.js';
import { AppError } from '../../../src/model/errors.js';
import type { RequirePublishRight } from '../../../src/broker/publishing.js';
import type { EventPublisher } from '../../../src/shard/executions.js';
import type { BrokerSinks } from '../../../src/areas/events/brokers/broker-sinks.js';
import { createEventTask } from '../../../src/areas/events/event-task.js';
import { startRedis, type RunningRedis } from '../../../testkit/redis.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { sinksWithoutBrokers } from '../../support/broker-sinks.js';
import { taskRun } from '../../system-task/task-run.js';

let redis: RunningRedis;
let client: RedisClient;
let store: RedisEventQueueStore;
let eventSink: BrokerSinks;
const clock = new VirtualClock(Date.now());

beforeAll(async () => {
  redis = await startRedis();
  client = new RedisClient({ url: redis.url.replace('unix://', 'unix:'), prefix: 'ev' });
  await client.connect();
  store = new RedisEventQueueStore(client, { messagesMax: 3, ageMsMax: 60_000 });
  eventSink = sinksWithoutBrokers(store, clock);
});

afterAll(async () => {
  client.disconnect();
  await redis.stop();
});

/** As where authentication is off. */
const requirePublishRight = (): void => undefined;

describe('an EVENT task', () => {
  it('publishes its output once per attempt and shows it', async () => {
    const task = createEventTask({ eventSink, requirePublishRight });
    const run = taskRun({ m: 1, sink: 'conductor:probe', asyncComplete: false });
    const outcome = await task.run(run);
    expect(outcome).toEqual({
      status: 'COMPLETED',
      output: {
        m: 1,
        sink: 'conductor:probe',
        asyncComplete: false,
        workflowInstanceId: run.workflowId,
        workflowType: 'orders',
        workflowVersion: 3,
        correlationId: null,
        taskToDomain: {},
        event_produced: 'conductor:orders:probe',
      },
    });
    await task.run(run);
    const messages = await store.read('conductor:orders:probe', 10);
    expect(messages).toEqual([
      {
        id: run.taskId,
        attemptKey: run.attemptKey,
        payload: JSON.stringify(outcome.output),
        publishedAt: clock.now(),
      },
    ]);
  });

  it('names its own queue for the sink conductor and stays open with asyncComplete', async () => {
    const task = createEventTask({ eventSink, requirePublishRight });
    const outcome = await task.run(taskRun({ sink: 'conductor' }, { asyncComplete: true }));
    expect(outcome.status).toBe('IN_PROGRESS');
    expect(outcome.output['event_produced']).toBe('conductor:orders:ref');
  });

  it('takes its message back when it is cancelled', async () => {
    const task = createEventTask({ eventSink, requirePublishRight });
    const run = taskRun({ sink: 'conductor:gone' }, { asyncComplete: true });
    const { output } = await task.run(run);
    expect(await store.size('conductor:orders:gone')).toBe(1);
    await task.cancelled?.(run.taskId, run.attemptKey, output);
    expect(await store.size('conductor:orders:gone')).toBe(0);
  });

  it.each([
    ['sqs:orders', 'sqs:orders has no queue configuration and names no integration'],
    ['kafka:prod:topic', 'No such integration provider: prod'],
    ['ibm_mq:prod:topic', 'provider ibm_mq is not available'],
    ['pigeon:prod:topic', 'provider pigeon is not available'],
    ['conductors', 'Invalid / Unsupported sink'],
    ['nothing', 'Invalid / Unsupported sink'],
    ['', 'No sink'],
  ])('fails for the sink %s', async (sink, reason) => {
    const outcome = await createEventTask({
      eventSink,
      requirePublishRight,
    }).run(taskRun({ sink }));
    expect(outcome.status).toBe('FAILED');
    expect(outcome.reason).toContain(reason);
  });
});

describe('an event queue', () => {
  const message = (n: number, publishedAt = clock.now() + n) => ({
    id: `t${n}`,
    attemptKey: `t${n}:0`,
    payload: `{"n":${n}}`,
    publishedAt,
  });

  it('gives messages oldest first until they are removed', async () => {
    for (const n of [2, 1, 3]) await store.publish('order', message(n));
    const read = await store.read('order', 2);
    expect(read.map(({ id }) => id)).toEqual(['t1', 't2']);
    await store.remove('order', read);
    expect((await store.read('order', 2)).map(({ id }) => id)).toEqual(['t3']);
  });

  it('is marked by each message until the mark is removed, and says so on its node', async () => {
    const published: string[] = [];
    store.onPublished((queue) => published.push(queue));
    await store.publish('seen', message(1));
    expect(await store.marked(['quiet', 'seen'])).toEqual(['seen']);
    await store.unmark('seen');
    expect(await store.marked(['quiet', 'seen'])).toEqual([]);
    await store.publish('seen', message(2));
    expect(await store.marked(['quiet', 'seen'])).toEqual(['seen']);
    expect(published).toEqual(['seen', 'seen']);
  });

  it('drops the oldest past its size and what is past its age', async () => {
    for (const n of [1, 2, 3, 4, 5]) await store.publish('full', message(n));
    expect((await store.read('full', 10)).map(({ id }) => id)).toEqual(['t3', 't4', 't5']);
    await store.publish('full', message(6, clock.now() + 60_004));
    expect((await store.read('full', 10)).map(({ id }) => id)).toEqual(['t5', 't6']);
  });
});

describe('an event of a state change', () => {
  const source = { workflowName: 'orders', ref: 'pay' };
  const publisherOf = (requireRight: RequirePublishRight): EventPublisher =>
    createEventPublisher({
      ...{ eventSink, requireRight, clock },
      serverSinks: ['conductor:chosen'],
      eventLifeMs: 60_000,
    });

  it('goes once to the queue that its type names', async () => {
    const publisher = publisherOf(requirePublishRight);
    for (const [sink, queue] of [
      ['paid', 'conductor:orders:paid'],
      ['conductor:shipped', 'conductor:orders:shipped'],
      ['conductor', 'conductor:orders:conductor'],
    ] as const) {
      const event = {
        sink,
        source,
        startedBy: 'u',
        taskId: 't',
        at: undefined,
        key: `k ${sink}`,
        payload: { n: 1 },
      };
      await publisher.publish(event);
      await publisher.publish(event);
      const [only, ...more] = await store.read(queue, 10);
      expect(more).toEqual([]);
      expect(only).toMatchObject({ id: 't', payload: '{"n":1}' });
    }
  });

  it.each(['', 'pigeon:topic'])('cannot go to "%s"', async (sink) => {
    const publisher = publisherOf(requirePublishRight);
    const event = { sink, source, startedBy: 'u', taskId: 't', at: 0, key: 'k', payload: {} };
    await expect(publisher.publish(event)).rejects.toMatchObject({ kind: 'bad-request' });
  });

  it('needs the right of who started the execution, but for the sinks of the settings', async () => {
    const asked: unknown[] = [];
    const publisher = publisherOf((startedBy, queue) => {
      asked.push([startedBy, queue]);
      throw new AppError('forbidden', 'no EXECUTE access');
    });
    const event = { source, startedBy: 'u', taskId: 't', at: 0, key: 'right', payload: {} };
    const refused = publisher.publish({ ...event, sink: 'conductor:own' });
    await expect(refused).rejects.toMatchObject({ kind: 'forbidden' });
    await publisher.publish({ ...event, sink: 'conductor:chosen' });
    expect(asked).toEqual([['u', 'conductor:orders:own']]);
    expect(await store.size('conductor:orders:chosen')).toBe(1);
  });
});
