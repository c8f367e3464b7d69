// A bulk job: one control on many executions. Its executions are fixed when it is created, so that
// what a person has seen in the preview is what is acted on. States: PREVIEW until it is started,
// RUNNING, then COMPLETED, or STOPPED by a person or by failures that repeat; a stopped job can be
// started again and goes on where it was.
import type { WorkflowStatus } from '../../model/status.js';

export const bulkActions = [
  'retry',
  'restart',
  'rerun',
  'pause',
  'resume',
  'terminate',
  'remove',
] as const;
export type BulkAction = (typeof bulkActions)[number];

export const bulkJobStates = ['PREVIEW', 'RUNNING', 'STOPPED', 'COMPLETED'] as const;
export type BulkJobState = (typeof bulkJobStates)[number];

const ended: readonly WorkflowStatus[] = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'TERMINATED'];

/** Statuses of executions that an action is for. */
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

export interface BulkOptions {
  /** Restart: with the latest version of the definition. */
  readonly useLatestDefinitions: boolean;
  /** Terminate: the failure workflow is started. */
  readonly triggerFailureWorkflow: boolean;
}

export interface BulkJobPlan {
  readonly action: BulkAction;
  readonly options: BulkOptions;
  /** In the words of the caller; the history of each execution shows it. */
  readonly reason: string;
  /** So many go alone first; 0: none. */
  readonly canary: number;
  /** The rest waits so long at most for those to end, in seconds. */
  readonly canarySeconds: number;
  readonly ratePerSecond: number;
  /** Stops by itself at so many refusals and new failures; 0: never. */
  readonly stopAfterFailures: number;
}

/** Executions that were found and are not acted on. */
export interface BulkExclusion {
  readonly reason: string;
  readonly count: number;
  readonly sample: readonly string[];
}

/** Executions that a node is acting on: positions `from` up to and without `to`. */
export interface BulkSlice {
  readonly from: number;
  readonly to: number;
  /** Epoch ms. */
  readonly begunAt: number;
  /** Drawn by who drives the job: only that one may report what became of the slice. */
  readonly token: string;
}

export interface BulkJob extends BulkJobPlan {
  readonly id: string;
  readonly createdBy: string;
  /** Epoch ms, as all times. */
  readonly createdAt: number;
  /** Executions that were found. */
  readonly matched: number;
  /** Executions that it acts on. */
  readonly count: number;
  readonly excluded: readonly BulkExclusion[];
  /** The first of them. */
  readonly sample: readonly string[];
  readonly state: BulkJobState;
  /** Why it was stopped. */
  readonly stoppedBecause?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Executions with an outcome; the next slice begins here. */
  readonly done: number;
  readonly refused: number;
  /** Executions of the canary that failed again. */
  readonly failedAgain: number;
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
