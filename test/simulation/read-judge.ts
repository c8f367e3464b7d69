// The judge of reads (invariants I13): after an answered report every read shows its task as ended,
// or something newer. A former owner that answers from memory shows an older state.
import { finalStatuses, type WireWorkflow } from '../support/wire.js';
import type { Journal, ReportRecord } from '../torture/journal.js';

export class ReadJudge {
  /** By execution, reports that ended their tasks and were answered. */
  readonly #answered = new Map<string, ReportRecord[]>();

  constructor(private readonly journal: Journal) {}

  /** The report has its answer. */
  answered(report: ReportRecord): void {
    if (report.status === 'IN_PROGRESS') return;
    const { workflowId } = report;
    const known = this.#answered.get(workflowId);
    if (known === undefined) this.#answered.set(workflowId, [report]);
    else known.push(report);
  }

  /** `workflow`, with its tasks, is the answer to a read that was sent at `askedAt`. */
  seen({ workflowId, tasks }: WireWorkflow, askedAt: number): void {
    const older = (this.#answered.get(workflowId) ?? []).filter(
      ({ acknowledgedAt = Infinity }) => acknowledgedAt < askedAt,
    );
    if (older.length === 0) return;
    const statuses = new Map(tasks.map(({ taskId, status }) => [taskId, status]));
    for (const { taskId, status, acknowledgedAt } of older) {
      const shown = statuses.get(taskId);
      if (shown !== undefined && isOver(shown)) continue;
      this.journal.violations.push(
        `a read of ${workflowId} sent at ${askedAt} showed task ${taskId} as ${shown}, although ` +
          `its report ${status} was answered at ${acknowledgedAt}`,
      );
    }
  }
}

function isOver(status: string): boolean {
  return finalStatuses.has(status) || status === 'FAILED_WITH_TERMINAL_ERROR';
}
