// The long parts of bulk jobs: the ids of their executions, and why some were refused. The job
// itself, small, is an administrative record.

export interface BulkRefusal {
  readonly workflowId: string;
  readonly message: string;
}

export interface BulkJobStore {
  /** Stores the ids of a new job; `lifeMs` later they are removed. */
  create(jobId: string, ids: readonly string[], lifeMs: number): Promise<void>;
  /** The ids from position `from` up to and without `to`; fewer once they have expired. */
  ids(jobId: string, from: number, to: number): Promise<string[]>;
  /**
   * By position, so a repeated slice changes nothing. Refusals beyond `refusalsMax` are left out.
   */
  refuse(jobId: string, refusals: ReadonlyMap<number, BulkRefusal>, lifeMs: number): Promise<void>;
  /** In the order of their positions. */
  refusals(jobId: string): Promise<BulkRefusal[]>;
  forget(jobId: string): Promise<void>;
}

/** Refusals that are kept of one job. */
export const refusalsMax = 1000;
