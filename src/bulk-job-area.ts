// Bulk jobs (docs/bulk-jobs.md): the endpoints on every node, what drives them on the leader.
import { randomUUID } from 'node:crypto';
import { callerOf } from './access/authenticator.js';
import { bulkJobRoutes } from './api/bulk-jobs/endpoints.js';
import type { Area, AreaParts } from './area.js';
import { BulkJobRunner } from './leader/bulk-jobs/bulk-job-runner.js';
import { localAdministrator } from './model/caller.js';
import { bulkJobForm, BulkJobs } from './operation/bulk-jobs/bulk-jobs.js';
import { defaultSearchLimits } from './operation/search/request.js';

/** The area, and its jobs, which streams follow. */
export function bulkJobArea(parts: AreaParts): { readonly area: Area; readonly jobs: BulkJobs } {
  const { settings, clock, operations, administration, leadership, stores, log } = parts;
  const table = parts.tables.open(bulkJobForm);
  const store = stores.bulkJobs;
  const executionsMax = settings.bulkJobExecutionsMax;
  const jobs = new BulkJobs({
    ...{ table, store, clock, executionsMax, randomId: randomUUID },
    search: { context: operations, store: stores.executions.search, limits: defaultSearchLimits },
    jobsMax: settings.bulkJobsMax,
  });
  const { identities } = administration;
  const runner = new BulkJobRunner({
    ...{ table, store, operations, clock, leadership },
    callerOf: (id) => (settings.auth ? callerOf(id, identities) : localAdministrator),
    failed: (error) => log.warn({ err: error }, 'a bulk job tries something again'),
  });
  return { area: { endpoints: bulkJobRoutes(jobs, executionsMax), services: [runner] }, jobs };
}
