// rerun (semantics 1.5.7): an ended execution runs again from its beginning or from one of its
// tasks. From a task it works in place: the target keeps its id, seq and retryCount (its
// reopenCount number rises), what came after it goes, and everything that failed beside it is
// carried out again. A task of a child is rerun by a command to the child; its parents are then
// reopened up the chain (1.6).
import { taskIdOf } from '../../std/ids.js';
import type { Task } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import type { JsonMap } from '../../model/json.js';
import { isTerminalWorkflow } from '../../model/status.js';
import { taskPart, type Reply } from '../decision.js';
import { documentOf } from '../execution-document.js';
import { ExpressionRefusal } from '../expression/refusal.js';
import { evaluateInput } from '../expression/task-input.js';
import { hasNoInput } from '../notes.js';
import { removeAllTasks, removeTasks, removeTerminates, repairFlow } from '../repair-flow.js';
import {
  clearFailures,
  isOpenFailure,
  goesOnInPlace,
  nameVersionId,
  refused,
  reopenExecution,
  reopenFork,
  reopenRecord,
  resetRecord,
  reopenParent,
} from '../reopen.js';
import { taskTypeOf } from '../task-types/list.js';
import type { Transition } from '../transition.js';
import { ok, type CommandOf, type CommandHandler } from './contract.js';

export const rerun: CommandHandler<'rerun'> = (t, command) => {
  const running = refusalWhileRunning(t);
  if (running !== undefined) return running;
  if (command.taskNumber === undefined) rerunFromStart(t, command);
  else {
    const task = t.open.byNumber.get(command.taskNumber);
    const refusal = checkTarget(t, command, task);
    if (refusal !== undefined) return refusal;
    rerunFrom(t, command, task as Task);
  }
  return ok;
};

/**
 * The task to run again is a descendant's, which gets a command of its own and reopens this
 * execution (semantics 1.5.7 case A); input and correlation id are those of the execution that the
 * caller named.
 */
export const rerunBelow: CommandHandler<'rerun-below'> = (t, command) => {
  const running = refusalWhileRunning(t);
  if (running !== undefined) return running;
  replaceHeader(t, command);
  t.changes.state = true;
  return ok;
};

function refusalWhileRunning(t: Transition): Reply | undefined {
  const { status } = t.execution.state;
  if (isTerminalWorkflow(status)) return undefined;
  const message = `Workflow: ${nameVersionId(t)}.${status} is not in terminal state, unable to rerun.`;
  return refused('conflict', message);
}

function checkTarget(
  t: Transition,
  command: CommandOf<'rerun'>,
  task: Task | undefined,
): Reply | undefined {
  const id = taskIdOf(t.execution.id, command.taskNumber ?? 0);
  if (task === undefined) return refused('bad-request', `Task ${id} not found`);
  if (task.status === 'SKIPPED') {
    return refused('bad-request', `Task ${id} was skipped, there is nothing to run again`);
  }
  const { taskInput } = command;
  if (taskInput === undefined) return undefined;
  const reason = taskTypeOf(task).rerun.refuseInput(taskInput, id, t.now);
  return reason === undefined ? undefined : refused('bad-request', reason);
}

function rerunFromStart(t: Transition, command: CommandOf<'rerun'>): void {
  removeAllTasks(t);
  reopen(t, command, 'RERAN');
  t.open.rebuild();
  reopenParent(t, 'RERAN');
}

/** The event of a rerun from a task is RETRIED (semantics 1.5.7). */
function rerunFrom(t: Transition, command: CommandOf<'rerun'>, target: Task): void {
  reopen(t, command, 'RETRIED');
  const isChild = taskTypeOf(target).role === 'sub-workflow';
  if (isChild && !lacksInput(command, target)) rerunChild(t, command, target);
  else rerunTask(t, command, target);
  t.open.rebuild();
  reopenParent(t, 'RERAN');
}

/**
 * Status and header of the new run. Output, variables and endTime of the old one stay until they
 * are overwritten.
 */
function reopen(t: Transition, command: CommandOf<'rerun'>, event: 'RERAN' | 'RETRIED'): void {
  reopenExecution(t, event);
  clearFailures(t);
  t.execution.state.lastRetriedTime = t.now;
  replaceHeader(t, command);
}

function replaceHeader(
  t: Transition,
  command: CommandOf<'rerun'> | CommandOf<'rerun-below'>,
): void {
  const { execution, changes } = t;
  execution.state.reRunFromWorkflowId = execution.id;
  if (command.workflowInput !== undefined) {
    execution.input = Payload.of(command.workflowInput);
    changes.input = true;
  }
  if (command.correlationId !== undefined) {
    execution.attributes = { ...execution.attributes, correlationId: command.correlationId };
    changes.attributes = true;
  }
}

/** Case B: a new child under the same record; nothing else goes, parallel branches survive. */
function rerunChild(t: Transition, command: CommandOf<'rerun'>, target: Task): void {
  const gone = [...removeTerminates(t), ...removeRefused(t, target)];
  resetRecord(t, target, { forgetReason: true });
  if (command.taskInput !== undefined) {
    setInput(t, target, { ...target.input.value, workflowInput: command.taskInput });
  }
  repairSiblings(t, target);
  if (gone.length === 0) return;
  t.open.rebuild();
  repairFlow(t, gone, []);
}

/** Cases C and D: everything scheduled after the target goes. */
function rerunTask(t: Transition, command: CommandOf<'rerun'>, target: Task): void {
  const { state } = t.execution;
  const isMadeAnew = lacksInput(command, target) || taskTypeOf(target).role === 'dynamic-fork';
  const gone = removeTasks(t, (task) => task.seq > target.seq || (isMadeAnew && task === target));
  state.seqCounter = isMadeAnew ? target.seq - 1 : target.seq;
  for (const task of gone) unsupersede(t, task);
  gone.push(...removeRefused(t, target));
  if (!isMadeAnew) resetTarget(t, target);
  repairSiblings(t, target);
  t.open.rebuild();
  repairFlow(t, gone, [target]);
  if (!isMadeAnew) renewInput(t, command, target);
}

function lacksInput(command: CommandOf<'rerun'>, target: Task): boolean {
  return command.taskInput === undefined && hasNoInput(target);
}

/**
 * Removes the records beside the target that were refused their input: the flow makes them anew,
 * with the input that they have now, or refuses them again.
 */
function removeRefused(t: Transition, target: Task): Task[] {
  return removeTasks(t, (task) => task !== target && isOpenFailure(task) && hasNoInput(task));
}

/** An attempt is gone: the one that it took the place of is the newest again. */
function unsupersede(t: Transition, gone: Task): void {
  if (gone.retriedTaskNumber === undefined) return;
  const before = t.open.byNumber.get(gone.retriedTaskNumber);
  if (before === undefined || t.changes.removedTasks.has(before.number)) return;
  before.retried = false;
  before.executed = false;
  t.touch(before, taskPart.record);
}

function resetTarget(t: Transition, target: Task): void {
  const { role } = taskTypeOf(target);
  if (role === 'fork') return reopenFork(t, target);
  resetRecord(t, target, { forgetReason: false });
  target.firstScheduledAt = t.now;
  if (role === 'loop') target.iteration = 0;
}

/**
 * The given input replaces the old one. Without one, what the engine carries out itself is
 * evaluated as if newly scheduled; workers and the server get the input that they had.
 */
function renewInput(t: Transition, command: CommandOf<'rerun'>, target: Task): void {
  const input = command.taskInput ?? evaluatedInput(t, target);
  if (input !== undefined) setInput(t, target, input);
  taskTypeOf(target).rerun.renew(t, target);
}

/** undefined: the record keeps its input. */
function evaluatedInput(t: Transition, task: Task): JsonMap | undefined {
  const node = t.open.nodes.of(task);
  const { input } = taskTypeOf(task).rerun;
  if (node === undefined || input === 'kept') return undefined;
  const template = input === 'parameters' ? undefined : task.config.taskDefinition?.inputTemplate;
  const document = documentOf(t, taskIdOf(t.execution.id, task.number));
  try {
    return evaluateInput(template, node.input, document);
  } catch (error) {
    // The task is carried out with the input that it has.
    if (error instanceof ExpressionRefusal) return undefined;
    throw error;
  }
}

function setInput(t: Transition, task: Task, input: JsonMap): void {
  task.input = Payload.of(input);
  t.touch(task, taskPart.input | taskPart.record);
}

/**
 * Carries out again in place the tasks that failed or were cancelled beside the target (semantics
 * 1.5.7, "finalize").
 */
function repairSiblings(t: Transition, target: Task): void {
  for (const task of t.execution.tasks) {
    if (task === target || task.ref === target.ref || !isOpenFailure(task)) continue;
    if (goesOnInPlace(task)) reopenRecord(t, task, { forgetReason: true, forgetEnd: true });
    else resetRecord(t, task, { forgetReason: true });
  }
}
