// Consumes terminal records, one at a time (semantics 2.3 step 6): a failed one is retried, passed over or ends the execution; then
// its successors get their records and whoever waited for it is looked at again.
import type { Task } from '../model/execution.js';
import { isSuccessfulTask, isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import { taskPart } from './decision.js';
import { failExecution, taskIdIn } from './ending.js';
import { judgeRetry, retryTask } from './retry.js';
import { findNext, scheduleNode } from './schedule.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

export function settleTask(t: Transition, task: Task): void {
  if (task.executed || task.retried || task.status === 'SKIPPED') return;
  if (!isTerminalTask(task.status) || isTerminalWorkflow(t.execution.progress.status)) return;
  if (!isSuccessfulTask(task.status) && !passOver(t, task)) return;
  const type = taskTypeOf(task);
  if (type.settle?.(t, task) === true) return;
  const node = t.open.nodeOf(task);
  const named = node === undefined ? undefined : (type.successor?.(t, task, node) ?? node.next);
  const next = findNext(t, named, task.iteration);
  if (task.config.optional && !isSuccessfulTask(task.status))
    markOptional(t, task, next !== undefined);
  if (next !== undefined) scheduleNode(t, next, task.iteration);
  if (isTerminalWorkflow(t.execution.progress.status)) return;
  markExecuted(t, task);
}

/** The flow is past this record. */
export function markExecuted(t: Transition, task: Task): void {
  task.executed = true;
  t.touch(task, taskPart.record);
  t.open.consumed(task, true);
}

/** Retries a failed task or ends the execution; true when the flow goes on regardless (optional, permissive). */
function passOver(t: Transition, task: Task): boolean {
  const verdict = judgeRetry(t, task);
  if (verdict.kind === 'retry') {
    retryTask(t, task);
    return false;
  }
  if (task.config.optional || task.config.permissive) return true;
  const status = statusAfter(task);
  const reason =
    verdict.reason ??
    `Task ${taskIdIn(t, task)} failed with status: ${status} and reason: '${task.reason ?? 'null'}'`;
  failExecution(t, { status, reason, task });
  return false;
}

function statusAfter(task: Task): 'FAILED' | 'TIMED_OUT' | 'TERMINATED' {
  if (task.status === 'CANCELED') return 'TERMINATED';
  return task.status === 'TIMED_OUT' ? 'TIMED_OUT' : 'FAILED';
}

/**
 * An optional task that failed becomes COMPLETED_WITH_ERRORS when anything follows it. As the very last step it keeps its status
 * and the execution completes (semantics 2.7.2, observed).
 */
function markOptional(t: Transition, task: Task, hasSuccessor: boolean): void {
  const { open } = t;
  if (!hasSuccessor && open.openTasks.size === 0 && open.agenda.isEmpty) return;
  task.status = 'COMPLETED_WITH_ERRORS';
}
