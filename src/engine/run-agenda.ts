// Works the agenda off until the execution is at rest, parked on a script, or at the budget of one
// step.
import type { Task } from '../model/execution.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import type { AgendaItem } from './agenda.js';
import { completeExecution, failExecution, permissiveFailures } from './ending.js';
import { ExpressionRefusal } from './expression/refusal.js';
import { branchesOf } from './fork-branches.js';
import { closeTask, endTask } from './records.js';
import { reopenTask } from './reopen.js';
import { findNext, scheduleNode } from './schedule.js';
import { markExecuted, settleTask } from './settle.js';
import { taskTypeOf } from './task-types/list.js';
import type { ExecutionState, Transition } from './transition.js';
import { runWhilePaused } from './while-paused.js';

export function runAgenda(t: Transition): void {
  const { open, execution } = t;
  if (open.parked !== undefined) return;
  if (execution.state.status === 'PAUSED') return runWhilePaused(t);
  let left = t.context.limits.itemsPerStepMax;
  for (left -= t.takeSpent(); left > 0; left -= 1 + t.takeSpent()) {
    const item = open.agenda.shift();
    if (item === undefined) {
      if (!checkCompletion(t)) return;
      continue;
    }
    if (runWithin(t, item) === 'parked') {
      open.agenda.prepend([item]);
      return;
    }
    t.flushFirst();
    if (open.agenda.isEmpty && !checkCompletion(t)) return;
  }
}

/** An item whose expressions give what may not be stored or read ends its task or the execution. */
function runWithin(t: Transition, item: AgendaItem): ExecutionState {
  try {
    return runItem(t, item);
  } catch (error) {
    if (!(error instanceof ExpressionRefusal)) throw error;
    const reason = error.sentence('What its expressions come to');
    if (item.kind === 'execute') {
      endTask(t, item.task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason });
    } else failExecution(t, { status: 'FAILED', reason });
    return 'done';
  }
}

function runItem(t: Transition, item: AgendaItem): ExecutionState {
  const ended = isTerminalWorkflow(t.execution.state.status);
  if (item.kind === 'cancel-leftovers') {
    if (ended) cancelLeftovers(t);
    return 'done';
  }
  if (ended) return 'done';
  switch (item.kind) {
    case 'begin':
      if (t.execution.state.room?.isHeld !== true) begin(t);
      return 'done';
    case 'settle':
      if (item.nextRound) t.push({ kind: 'settle', task: item.task });
      else settleTask(t, item.task);
      return 'done';
    case 'reopen':
      reopenTask(t, item.task);
      return 'done';
    case 'map': {
      const next = findNext(t, item.node, item.iteration);
      if (next !== undefined) scheduleNode(t, next, item.iteration);
      return 'done';
    }
    case 'expand':
      expandFork(t, item.fork, item.branch);
      return 'done';
    case 'execute':
      return isTerminalTask(item.task.status)
        ? 'done'
        : (taskTypeOf(item.task).execute?.(t, item.task) ?? 'done');
  }
}

/** Start rule (semantics 2.3 step 1). */
function begin(t: Transition): void {
  const { top } = t.open.nodes.graph;
  if (top.length === 0) {
    completeExecution(t, { reason: 'No tasks found to be executed' });
    return;
  }
  const next = findNext(t, top[0], 0);
  if (next !== undefined) scheduleNode(t, next, 0);
}

/**
 * One branch of a fork, then the next one; after the last the fork is consumed and its JOIN follows
 * (semantics 4.3).
 */
function expandFork(t: Transition, fork: Task, branch: number): void {
  if (fork.executed) return;
  const head = t.open.nodes.branchHead(fork, branch);
  if (head === 'invalid') {
    const branches = branchesOf(fork);
    const { reason } = branches.kind === 'invalid' ? branches : branches.invalid;
    failExecution(t, { status: 'FAILED', reason });
    return;
  }
  if (head !== undefined) {
    const next = findNext(t, head, fork.iteration);
    // A branch that is skipped entirely leads to the JOIN, which comes after all branches.
    if (next !== undefined && next !== t.open.nodes.of(fork)?.next) {
      scheduleNode(t, next, fork.iteration);
    }
    t.pushFirst({ kind: 'expand', fork, branch: branch + 1 });
    return;
  }
  const join = findNext(t, t.open.nodes.of(fork)?.next, fork.iteration);
  if (join !== undefined) scheduleNode(t, join, fork.iteration);
  if (isTerminalWorkflow(t.execution.state.status)) return;
  t.open.nodes.expanded(fork);
  markExecuted(t, fork);
}

/** Cancels tasks that are not terminal, as many as fit (semantics 1.5.8 step 5). */
function cancelLeftovers(t: Transition): void {
  let left = cancelledPerItemMax;
  for (const task of t.open.openTasks) {
    if (left-- === 0) {
      t.pushFirst({ kind: 'cancel-leftovers' });
      return;
    }
    closeTask(t, task, { status: 'CANCELED' });
    taskTypeOf(task).cancel?.(t, task);
  }
}

/** Tasks cancelled by one agenda item. */
const cancelledPerItemMax = 10;

/**
 * Completion (semantics 2.3 steps 8 and 9), looked at only when nothing is open and nothing is left
 * to do: then every consumed record has its successors, and what remains is whether the definition
 * was gone through. True when the execution ended.
 */
function checkCompletion(t: Transition): boolean {
  const { open, execution } = t;
  if (execution.state.status !== 'RUNNING' || open.openTasks.size > 0) return false;
  if (execution.tasks.length === 0) return false;
  for (const node of open.nodes.graph.top) {
    const last = open.lastByRef(node.ref);
    if (last === undefined || !isTerminalTask(last.status)) return false;
  }
  const reason = permissiveFailures(t);
  if (reason !== undefined) failExecution(t, { status: 'FAILED', reason });
  else completeExecution(t, {});
  return true;
}
