// What clients of a simulation read while executions run, and the judge of these reads (invariants
// I13): after an answered report every read shows its task as ended, or something newer. A former
// owner that answers from memory shows an older state.
import { isTerminalTask, type TaskStatus, type WorkflowStatus } from '../../src/model/status.js';
import type { NamedView, View } from '../../src/shard/named-views.js';
import { taskIdOf } from '../../src/std/ids.js';
import type { Journal, ReportRecord } from '../torture/journal.js';
import type { SimulatedNode } from './node.js';

export interface SeenTask {
  readonly taskId: string;
  readonly taskType: string;
  readonly status: TaskStatus;
}

/** As little as is judged: there are many reads. The end of a run reads everything. */
export interface SeenExecution {
  readonly status: WorkflowStatus;
  readonly tasks: readonly SeenTask[];
}

export const seenView: NamedView<null, SeenExecution> = {
  name: 'simulation-seen',
  view: ({ execution: { id, state, tasks } }) => ({
    status: state.status,
    tasks: tasks.map(({ number, taskType, status }) => ({
      ...{ taskId: taskIdOf(id, number), taskType, status },
    })),
  }),
};

/** undefined cannot be told from no answer, so null says that there is no such execution. */
export async function readOrNull<T>(
  { executions }: SimulatedNode,
  id: string,
  view: View<T>,
): Promise<T | null> {
  return (await executions.read(id, view)) ?? null;
}

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

  /** The answer to a read of execution `id` that was sent at `askedAt`. */
  seen(id: string, { tasks }: SeenExecution, askedAt: number): void {
    for (const { taskId, status, acknowledgedAt = Infinity } of this.#answered.get(id) ?? []) {
      if (acknowledgedAt >= askedAt) continue;
      const shown = tasks.find((task) => task.taskId === taskId)?.status;
      if (shown !== undefined && isTerminalTask(shown)) continue;
      this.journal.violations.push(
        `a read of ${id} sent at ${askedAt} showed task ${taskId} as ${shown}, although its ` +
          `report ${status} was answered at ${acknowledgedAt}`,
      );
    }
  }
}
