// signal (semantics 1.7): ends the first task that waits for somebody.
import type { Task } from '../../model/execution.js';
import { isTerminalWorkflow } from '../../model/status.js';
import { taskTypeOf } from '../task-types/list.js';
import type { Transition } from '../transition.js';
import type { CommandHandler } from './contract.js';
import { reportTask } from './update-task.js';

/**
 * The body is merged into the task's output. Without a blocked task here the children to search
 * next are named.
 */
export const signal: CommandHandler<'signal'> = (t, { status, output }) => {
  if (isTerminalWorkflow(t.execution.state.status))
    return { kind: 'no-blocked-task', children: [] };
  const open = openTasksInOrder(t);
  const blocked = open.find((task) => taskTypeOf(task).takesSignals);
  if (blocked !== undefined) {
    const result = { status, output, callbackAfterSeconds: 0, extendLease: false };
    return reportTask(t, blocked, result, true);
  }
  const parents = open.filter((task) => taskTypeOf(task).role === 'sub-workflow');
  return {
    kind: 'no-blocked-task',
    children: parents.flatMap((task) => task.subWorkflowId ?? []),
  };
};

function openTasksInOrder(t: Transition): Task[] {
  return [...t.open.openTasks].sort((a, b) => a.seq - b.seq);
}
