// Indexes of executions, changed in the execution's own commit, so a search right after a write
// sees it (architecture section 3). All of them are ordered by start time. Executions that have
// expired may be named for a short while after; a read of one then finds nothing.
import type { ExecutionId } from '../std/ids.js';
import type { Execution } from '../model/execution.js';
import type { WorkflowStatus } from '../model/status.js';

export interface IndexRange {
  /** Workflow names; undefined: all. */
  readonly names: readonly string[] | undefined;
  /** undefined: all. */
  readonly statuses: readonly WorkflowStatus[] | undefined;
  /** Start time, epoch ms, inclusive; undefined: no bound. */
  readonly fromAt: number | undefined;
  readonly untilAt: number | undefined;
}

export interface IndexEntry {
  readonly id: ExecutionId;
  /** Epoch ms. */
  readonly startedAt: number;
}

export interface PageAsked {
  readonly newestFirst: boolean;
  /** Entries in front of the page. */
  readonly start: number;
  readonly size: number;
}

/** An execution without tasks and payloads. */
export type ExecutionHeader = Pick<Execution, 'id' | 'snapshot' | 'attributes' | 'state'>;

/** An execution without tasks and variables. */
export type ExecutionSummary = ExecutionHeader & Pick<Execution, 'input' | 'output'>;

export interface SearchStore {
  /** How many entries there are, exactly. */
  count(range: IndexRange): Promise<number>;
  /** How many executions that a caller or what they started has started are open, exactly. */
  countOpenOf(starter: string): Promise<number>;
  /** Entries by start time, then id, oldest first. */
  list(range: IndexRange): Promise<IndexEntry[]>;
  /** Some entries of that order, or of the reverse one, and how many there are in all. */
  page(range: IndexRange, asked: PageAsked): Promise<{ entries: IndexEntry[]; total: number }>;
  /**
   * Ids of all executions in batches, in no order; one that moves meanwhile may come twice, one
   * that starts or goes may be missing.
   */
  scan(): AsyncGenerator<ExecutionId[]>;
  /** Entries with a correlation id, of all names, oldest first. */
  correlated(correlationId: string): Promise<IndexEntry[]>;
  /**
   * In the order of the ids; undefined where there is no execution (any more). Reads in bounded
   * batches.
   */
  headers(ids: readonly ExecutionId[]): Promise<(ExecutionHeader | undefined)[]>;
  /** As `headers`, with input and output. */
  summaries(ids: readonly ExecutionId[]): Promise<(ExecutionSummary | undefined)[]>;
}
