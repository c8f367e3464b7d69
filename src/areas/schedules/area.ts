// Schedules (interface 4.5): the endpoints on every node, the scheduler on the leader.
import { area } from '../area.js';
import { scheduleChecks, scheduleFindings } from './checks.js';
import { scheduleRoutes } from './endpoints.js';
import { RedisScheduleRunStore } from './redis-run-store.js';
import { Scheduler } from './scheduler.js';
import { schedule } from './schedule.js';
import { Schedules } from './schedules.js';
import { checkScheduleSettings, scheduleSettings } from './settings.js';

export const schedules = area({
  name: 'schedules',
  about: 'Starts workflows at the times of cron expressions.',
  settings: scheduleSettings,
  checkSettings: checkScheduleSettings,
  isServed: (settings) => settings['service.scheduler.enabled'],
  records: { schedules: schedule.record },
  stores: (redis, { scheduleRunsKeptMax, scheduleRunsKeptSeconds }) => ({
    runs: new RedisScheduleRunStore(redis, {
      runsPerScheduleMax: scheduleRunsKeptMax,
      lifeMs: scheduleRunsKeptSeconds * 1000,
    }),
  }),
  findings: scheduleFindings,
  checks: scheduleChecks,
  needs: [
    ...(['clock', 'log', 'leadership', 'access', 'ownership', 'tags'] as const),
    ...(['definitionRules', 'operations', 'ownerOf', 'search'] as const),
  ],
  build(
    { clock, log, leadership, access, ownership, tags, definitionRules, operations, ...more },
    { settings, records: { schedules: table }, stores: { runs } },
  ) {
    const { ownerOf, search } = more;
    const schedules = new Schedules({
      ...{ table, clock, access, ownership, tags, definitionRules },
      schedulesMax: settings.schedulesMax,
      intervalSecondsMin: settings.scheduleIntervalSecondsMin,
    });
    const scheduler = new Scheduler({
      ...{ clock, leadership },
      schedules: table,
      store: runs,
      operations: { ...operations, ownerOf },
      runsAtOnceMax: settings.scheduleRunsAtOnceMax,
      catchupMax: settings.scheduleCatchupMax,
      runLifeMs: settings.scheduleRunsKeptSeconds * 1000,
      failed: (error) => log.warn({ err: error }, 'the scheduler tries something again'),
    });
    const zoneId = settings['service.scheduler.schedulerTimeZone'];
    return {
      endpoints: scheduleRoutes({ schedules, runs, scheduler, clock, zoneId, search }),
      services: [scheduler],
    };
  },
});
