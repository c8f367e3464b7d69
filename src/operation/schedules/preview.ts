// The next times of a cron expression, without any schedule (contract-core 19.3). The question
// names no zone, so the setting service.scheduler.schedulerTimeZone decides.
import { parseCron } from '../../model/cron/parse-cron.js';
import { AppError } from '../../model/errors.js';
import { nextDueTimes } from '../../model/schedule/due-times.js';

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
  if (limit < 0) throw new AppError('bad-request', "Parameter 'limit' must not be negative");
  const bounds = scheduleEndTime === undefined ? {} : { scheduleEndTime };
  return nextDueTimes({ cronExpression, zoneId }, bounds, {
    after: Math.max(now, scheduleStartTime - 1),
    limit: Math.min(limit, previewTimesMax),
  });
}
