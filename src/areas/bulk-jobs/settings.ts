// Settings of bulk jobs.
import { integer } from '../../settings/setting.js';

export const bulkJobSettings = {
  bulkJobsMax: integer('Bulk jobs that are kept; a new one replaces the oldest that rests', 200, 1),
  bulkJobExecutionsMax: integer('Executions of one bulk job', 20_000, 1, 100_000),
} as const;
