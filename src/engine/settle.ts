// Consumes terminal records, one at a time (semantics 2.3 step 6): a failed one is retried, passed
// over or ends the execution; then its successors get their records and the tasks that waited for
// it are evaluated again.
import type { Task } from '../model/execution.js';
import { isSuccessfulTask, isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import { taskPart } from './decision.js';
import { failExecution, taskIdIn } from './ending.js';
import type { GraphNode } from './compile.js';
import { endTask } from './records.js';
import { refInIteration } from './references.js';
import { judgeRetry, retryTask } from './retry.js';
import { findNext, iterationOf, scheduleNode } from './schedule.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

export function settleTask(t: Transition, task: Task): void {
  if (task.executed || task.retried || task.status === 'SKIPPED') return;
  if (!isTerminalTask(task.status) || isTerminalWorkflow(t.execution.state.status)) return;
  if (!isSuccessfulTask(task.status) && !passOver(t, task)) return;
  const type = taskTypeOf(task);
  if (type.settle?.(t, task) === true) return;
  const node = t.open.nodes.of(task);
  const named = node === undefined ? undefined : (type.successor?.(t, task, node) ?? node.next);
  const next = findNext(t, named, task.iteration);
  if (task.config.optional && !isSuccessfulTask(task.status))
    markOptional(t, task, next !== undefined);
  scheduleNext(t, next, task.iteration);
  if (isTerminalWorkflow(t.execution.state.status)) return;
  if (!isSuccessfulTask(task.status) && task.iteration > 0) failLoopOf(t, task, node);
  markExecuted(t, task);
}

/**
 * Goes on behind a task that was open and is SKIPPED now. It does so in the decision that skips the
 * task, because a SKIPPED record is never consumed later: loading steps over it.
 */
export function passSkipped(t: Transition, task: Task): void {
  const next = findNext(t, t.open.nodes.of(task)?.nextIfSkipped, task.iteration);
  scheduleNext(t, next, task.iteration);
  if (!isTerminalWorkflow(t.execution.state.status)) t.open.consumed(task, true);
}

function scheduleNext(t: Transition, next: GraphNode | undefined, iteration: number): void {
  if (next === undefined || isJoinToCome(t, next, iteration)) return;
  scheduleNode(t, next, iteration);
}

/**
 * A branch that ends while its fork is still given branches (a SWITCH without a match): the JOIN
 * comes after all of them.
 */
function isJoinToCome(t: Transition, next: GraphNode, iteration: number): boolean {
  if (next.config.type !== 'JOIN' || next.previous === undefined) return false;
  const fork = t.open.lastByRef(refInIteration(next.previous.ref, iterationOf(next, iteration)));
  return fork?.taskType === 'FORK' && fork.status === 'COMPLETED' && !fork.executed;
}

/**
 * A loop does not go on behind a failure of a member, though the flow does behind a permissive one
 * (semantics 4.9.2).
 */
function failLoopOf(t: Transition, member: Task, node: GraphNode | undefined): void {
  const loop = node?.loop === undefined ? undefined : t.open.lastByRef(node.loop.ref);
  if (loop !== undefined) {
    endTask(t, loop, { status: 'FAILED', reason: `${member.reason ?? 'null'} ` });
  }
}

/** The flow is past this record. */
export function markExecuted(t: Transition, task: Task): void {
  task.executed = true;
  t.touch(task, taskPart.record);
  t.open.consumed(task, true);
}

/**
 * Retries a failed task or ends the execution; true when the flow goes on regardless (optional,
 * permissive).
 */
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
 * An optional task that failed becomes COMPLETED_WITH_ERRORS when anything follows it. As the very
 * last step it keeps its status and the execution completes (semantics 2.7.2, observed).
 */
function markOptional(t: Transition, task: Task, hasSuccessor: boolean): void {
  const { open } = t;
  if (!hasSuccessor && open.openTasks.size === 0 && open.agenda.isEmpty) return;
  task.status = 'COMPLETED_WITH_ERRORS';
  // The tasks that follow may end the execution before the record is marked as consumed.
  t.touch(task, taskPart.record);
}
