// Which events a commit tells of (telemetry/event-counters.ts). They are counted once it has landed
// (PendingCommit.pass): what was never stored has not happened.
import type { EventCounters, QueueEvent, WorkflowEvent } from '../telemetry/event-counters.js';
import type { TaskStatus, WorkflowStatus } from '../model/status.js';
import type { Commit } from '../store/execution-store.js';
import type { PendingCommit } from './pending-commit.js';

/**
 * The start and the end of an execution, when the commit stores them. An execution that was retried
 * or restarted ends once more.
 */
export function countCommit(
  counters: EventCounters,
  pending: PendingCommit,
  { changes, execution }: Commit,
): void {
  if (!changes.created && changes.statusBefore === undefined) return;
  // It neither started nor ended here.
  if (execution.attributes.imported !== undefined) return;
  const { name } = execution.snapshot.def;
  if (changes.created) pending.count(counters.workflow(name, 'started'));
  const end = endOfWorkflow(execution.state.status);
  if (end === undefined) return;
  pending.count(counters.workflow(name, end));
  const { createTime, endTime } = execution.state;
  pending.count(counters.took(name, endTime - createTime));
}

function endOfWorkflow(status: WorkflowStatus): WorkflowEvent | undefined {
  switch (status) {
    case 'COMPLETED':
      return 'completed';
    case 'FAILED':
      return 'failed';
    case 'TIMED_OUT':
      return 'timedOut';
    case 'TERMINATED':
      return 'terminated';
    case 'RUNNING':
    case 'PAUSED':
      return undefined;
  }
}

/** undefined: not over, cancelled or skipped. */
export function endOfTask(status: TaskStatus): QueueEvent | undefined {
  switch (status) {
    case 'COMPLETED':
      return 'completed';
    case 'FAILED':
    case 'FAILED_WITH_TERMINAL_ERROR':
    case 'TIMED_OUT':
    case 'COMPLETED_WITH_ERRORS':
      return 'failed';
    case 'SCHEDULED':
    case 'IN_PROGRESS':
    case 'CANCELED':
    case 'SKIPPED':
      return undefined;
  }
}
