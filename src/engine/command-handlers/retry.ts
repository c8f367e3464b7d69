// retry (semantics 1.5.6): an ended execution goes on where it failed. Form A makes new attempts of
// what failed or was cancelled; form B (`resumeSubworkflowTasks`) descends to the execution whose
// own task failed and does that there, so that children go on in place.
//
// A parent sends this command too (`asked`): `descend` while form B looks for the place, `repair`
// when the parent itself has been reopened and its other failed children are to go on in place (1.6
// step 4). A retry that is impossible here is told to the parent as a message of its own.
import type { Task } from '../../model/execution.js';
import { isTerminalWorkflow } from '../../model/status.js';
import type { Reply } from '../decision.js';
import { addMessage } from '../outbox-messages.js';
import { editedInput, refuseInputs, type TaskInputs } from '../edited-input.js';
import { reportToParent } from '../ending.js';
import {
  isOpenFailure,
  goesOnInPlace,
  markForAttempt,
  refused,
  reopenExecution,
  reopenRecord,
  reopenParent,
} from '../reopen.js';
import type { Transition } from '../transition.js';
import { taskTypeOf } from '../task-types/list.js';
import { ok, type CommandOf, type CommandHandler } from './contract.js';

export const retry: CommandHandler<'retry'> = (t, command) => {
  if (command.asked === 'repair') return repair(t);
  if (command.asked === 'descend') return descendHere(t, command);
  if (command.asked === 'stop' && !isTerminalWorkflow(t.execution.state.status)) return ok;
  const refusal = checkRetryable(t);
  if (refusal !== undefined) return refusal;
  if (!command.resumeSubworkflowTasks) return retryHere(t, command.taskInputs);
  return descend(t);
};

function checkRetryable(t: Transition): Reply | undefined {
  const { status } = t.execution.state;
  if (!isTerminalWorkflow(status)) {
    return refused('not-found', `Workflow is still running.  status=${status}`);
  }
  if (t.execution.tasks.length === 0) return refused('conflict', 'Workflow has not started yet');
  return undefined;
}

/** Form A on this execution. */
function retryHere(t: Transition, inputs: TaskInputs = {}): Reply {
  const { state } = t.execution;
  const plan = planRetry(t);
  if (isEmptyPlan(plan) && state.status !== 'TIMED_OUT') {
    return refused(
      'conflict',
      'There are no retryable tasks! Use restart if you want to attempt entire workflow execution again.',
    );
  }
  const refusal = refuseInputs(t, plan.failed, inputs);
  if (refusal !== undefined) return refused('bad-request', refusal);
  carryOut(t, plan, inputs);
  reopenParent(t, 'RETRIED');
  return ok;
}

interface RetryPlan {
  /** Newest failed or cancelled record per reference, in list order (semantics 1.5.6 step 1). */
  readonly failed: Map<string, Task>;
  /**
   * Cancelled JOIN and DO_WHILE records, and JOINs that a permissive branch failed: they just go
   * on.
   */
  readonly reopened: Task[];
}

function planRetry(t: Transition): RetryPlan {
  const plan: RetryPlan = { failed: new Map(), reopened: [] };
  const failedPermissive = new Set<string>();
  for (const task of t.execution.tasks) {
    const { permissive, optional } = task.config;
    if (permissive && !optional && task.status === 'FAILED') failedPermissive.add(task.ref);
    else failedPermissive.delete(task.ref);
  }
  for (const task of t.execution.tasks) {
    // A later attempt takes the place of an earlier one, and success takes it away.
    plan.failed.delete(task.ref);
    if (!isOpenFailure(task)) continue;
    if (goesOn(task, failedPermissive)) plan.reopened.push(task);
    else plan.failed.set(task.ref, task);
  }
  return plan;
}

function goesOn(task: Task, failedPermissive: ReadonlySet<string>): boolean {
  const type = taskTypeOf(task);
  if (task.status === 'CANCELED') return type.retry.cancelled === 'go-on';
  if (task.status !== 'FAILED' || failedPermissive.size === 0) return false;
  return type.waitsFor(task).some((ref) => failedPermissive.has(ref));
}

function isEmptyPlan(plan: RetryPlan): boolean {
  return plan.failed.size === 0;
}

function carryOut(t: Transition, plan: RetryPlan, inputs: TaskInputs = {}): void {
  reopenExecution(t, 'RETRIED');
  t.execution.state.lastRetriedTime = t.now;
  for (const task of plan.reopened) reopenRecord(t, task);
  for (const task of plan.failed.values()) {
    if (goesOnInPlace(task)) {
      task.retryCount++;
      reopenRecord(t, task);
    } else markForAttempt(t, task, editedInput(t, task, inputs));
  }
  t.open.rebuild();
}

/** Form B on the execution that the caller named or that a parent sent the search to. */
function descend(t: Transition): Reply {
  const failure = firstFailure(t);
  if (failure === undefined) return ok;
  const child = failedChild(t, failure);
  if (child?.subWorkflowId === undefined) return retryHere(t);
  addMessage(t, {
    kind: 'command-child',
    childId: child.subWorkflowId,
    taskNumber: child.number,
    operation: { kind: 'retry', resumeSubworkflowTasks: true, asked: 'descend' },
  });
  return ok;
}

function firstFailure(t: Transition): Task | undefined {
  return t.execution.tasks.find(isOpenFailure);
}

/** The SUB_WORKFLOW task that the search descends through; undefined when it stops here. */
function failedChild(t: Transition, failure: Task): Task | undefined {
  const { role } = taskTypeOf(failure);
  if (role === 'sub-workflow') return failure;
  if (role !== 'loop') return undefined;
  return t.execution.tasks.find(
    (task) => taskTypeOf(task).role === 'sub-workflow' && isOpenFailure(task),
  );
}

function descendHere(t: Transition, command: CommandOf<'retry'>): Reply {
  if (!isTerminalWorkflow(t.execution.state.status)) {
    // It runs again already: then its parents are to run as well.
    reopenParent(t, 'RETRIED');
    return ok;
  }
  if (firstFailure(t) !== undefined) return descend(t);
  const { parentWorkflowId } = t.execution.attributes;
  if (parentWorkflowId === undefined) return ok;
  // Nothing failed in here (a workflow timeout, a mapping error): the search stops at the parent.
  addMessage(t, {
    kind: 'command-other',
    targetId: parentWorkflowId,
    taskNumber: 0,
    reopenCount: 0,
    operation: { ...command, resumeSubworkflowTasks: false, asked: 'stop' },
  });
  return ok;
}

/**
 * The parent runs again and counts this child as running: go on in place, or report the end once
 * more.
 */
function repair(t: Transition): Reply {
  if (!isTerminalWorkflow(t.execution.state.status)) return ok;
  const plan = planRetry(t);
  const retryable = !isEmptyPlan(plan) || t.execution.state.status === 'TIMED_OUT';
  if (retryable && t.execution.tasks.length > 0) carryOut(t, plan);
  else reportToParent(t);
  return ok;
}
