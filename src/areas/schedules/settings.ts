// Settings of schedules.
import { flag, integer, SettingError, text, type SettingsOf } from '../../settings/setting.js';
import { timeZone } from './cron/time-zone.js';

export const scheduleSettings = {
  'service.scheduler.enabled': flag('Serves /api/scheduler and runs schedules', true),
  'service.scheduler.schedulerTimeZone': text(
    'Time zone of the preview of cron expressions: an IANA name or an offset such as GMT+2',
    'UTC',
  ),
  schedulesMax: integer('Schedules that there may be', 200_000, 1),
  scheduleRunsAtOnceMax: integer('Schedules that are started at the same time', 256, 1),
  scheduleIntervalSecondsMin: integer(
    'Shortest time between two due times of a cron expression, seconds; one that is due more often is refused',
    1,
    1,
    86_400,
  ),
  scheduleCatchupMax: integer(
    'Missed due times of a cron expression that run with catch-up; the others are recorded as skipped',
    10_000,
    1,
  ),
  scheduleRunsKeptSeconds: integer(
    "Records of a schedule's runs are kept this long after they were due, seconds",
    604_800,
    60,
  ),
  scheduleRunsKeptMax: integer(
    'Newest runs of a schedule that are kept within that time, at most',
    10_000,
    1,
    100_000,
  ),
} as const;

/** Throws SettingError. */
export function checkScheduleSettings(settings: SettingsOf<typeof scheduleSettings>): void {
  const zone = settings['service.scheduler.schedulerTimeZone'];
  if (timeZone(zone) === undefined) {
    throw new SettingError(`--service.scheduler.schedulerTimeZone names no time zone: '${zone}'.`);
  }
}
