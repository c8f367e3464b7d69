// Settings of statistics.
import { integer } from '../../settings/setting.js';

export const statisticsSettings = {
  queueSampleSeconds: integer('Between two samples of how many tasks wait in queues', 60, 1, 3600),
} as const;
