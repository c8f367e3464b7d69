// Bulk jobs as other areas see them: streams follow them.
import type { Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';
import type { BulkJob } from './bulk-job.js';

export interface BulkJobView {
  /** Throws AppError 'not-found'. */
  get(caller: Caller, id: string): BulkJob;
  /** As it is shown by itself: with why executions were refused, the first ones. */
  inFull(job: BulkJob): Promise<JsonMap>;
}
