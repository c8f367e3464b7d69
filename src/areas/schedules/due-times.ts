// When a schedule is due (semantics 7.3, contract-core 19.1): the times of its cron entries within
// its bounds. Both bounds count as within.
import { nextTime } from './cron/cron-times.js';
import { parseCron } from './cron/parse-cron.js';
import { timeZone } from './cron/time-zone.js';
import { entriesOf, type CronSchedule, type WorkflowSchedule } from './schedule.js';

type Bounds = Pick<WorkflowSchedule, 'scheduleStartTime' | 'scheduleEndTime'>;

/** First due time of an entry strictly after `after`, epoch ms; undefined when there is none. */
export function nextDue(entry: CronSchedule, bounds: Bounds, after: number): number | undefined {
  const zone = timeZone(entry.zoneId);
  if (zone === undefined) return undefined;
  const { scheduleStartTime: start, scheduleEndTime: end } = bounds;
  const from = start === undefined ? after : Math.max(after, start - 1);
  const time = nextTime(parseCron(entry.cronExpression, 'cronExpression'), zone, from);
  return time === undefined || (end !== undefined && time > end) ? undefined : time;
}

/** Due times of an entry strictly after `after`, `limit` at most. */
export function nextDueTimes(
  entry: CronSchedule,
  bounds: Bounds,
  { after, limit }: { after: number; limit: number },
): number[] {
  const times: number[] = [];
  for (let at = nextDue(entry, bounds, after); at !== undefined && times.length < limit;) {
    times.push(at);
    at = nextDue(entry, bounds, at);
  }
  return times;
}

/**
 * When the schedule is due next as it stands now, or would be if it were not paused; undefined when
 * its time is over.
 */
export function nextRunTime(schedule: WorkflowSchedule, now: number): number | undefined {
  const after = Math.max(now, schedule.activeFrom);
  const times = entriesOf(schedule).flatMap((entry) => nextDue(entry, schedule, after) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
