// A bulk job: one control on many executions. Its executions are fixed when it is created, so that
// what a person has seen in the preview is what is acted on. States: PREVIEW until it is started,
// RUNNING, then COMPLETED, or STOPPED by a person or by failures that repeat; a stopped job can be
// started again and goes on where it was.
import type { ValueOf } from '../../model/schema.js';
import type { WorkflowStatus } from '../../model/status.js';
import type { bulkActions } from './bulk-job-request.js';
import type { bulkJobSchema, exclusionSchema } from './schemas.js';

export type BulkAction = (typeof bulkActions)[number];

const ended: readonly WorkflowStatus[] = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'TERMINATED'];

export const statusesFor: Readonly<Record<BulkAction, readonly WorkflowStatus[]>> = {
  retry: ['FAILED', 'TIMED_OUT', 'TERMINATED'],
  restart: ended,
  rerun: ended,
  pause: ['RUNNING'],
  resume: ['PAUSED'],
  terminate: ['RUNNING', 'PAUSED'],
  remove: ended,
};

/** Actions after which an execution runs, and may fail again. */
export const setsGoing: ReadonlySet<BulkAction> = new Set(['retry', 'restart', 'rerun']);

/** Executions that were found and are not acted on. */
export type BulkExclusion = ValueOf<typeof exclusionSchema>;

/** Executions that a node is acting on: positions `from` up to and without `to`. */
export interface BulkSlice {
  readonly from: number;
  readonly to: number;
  /** Epoch ms. */
  readonly begunAt: number;
  /** Drawn by who drives the job: only that one may report what became of the slice. */
  readonly token: string;
  /**
   * How often each execution had been set going when the slice began (null: not there), for actions
   * that do so; absent for others, and in slices that an earlier version began.
   */
  readonly generations?: readonly (number | null)[];
}

/** As it is stored: as it is shown, with what only the drive needs. */
export interface BulkJob extends Omit<ValueOf<typeof bulkJobSchema>, 'jobId' | 'errors'> {
  readonly id: string;
  readonly createdBy: string;
  /** Epoch ms, as all times. */
  readonly createdAt: number;
  /** Refusals and new failures that a later start has taken note of. */
  readonly forgiven: number;
  readonly slice?: BulkSlice;
  /** While the canary is watched: until when at most. */
  readonly canaryUntil?: number;
}

/** Whether nothing drives it now. */
export function restsNow({ state }: Pick<BulkJob, 'state'>): boolean {
  return state !== 'RUNNING';
}
