// Statuses of executions and tasks and what they imply (contract-core 3, semantics 1.1 and 1.2).

export type WorkflowStatus =
  'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'TERMINATED';

export type TaskStatus =
  | 'SCHEDULED'
  | 'IN_PROGRESS'
  | 'COMPLETED'
  | 'COMPLETED_WITH_ERRORS'
  | 'FAILED'
  | 'FAILED_WITH_TERMINAL_ERROR'
  | 'TIMED_OUT'
  | 'CANCELED'
  | 'SKIPPED';

/** The statuses that a caller may report (contract-core 15.1). */
export type TaskResultStatus =
  'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR' | 'CANCELED';

export const taskStatuses: readonly TaskStatus[] = [
  'IN_PROGRESS',
  'CANCELED',
  'FAILED',
  'FAILED_WITH_TERMINAL_ERROR',
  'COMPLETED',
  'COMPLETED_WITH_ERRORS',
  'SCHEDULED',
  'TIMED_OUT',
  'SKIPPED',
];

export const workflowStatuses: readonly WorkflowStatus[] = [
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'TERMINATED',
];

export const openStatuses: readonly WorkflowStatus[] = ['RUNNING', 'PAUSED'];

export function isTerminalWorkflow(status: WorkflowStatus): boolean {
  return status !== 'RUNNING' && status !== 'PAUSED';
}

export function isTerminalTask(status: TaskStatus): boolean {
  return status !== 'SCHEDULED' && status !== 'IN_PROGRESS';
}

/** Non-terminal statuses count as successful (semantics 1.2). */
export function isSuccessfulTask(status: TaskStatus): boolean {
  switch (status) {
    case 'SCHEDULED':
    case 'IN_PROGRESS':
    case 'COMPLETED':
    case 'COMPLETED_WITH_ERRORS':
    case 'SKIPPED':
      return true;
    case 'FAILED':
    case 'FAILED_WITH_TERMINAL_ERROR':
    case 'TIMED_OUT':
    case 'CANCELED':
      return false;
  }
}

/** Whether an automatic retry may follow this status (semantics 1.2). */
export function isRetriableTask(status: TaskStatus): boolean {
  return status !== 'CANCELED' && status !== 'FAILED_WITH_TERMINAL_ERROR' && status !== 'SKIPPED';
}
