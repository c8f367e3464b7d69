// Schedules (interface 4.5): the endpoints on every node, the scheduler on the leader.
import { scheduleRoutes } from './api/schedules/endpoints.js';
import type { Area, AreaParts } from './area.js';
import { Scheduler } from './leader/scheduler/scheduler.js';
import { scheduleForm, Schedules } from './operation/schedules/schedules.js';

/** Empty while service.scheduler.enabled is off: then every route is 404. */
export function scheduleArea(parts: AreaParts): Area {
  const { settings, clock, access, rules, operations, administration } = parts;
  if (!settings['service.scheduler.enabled']) return { endpoints: [], services: [] };
  const { tags, ownership } = administration;
  const table = parts.tables.open(scheduleForm);
  const runLifeMs = settings.scheduleRunsKeptSeconds * 1000;
  const { scheduleRuns: runs } = parts.stores;
  const { schedulesMax, scheduleRunsAtOnceMax, scheduleCatchupMax } = settings;
  const intervalSecondsMin = settings.scheduleIntervalSecondsMin;
  const schedules = new Schedules({
    ...{ table, clock, access, rules, ownership, tags, schedulesMax, intervalSecondsMin },
  });
  const scheduler = new Scheduler({
    clock,
    leadership: parts.leadership,
    schedules: table,
    store: runs,
    operations: { ...operations, ownerOf: (ownerId) => administration.owner(ownerId) },
    runsAtOnceMax: scheduleRunsAtOnceMax,
    catchupMax: scheduleCatchupMax,
    runLifeMs,
    failed: (error) => parts.log.warn({ err: error }, 'the scheduler tries something again'),
  });
  const zoneId = settings['service.scheduler.schedulerTimeZone'];
  return {
    endpoints: scheduleRoutes({ schedules, runs, tags, scheduler, clock, zoneId }),
    services: [scheduler],
  };
}
