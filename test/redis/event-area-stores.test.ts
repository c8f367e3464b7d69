// What the stores of schedules, webhooks and human tasks promise.
import { ScheduleKeys } from '../../src/areas/schedules/keys.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HumanTaskEntry } from '../../src/model/human/human-entry.js';
import type { ScheduleRun } from '../../src/areas/schedules/schedule-run.js';
import { RedisHumanTaskStore } from '../../src/redis/human-task-store.js';
import { RedisScheduleRunStore } from '../../src/areas/schedules/redis-run-store.js';
import { RedisWebhookEventStore } from '../../src/areas/webhooks/redis-event-store.js';
import { RedisWebhookWaitStore } from '../../src/areas/webhooks/redis-wait-store.js';
import type { TaskId } from '../../src/std/ids.js';
import { startStore, storeKinds, type TestStore } from '../../testkit/samples.js';

const run = (scheduleName: string, scheduledTime: number): ScheduleRun => ({
  executionId: `${scheduleName}-${scheduledTime}`,
  scheduleName,
  scheduledTime,
  executionTime: scheduledTime + 3,
  workflowName: 'w',
  startWorkflowRequest: {},
  state: 'EXECUTED',
  zoneId: 'UTC',
});

const user = (name: string): { userType: 'EXTERNAL_USER'; user: string } => ({
  userType: 'EXTERNAL_USER',
  user: name,
});

const entry = (
  taskId: string,
  updatedOn: number,
  over: Partial<HumanTaskEntry> = {},
): HumanTaskEntry => ({
  taskId,
  state: 'ASSIGNED',
  displayName: 'd',
  definitionName: 'def',
  workflowId: 'w',
  workflowName: 'w',
  taskRefName: 'r',
  humanTaskDef: {
    displayName: '',
    assignments: [],
    assignmentCompletionStrategy: 'LEAVE_OPEN',
    taskTriggers: [],
  },
  input: {},
  output: {},
  createdBy: '',
  updatedBy: '',
  createdOn: 1,
  updatedOn,
  ...over,
});

describe.each(storeKinds)('stores on %s', (kind) => {
  let test: TestStore;
  beforeAll(async () => void (test = await startStore(kind)));
  afterAll(async () => test.stop());

  it('of schedules take nothing from a former leader', async () => {
    const store = new RedisScheduleRunStore(test.redis, { runsPerScheduleMax: 3, lifeMs: 60_000 });
    const old = await store.takeFence();
    const advance = (
      at: number,
    ): {
      name: string;
      cursor: { activeFrom: number; handledUntil: number[] };
      runs: ScheduleRun[];
    } => ({
      name: 's',
      cursor: { activeFrom: 1, handledUntil: [at] },
      runs: [run('s', at)],
    });
    expect(await store.advance(old, [advance(1)])).toBe('stored');
    const fence = await store.takeFence();
    expect(await store.advance(old, [advance(2)])).toBe('stale-fence');
    expect((await store.cursors()).get('s')).toEqual({ activeFrom: 1, handledUntil: [1] });
    for (const at of [2, 3, 4, 5]) await store.advance(fence, [advance(at)]);
    // A call of a broken connection that arrives late.
    expect(await store.advance(fence, [advance(2)])).toBe('stored');
    expect((await store.cursors()).get('s')).toEqual({ activeFrom: 1, handledUntil: [5] });
    const times = (runs: ScheduleRun[]): number[] => runs.map(({ scheduledTime }) => scheduledTime);
    const { runs, total } = await store.newest(0, 10);
    expect([times(runs), total]).toEqual([[5, 4, 3], 3]);
    const filter = {
      scheduleNames: ['s'],
      executionIds: [],
      scheduledAfter: 3,
      scheduledBefore: 5,
    };
    expect(times(await store.find(filter, 10))).toEqual([4]);
    expect(await store.expire(5)).toBe(false);
    expect(times((await store.newest(0, 10)).runs)).toEqual([5]);
    await store.forget(['s']);
    expect((await store.cursors()).size).toBe(0);
  });

  it('of schedules take nothing from a leader whose fence a failover has undone', async () => {
    const store = new RedisScheduleRunStore(test.redis, { runsPerScheduleMax: 3, lifeMs: 60_000 });
    const key = new ScheduleKeys(test.redis.keys.prefix).fence();
    await store.takeFence();
    const kept = (await test.redis.reads.call('GET', key)) as string;
    const undone = await store.takeFence();
    await test.redis.commits.call('SET', key, kept);
    expect(await store.advance(undone, [])).toBe('stale-fence');
    const fence = await store.takeFence();
    expect(await store.advance(undone, [])).toBe('stale-fence');
    expect(await store.advance(fence, [])).toBe('stored');
  });

  it('of webhook events keep an event until it is dealt with, and refuse a used signature', async () => {
    const store = new RedisWebhookEventStore(test.redis, {
      ...{ historyMax: 2, historyLifeMs: 60_000, claimMs: 100 },
    });
    const event = (id: string): Parameters<typeof store.add>[0] => ({
      id,
      webhookId: 'h',
      receivedAt: 1000,
      headers: {},
      requestParams: {},
      body: '{}',
      contentType: '',
    });
    const once = { signature: 'sig', lifeMs: 60_000 };
    expect(await store.add(event('e1'), once)).toBe('stored');
    expect(await store.add(event('e2'), once)).toBe('repeated');
    // A call of the script that is carried out twice.
    expect(await store.add(event('e1'), once)).toBe('stored');
    expect(await store.due(1099, 10)).toEqual([]);
    expect((await store.due(1100, 10)).map(({ id }) => id)).toEqual(['e1']);
    await store.postpone('e1', 5000);
    expect(await store.due(4999, 10)).toEqual([]);
    const done = (eventId: string): Parameters<typeof store.finish>[1] => ({
      eventId,
      matched: false,
      workflowIds: [],
      payload: '{}',
      timeStamp: 1,
    });
    for (const id of ['e1', 'x', 'y']) await store.finish({ id, webhookId: 'h' }, done(id));
    expect(await store.due(9999, 10)).toEqual([]);
    const [history] = await store.histories(['h']);
    expect(history?.map(({ eventId }) => eventId)).toEqual(['y', 'x']);
    await store.forget('h');
    expect(await store.histories(['h'])).toEqual([[]]);
  });

  it('of waiting tasks find them by their values, and bound the shapes', async () => {
    const store = new RedisWebhookWaitStore(test.redis, { shapesMax: 1, lifeMs: 60_000 });
    const shape = { ref: 'r', paths: ['$.a'], isFixed: [false] };
    const target = (value: string): Parameters<typeof store.register>[0] => ({
      workflowName: 'w',
      workflowVersion: 1,
      shape,
      values: [value],
    });
    const [one, two] = ['t1', 't2'] as TaskId[] as [TaskId, TaskId];
    expect(await store.register(target('x'), one)).toBe(true);
    expect(await store.register(target('x'), two)).toBe(true);
    expect(await store.register({ ...target('x'), shape: { ...shape, ref: 'other' } }, one)).toBe(
      false,
    );
    expect(await store.shapes('w', 1)).toEqual([shape]);
    expect(await store.shapes('w', 2)).toEqual([]);
    const found = await store.waiting([target('x'), target('y')]);
    expect(found.map((ids) => [...ids].sort())).toEqual([[one, two], []]);
    await store.remove(target('x'), [one]);
    expect(await store.waiting([target('x')])).toEqual([[two]]);
  });

  it('of human tasks find them by every facet, newest change first, also after they changed', async () => {
    const store = new RedisHumanTaskStore(test.redis, { lookedAtMax: 100 });
    await store.put(entry('a', 1, { assignee: user('u') }));
    await store.put(entry('b', 2, { assignee: user('u'), definitionName: 'other' }));
    await store.put(entry('c', 3));
    const none = { states: [], assignees: [], claimants: [], definitionNames: [] };
    const ids = async (query: object): Promise<[string[], number]> => {
      const page = { ...none, start: 0, size: 10, fits: undefined, ...query };
      const { entries, total } = await store.search(page);
      return [entries.map(({ taskId }) => taskId), total];
    };
    expect(await ids({})).toEqual([['c', 'b', 'a'], 3]);
    expect(await ids({ assignees: [user('u')] })).toEqual([['b', 'a'], 2]);
    expect(await ids({ definitionNames: ['def'] })).toEqual([['c', 'a'], 2]);
    expect(await ids({ definitionNames: ['def'], assignees: [user('u')] })).toEqual([['a'], 1]);
    expect(await ids({ states: ['ASSIGNED'], start: 1, size: 1 })).toEqual([['b'], 3]);
    await store.put(
      entry('a', 9, { state: 'COMPLETED', claimant: user('v'), assignee: user('u') }),
    );
    expect(await ids({ assignees: [user('u')] })).toEqual([['a', 'b'], 2]);
    expect(await ids({ assignees: [user('u')], states: ['ASSIGNED'] })).toEqual([['b'], 1]);
    expect(await ids({ claimants: [user('v')] })).toEqual([['a'], 1]);
    expect(await ids({ fits: ({ taskId }: HumanTaskEntry) => taskId !== 'c' })).toEqual([
      ['a', 'b'],
      2,
    ]);
    expect(await store.expire(10)).toBe(false);
    expect(await ids({})).toEqual([['c', 'b'], 2]);
    await store.remove('c');
    expect(await ids({})).toEqual([['b'], 1]);
    expect(await store.displayNames()).toEqual(['d']);
  });
});
