// The scheduler beside its store.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisScheduleRunStore } from '../../src/areas/schedules/redis-run-store.js';
import type { WorkflowSchedule } from '../../src/areas/schedules/schedule.js';
import { Scheduler } from '../../src/areas/schedules/scheduler.js';
import type { ScheduledStartContext } from '../../src/areas/schedules/start-scheduled-run.js';
import { jsonCodec, RecordTable } from '../../src/operation/records/record-table.js';
import { startStore, type TestStore } from '../../testkit/samples.js';
import { MemoryRecordStore } from '../operation/records/memory-record-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

let test: TestStore;
beforeAll(async () => void (test = await startStore('one Redis')));
afterAll(async () => test.stop());

it('keeps no cursor of a schedule that is deleted while its step is stored', async () => {
  const clock = new VirtualClock();
  const store = new RedisScheduleRunStore(test.redis, { runsPerScheduleMax: 3, lifeMs: 60_000 });
  const advance = store.advance.bind(store);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isAsked = false;
  store.advance = async (...step) => {
    isAsked = true;
    await released;
    return await advance(...step);
  };
  const codec = jsonCodec('schedule', ({ name }: WorkflowSchedule) => name);
  const schedules = new RecordTable(new MemoryRecordStore(), codec);
  await schedules.load();
  const failures: unknown[] = [];
  const scheduler = new Scheduler({
    ...{ clock, schedules, store, runsAtOnceMax: 10, catchupMax: 10, runLifeMs: 60_000 },
    leadership: { leads: true, onChange: () => undefined },
    // Nobody has the rights of the run: its record says that it could not start.
    operations: { clock, ownerOf: () => undefined } as unknown as ScheduledStartContext,
    failed: (error) => failures.push(error),
  });
  await scheduler.start();
  const [name, activeFrom] = ['s', clock.now()];
  const startWorkflowRequest = { name: 'w', version: 1 };
  await schedules.put({
    ...{ name, activeFrom, cronExpression: '* * * * * ?', cronSchedules: [], zoneId: 'UTC' },
    ...{ paused: false, startWorkflowRequest, runCatchupScheduleInstances: false },
  } as unknown as WorkflowSchedule);
  clock.advance(2000);
  await expect.poll(() => isAsked).toBe(true);
  await schedules.remove(name);
  release();
  await expect
    .poll(async () => (await store.newest(0, 1)).runs)
    .toMatchObject([{ scheduleName: name }]);
  await expect.poll(async () => [...(await store.cursors()).keys()]).toEqual([]);
  await scheduler.stop();
  expect(failures).toEqual([]);
});
