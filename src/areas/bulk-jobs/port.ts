// Bulk jobs as other areas see them: streams follow them.
import type { Caller } from '../../model/caller.js';
import type { BulkJob } from './bulk-job.js';
import type { BulkRefusal } from './job-store.js';

/** As it is shown: without what only the drive needs. */
export type ShownJob = Omit<BulkJob, 'id' | 'slice' | 'canaryUntil' | 'forgiven'> & {
  readonly jobId: string;
};
/** With why executions were refused, the first ones. */
export type BulkJobInFull = ShownJob & { readonly errors: readonly BulkRefusal[] };

export interface BulkJobView {
  /** Throws AppError 'not-found'. */
  get(caller: Caller, id: string): BulkJob;
  /** As it is shown by itself. */
  inFull(job: BulkJob): Promise<BulkJobInFull>;
}
