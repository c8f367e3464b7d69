// child-reopened (semantics 1.6): a child of this execution runs again after a restart, retry or
// rerun, so its SUB_WORKFLOW task, this execution and in turn its parents run again. One turn does
// it all: the siblings that the failure took along are repaired before anything of the flow is
// looked at. Repeated, late and orphaned messages find nothing to do.
import type { Task } from '../../model/execution.js';
import { isTerminalTask, isTerminalWorkflow } from '../../model/status.js';
import { addMessage } from '../outbox-messages.js';
import { removeTerminates, repairFlow } from '../repair-flow.js';
import {
  clearFailures,
  isOpenFailure,
  goesOnInPlace,
  reopenExecution,
  reopenRecord,
  resetRecord,
  reopenParent,
} from '../reopen.js';
import { taskTypeOf } from '../task-types/list.js';
import type { Transition } from '../transition.js';
import { ok, type CommandOf, type CommandHandler } from './contract.js';

export const childReopened: CommandHandler<'child-reopened'> = (t, command) => {
  const task = t.open.byNumber.get(command.taskNumber);
  if (task === undefined || !isRevivable(task, command)) return ok;
  const wasEnded = isTerminalWorkflow(t.execution.state.status);
  if (wasEnded) reopenThis(t, command);
  reopenChildTask(t, task, command);
  const ended = wasEnded ? removeTerminates(t) : [];
  if (wasEnded) repairSiblings(t);
  t.open.rebuild();
  if (ended.length > 0) {
    repairFlow(t, ended, [task]);
    t.open.rebuild();
  }
  if (wasEnded) reopenParent(t, command.operation);
  return ok;
};

/**
 * Not a task of an older run, not superseded, not optional, and not running already (semantics 1.6
 * step 1).
 */
function isRevivable(task: Task, command: CommandOf<'child-reopened'>): boolean {
  return (
    taskTypeOf(task).role === 'sub-workflow' &&
    task.subWorkflowId === command.childId &&
    !task.retried &&
    !task.config.optional &&
    isTerminalTask(task.status)
  );
}

function reopenThis(t: Transition, command: CommandOf<'child-reopened'>): void {
  reopenExecution(t, command.operation);
  clearFailures(t);
  t.execution.state.lastRetriedTime = t.now;
}

function reopenChildTask(t: Transition, task: Task, command: CommandOf<'child-reopened'>): void {
  const isRerun = command.operation === 'RERAN';
  reopenRecord(t, task, { forgetReason: true, forgetEnd: isRerun });
  if (!isRerun) return;
  task.startAt = t.now;
  task.pollCount = 0;
}

/** Semantics 1.6 step 4, and the failed JOINs of its decide. */
function repairSiblings(t: Transition): void {
  for (const task of t.execution.tasks) {
    if (!isOpenFailure(task)) continue;
    const { role } = taskTypeOf(task);
    if (role === 'sub-workflow' && task.subWorkflowId !== undefined) {
      reopenSibling(t, task);
    } else if (goesOnInPlace(task)) {
      if (task.status === 'CANCELED' || role !== 'loop') reopenRecord(t, task);
    } else if (task.status === 'CANCELED') {
      task.retryCount++;
      resetRecord(t, task, { forgetReason: true });
    }
  }
}

/**
 * Another child that failed or was terminated along with this execution goes on in place; it
 * answers with its end if it cannot.
 */
function reopenSibling(t: Transition, task: Task): void {
  reopenRecord(t, task, { forgetReason: true });
  addMessage(t, {
    kind: 'command-child',
    childId: task.subWorkflowId as NonNullable<Task['subWorkflowId']>,
    taskNumber: task.number,
    operation: { kind: 'retry', resumeSubworkflowTasks: false, asked: 'repair' },
  });
}
