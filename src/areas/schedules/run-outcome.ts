// How the last run of a schedule ended, and how many failed in a row up to it. A run fails when
// nothing could be started, and when what it started failed or timed out; one that still runs says
// nothing yet. Executions that are gone, or that the caller may not read, say nothing either.
import { isTerminalWorkflow, type WorkflowStatus } from '../../model/status.js';
import { reasonCharsMax, type ScheduleRun } from './schedule-run.js';
import { isSkippedRun } from './start-scheduled-run.js';

interface RunOutcome {
  /** Absent: not known. */
  readonly status?: WorkflowStatus;
  readonly failuresInRow: number;
  /** All that were asked for are there, and all of them failed. */
  readonly isMore: boolean;
  /** The execution to look at: the one that failed last, else that of the last run. */
  readonly workflowId?: string;
  readonly reason?: string;
}

interface Judged {
  /** Executions that the runs started, as far as they are there and may be read. */
  readonly executions: ReadonlyMap<
    string,
    {
      readonly state: {
        readonly status: WorkflowStatus;
        readonly reasonForIncompletion?: string | undefined;
      };
    }
  >;
  /** Runs that were asked for. */
  readonly limit: number;
}

/** Runs that are counted of one that failed. */
export const runsCountedMax = 10;

const failures: ReadonlySet<string | undefined> = new Set(['FAILED', 'TIMED_OUT']);

/** `newest`: newest first, of which `limit` were asked for. Undefined: it has not run. */
export function runOutcome(
  newest: readonly ScheduleRun[],
  { executions, limit }: Judged,
): RunOutcome | undefined {
  const runs = newest.filter((run) => !isSkippedRun(run)).slice(0, runsCountedMax);
  if (runs.length === 0) return undefined;
  const statusOf = ({ workflowId, state }: ScheduleRun): WorkflowStatus | undefined => {
    if (workflowId === undefined) return state === 'FAILED' ? state : undefined;
    return executions.get(workflowId)?.state.status;
  };
  const ended = runs.filter((run) => {
    const status = statusOf(run);
    return status === undefined || isTerminalWorkflow(status);
  });
  const success = ended.findIndex((run) => !failures.has(statusOf(run)));
  const failed = success === -1 ? ended : ended.slice(0, success);
  // One that started something is there to be looked at.
  const shown = failed.find(({ workflowId }) => workflowId !== undefined) ?? failed[0] ?? runs[0];
  const header = executions.get(shown?.workflowId ?? '');
  const reason = shown?.reason ?? header?.state.reasonForIncompletion;
  const status = runs[0] && statusOf(runs[0]);
  return {
    failuresInRow: failed.length,
    isMore: success === -1 && newest.length === limit,
    ...(status === undefined ? {} : { status }),
    ...(shown?.workflowId === undefined ? {} : { workflowId: shown.workflowId }),
    ...(reason === undefined ? {} : { reason: reason.slice(0, reasonCharsMax) }),
  };
}
