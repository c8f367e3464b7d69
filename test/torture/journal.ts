// What the clients of a torture run saw: every start, hand-out and report with its times. All times
// are milliseconds of the monotonic clock of this process; the checks rely on nothing else that
// they remember.
import type { ResultStatus } from '../../testkit/wire.js';

/**
 * How a request ended: the server confirmed it, or nobody knows (no answer, or 503). A request may
 * have been sent several times before it was confirmed.
 */
export type Outcome = 'acknowledged' | 'unknown';

export interface StartRecord {
  /** Number of the start in this run; stands in the execution's input. */
  readonly start: number;
  readonly workflowName: string;
  /** Of this start in this run alone. */
  readonly correlationId: string;
  readonly endsAs: string;
  /** Started with an idempotency key: a repeated request must not start a second execution. */
  readonly hasKey: boolean;
  outcome: Outcome;
  acknowledgedAt?: number;
  workflowId?: string;
}

export interface HandOutRecord {
  readonly taskId: string;
  readonly workflowId: string;
  readonly taskType: string;
  readonly ref: string;
  readonly retryCount: number;
  /** When the poll (or update-v2) that brought it was sent; the lease began after that. */
  readonly askedAt: number;
  readonly receivedAt: number;
  readonly leaseMs: number;
  report?: ReportRecord;
}

export interface ReportRecord {
  readonly taskId: string;
  readonly workflowId: string;
  readonly status: ResultStatus;
  /** Stands in the task's output and names this report alone. */
  readonly marker: string;
  readonly firstSentAt: number;
  attempts: number;
  outcome: Outcome;
  acknowledgedAt?: number;
}

export interface KillRecord {
  readonly victim: 'node' | 'redis' | 'both';
  /**
   * Redis stood still and the node had sent it commits: they had not been answered, and cannot be.
   */
  readonly isBatchInFlight: boolean;
  readonly at: number;
  /** Starts and reports sent and not yet answered at that moment. */
  readonly inFlight: number;
}

export class Journal {
  readonly starts: StartRecord[] = [];
  readonly handOuts: HandOutRecord[] = [];
  readonly reports: ReportRecord[] = [];
  readonly kills: KillRecord[] = [];
  /** What was seen to be wrong already during the run. */
  readonly violations: string[] = [];
  /** Starts and reports under way now. */
  inFlight = 0;

  now(): number {
    return performance.now();
  }

  get acknowledgedReports(): number {
    return this.reports.filter((report) => report.outcome === 'acknowledged').length;
  }
}

/** Records of the same task together, in their order. */
export function groupByTask<T extends { readonly taskId: string }>(
  records: readonly T[],
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const group = groups.get(record.taskId);
    if (group === undefined) groups.set(record.taskId, [record]);
    else group.push(record);
  }
  return groups;
}
