// The next times of a cron expression, without any schedule (contract-core 19.3). A question that
// names no zone is answered in that of the setting service.scheduler.schedulerTimeZone.
import { timeZone } from './cron/time-zone.js';
import { parseCron } from './cron/parse-cron.js';
import { AppError } from '../../model/errors.js';
import { nextDueTimes } from './due-times.js';

export interface Preview {
  readonly cronExpression: string;
  /** Epoch ms; absent: now. */
  readonly scheduleStartTime: number | undefined;
  readonly scheduleEndTime: number | undefined;
  readonly limit: number | undefined;
}

/** Contract-core 21.1; also the default. */
const previewTimesMax = 5;

/** Epoch ms, ascending. Throws AppError 'bad-request'. */
export function previewTimes(preview: Preview, zoneId: string, now: number): number[] {
  const {
    cronExpression,
    scheduleStartTime = 0,
    scheduleEndTime,
    limit = previewTimesMax,
  } = preview;
  parseCron(cronExpression, 'cronExpression');
  if (timeZone(zoneId) === undefined) {
    const shown = zoneId.slice(0, 100);
    throw new AppError('bad-request', `Parameter 'zoneId': there is no time zone '${shown}'`);
  }
  if (limit < 0) throw new AppError('bad-request', "Parameter 'limit' must not be negative");
  const bounds = scheduleEndTime === undefined ? {} : { scheduleEndTime };
  return nextDueTimes({ cronExpression, zoneId }, bounds, {
    after: Math.max(now, scheduleStartTime - 1),
    limit: Math.min(limit, previewTimesMax),
  });
}
