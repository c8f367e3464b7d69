// Acts on a deadline that has come (semantics 2.4, 2.5): the workflow times out, a task times out
// by its policy, a WAIT ends, a delayed system task starts. Called by `wake`, `resume` and
// `decide`; never while PAUSED, except for the workflow timeout.
import type { Task } from '../model/execution.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import { deadlineKinds, deadlineOf, type DeadlineKind, workflowDeadline } from './deadlines.js';
import { failExecution, taskIdIn } from './ending.js';
import { closeTask, endTask } from './records.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Fires the workflow timeout if it is due. */
export function checkWorkflowTimeout(t: Transition): void {
  const { execution, open, now } = t;
  const { state, snapshot } = execution;
  const dueAt = workflowDeadline(execution);
  if (dueAt === 0 || now < dueAt || isTerminalWorkflow(state.status)) return;
  const { timeoutSeconds, timeoutPolicy } = snapshot.def;
  if (timeoutPolicy === 'ALERT_ONLY') {
    if (open.alerted.has('workflow')) return;
    open.alerted.add('workflow');
    t.emit({ kind: 'count', metric: 'workflow_timeout', label: snapshot.def.name });
    return;
  }
  const elapsed = Math.floor((now - (dueAt - timeoutSeconds * 1000)) / 1000);
  failExecution(t, {
    status: 'TIMED_OUT',
    reason:
      `Workflow timed out after ${elapsed} seconds. Timeout configured as ${timeoutSeconds} seconds. ` +
      `Timeout policy configured to ${timeoutPolicy}`,
  });
}

/**
 * Fires the due deadlines of tasks, at most `limit` tasks; those left are due at once (`nextWakeAt`
 * lies in the past).
 */
export function fireDueDeadlines(t: Transition, limit: number): void {
  for (let left = limit; left > 0; left--) {
    if (isTerminalWorkflow(t.execution.state.status)) return;
    const task = t.open.deadlines.popDue(t.now);
    if (task === undefined) return;
    fireTask(t, task);
    if (!isTerminalTask(task.status)) t.open.arm(task);
  }
}

/** Fires what is due for one task. */
function fireTask(t: Transition, task: Task): void {
  for (const kind of deadlineKinds) {
    if (isTerminalTask(task.status) || isTerminalWorkflow(t.execution.state.status)) return;
    const at = deadlineOf(task, taskTypeOf(task), kind);
    if (at !== 0 && t.now >= at && !t.open.alerted.has(`${task.number}:${kind}`))
      fire(t, task, kind);
  }
}

function fire(t: Transition, task: Task, kind: DeadlineKind): void {
  switch (kind) {
    case 'total':
      return byPolicy(t, task, kind, {
        name: 'Task total',
        elapsedMs: t.now - task.firstScheduledAt,
        seconds: task.config.taskDefinition?.totalTimeoutSeconds ?? 0,
      });
    case 'task':
      return byPolicy(t, task, kind, {
        name: 'Task',
        elapsedMs: t.now - task.startAt - task.startDelaySeconds * 1000,
        seconds: task.config.taskDefinition?.timeoutSeconds ?? 0,
      });
    case 'poll':
      return byPolicy(t, task, kind, {
        name: 'Task poll',
        elapsedMs: t.now - task.scheduledAt - task.startDelaySeconds * 1000,
        seconds: task.config.taskDefinition?.pollTimeoutSeconds ?? 0,
      });
    case 'response':
      return endByResponseTimeout(t, task);
    case 'timer':
      return taskTypeOf(task).timerFired(t, task);
    case 'run':
      taskTypeOf(task).startDelayed(t, task);
  }
}

/** The policy is not consulted; the retry rule follows (semantics 2.5). */
export function endByResponseTimeout(t: Transition, task: Task): void {
  const seconds = task.config.taskDefinition?.responseTimeoutSeconds ?? task.responseTimeoutSeconds;
  endTask(t, task, {
    status: 'TIMED_OUT',
    reason: `responseTimeout: ${seconds} exceeded for the taskId: ${taskIdIn(t, task)} with Task Definition: ${task.defName}`,
  });
}

interface Overdue {
  name: string;
  elapsedMs: number;
  seconds: number;
}

function byPolicy(t: Transition, task: Task, kind: DeadlineKind, overdue: Overdue): void {
  const policy = task.config.taskDefinition?.timeoutPolicy ?? 'TIME_OUT_WF';
  if (policy === 'ALERT_ONLY') {
    t.open.alerted.add(`${task.number}:${kind}`);
    t.emit({ kind: 'count', metric: 'task_timeout', label: task.defName });
    return;
  }
  const elapsed = Math.floor(overdue.elapsedMs / 1000);
  const label = kind === 'poll' ? 'Poll timeout' : 'Timeout';
  const reason =
    kind === 'total'
      ? `Task ${task.defName}/${taskIdIn(t, task)} exceeded total timeout of ${overdue.seconds} seconds ` +
        `(elapsed ${elapsed} seconds across all attempts including retry delays). Timeout policy: ${policy}`
      : `${overdue.name} timed out after ${elapsed} seconds. ` +
        `${label} configured as ${overdue.seconds} seconds. Timeout policy configured to ${policy}`;
  if (policy === 'RETRY') {
    endTask(t, task, { status: 'TIMED_OUT', reason });
    return;
  }
  closeTask(t, task, { status: 'TIMED_OUT', reason });
  failExecution(t, { status: 'TIMED_OUT', reason, task });
}
