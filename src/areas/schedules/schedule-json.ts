// Schedules and their runs as the wire shows them (contract-core 19.1, 19.2).
import type { Json, JsonMap } from '../../model/json.js';
import { nextRunTime } from './due-times.js';
import type { WorkflowSchedule } from './schedule.js';
import { toTagJson, type Tag } from '../../model/tag.js';
import type { ScheduleRun } from './schedule-run.js';

/** `now` decides the next run (epoch ms). Tags are shown when there are any. */
export function toScheduleJson(
  schedule: WorkflowSchedule,
  { tags, now }: { tags: readonly Tag[]; now: number },
): JsonMap {
  const { activeFrom: _activeFrom, ...shown } = schedule;
  const next = nextRunTime(schedule, now);
  return {
    ...(shown as unknown as JsonMap),
    ...(tags.length === 0 ? {} : { tags: tags.map(toTagJson) }),
    ...(next === undefined ? {} : { nextRunTime: next }),
  };
}

export function toScheduleRunJson(run: ScheduleRun): Json {
  return run as unknown as Json;
}
