// Schedules and their runs as the wire shows them (contract-core 19.1, 19.2).
import type { Json, JsonMap } from '../json.js';
import { nextRunTime } from './due-times.js';
import type { WorkflowSchedule } from './schedule.js';
import type { ScheduleRun } from './schedule-run.js';

/** `now` decides the next run (epoch ms). */
export function toScheduleJson(schedule: WorkflowSchedule, now: number): JsonMap {
  const { activeFrom: _activeFrom, ...shown } = schedule;
  const next = nextRunTime(schedule, now);
  const json = shown as unknown as JsonMap;
  return next === undefined ? json : { ...json, nextRunTime: next };
}

export function toScheduleRunJson(run: ScheduleRun): Json {
  return run as unknown as Json;
}
