// The loads of executions, for the quotas on open tasks and on stored bytes (docs/access.md section
// "Shares and quotas"). It stands in each execution's own record, in the part that every commit
// writes, so there is no counter that could drift; totals are counted from the records.
import type { ExecutionId } from '../std/ids.js';

/** The load of one execution, or of many together. */
export interface HeldLoad {
  /** Tasks that have not ended. */
  readonly openTasks: number;
  /**
   * Inputs and outputs, bytes of JSON, roughly; of a finished execution the bytes of its record.
   */
  readonly bytes: number;
}

/** The load of one execution, and for whom it counts. */
export interface ExecutionLoad extends HeldLoad {
  /** The starter, or the execution that ordered it; '' without authentication. */
  readonly caller: string;
  readonly definition: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

export interface HeldStore {
  /** Ids of all executions in batches of some hundreds, in no order (SearchStore.scan). */
  scan(): AsyncGenerator<ExecutionId[]>;
  /**
   * In the order of the ids; undefined where there is no execution any more. Of an execution that
   * says nothing (a small one, or one that a version before this last wrote): one open task if it
   * is open, and `smallBytes`.
   */
  loads(ids: readonly ExecutionId[]): Promise<(ExecutionLoad | undefined)[]>;
}

/** The least size of an execution in the sums, bytes. */
export const smallBytes = 1024;
