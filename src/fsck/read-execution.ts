// Reads an execution for the checks: each one compares one thing with the record.
import type { OpenExecution } from '../engine/open-execution.js';
import type { StoredExecution } from '../store/execution-store.js';
import type { ExecutionId } from '../std/ids.js';
import type { FsckParts } from './check.js';
import type { Finding } from './finding.js';

export interface ReadExecution {
  readonly id: ExecutionId;
  readonly shard: number;
  readonly partition: number;
  readonly shortId: string;
  readonly key: string;
  readonly stored: StoredExecution;
  readonly open: OpenExecution;
}

/** One thing that has to agree with an execution. */
export type ExecutionCheck = (
  parts: FsckParts,
  read: ReadExecution,
) => Promise<Finding[]> | Finding[];
