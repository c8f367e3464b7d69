// Bulk jobs (docs/bulk-jobs.md): the endpoints on every node, what drives them on the leader.
import { randomUUID } from 'node:crypto';
import { area } from '../area.js';
import { BulkJobRunner } from './bulk-job-runner.js';
import { bulkJobCodec, BulkJobs } from './bulk-jobs.js';
import { bulkJobRoutes } from './endpoints.js';
import { RedisBulkJobStore } from './redis-job-store.js';
import { bulkJobSettings } from './settings.js';

export const bulkJobs = area({
  name: 'bulk-jobs',
  about: 'One action on many executions, fixed beforehand, at a bounded rate.',
  settings: bulkJobSettings,
  records: { jobs: bulkJobCodec },
  stores: (redis) => ({ store: new RedisBulkJobStore(redis) }),
  needs: ['clock', 'log', 'leadership', 'operations', 'search', 'callerOf'],
  provides: ['bulkJobs'],
  build(
    { clock, log, leadership, operations, search, callerOf },
    { settings, records, stores: { store } },
  ) {
    const { bulkJobsMax: jobsMax, bulkJobExecutionsMax: executionsMax } = settings;
    const { jobs: table } = records;
    const jobs = new BulkJobs({
      ...{ table, store, clock, search, jobsMax, executionsMax, randomId: randomUUID },
    });
    const runner = new BulkJobRunner({
      ...{ table, store, operations, clock, leadership, callerOf },
      failed: (error) => log.warn({ err: error }, 'a bulk job tries something again'),
    });
    return {
      endpoints: bulkJobRoutes(jobs, executionsMax),
      services: [runner],
      ports: { bulkJobs: jobs },
    };
  },
});
