// When an execution wants to be woken.
import { isTerminalWorkflow } from '../model/status.js';
import { workflowDeadline } from './deadlines.js';
import type { OpenExecution } from './open-execution.js';

/** When the execution wants the command `wake`, epoch ms; 0 = never. In the past: at once. */
export function nextWakeAt(open: OpenExecution): number {
  const { status } = open.execution.state;
  if (isTerminalWorkflow(status)) return 0;
  const workflowAt = open.alerted.has('workflow') ? 0 : workflowDeadline(open.execution);
  const taskAt = status === 'PAUSED' ? nextTimer(open) : open.deadlines.nextAt;
  if (workflowAt === 0 || taskAt === 0) return workflowAt + taskAt;
  return Math.min(workflowAt, taskAt);
}

/**
 * The earliest timer of a type's own (WAIT): the only deadline of a task that a pause does not hold
 * back (while-paused.ts).
 */
function nextTimer(open: OpenExecution): number {
  let earliest = 0;
  for (const task of open.openTasks) {
    const at = open.types.of(task).timerAt(task);
    if (at !== 0 && (earliest === 0 || at < earliest)) earliest = at;
  }
  return earliest;
}
