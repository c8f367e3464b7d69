// Open tasks as callers name and leave them: found by reference, and given up as SKIPPED.
import type { Task } from '../model/execution.js';
import type { Payload } from '../model/payload.js';
import { isTerminalTask } from '../model/status.js';
import { notesOf } from './notes.js';
import type { OpenExecution } from './open-execution.js';
import { closeTask, setNotes } from './records.js';
import { plainRefOf } from './references.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

/** The first open task with this reference, exactly or without the suffix of its iteration. */
export function openTaskNamed(
  open: OpenExecution,
  ref: string,
  iteration?: number,
): Task | undefined {
  if (iteration === undefined) {
    const last = open.lastByRef(ref);
    if (last !== undefined && !isTerminalTask(last.status)) return last;
  }
  let found: Task | undefined;
  for (const task of open.openTasks) {
    if (task.ref !== ref && plainRefOf(task) !== ref) continue;
    if (iteration !== undefined && task.iteration !== iteration) continue;
    if (found === undefined || task.seq < found.seq) found = task;
  }
  return found;
}

/** Ends an open task as SKIPPED, wherever it stands: its worker loses it, its child is ended. */
export function leaveTask(
  t: Transition,
  task: Task,
  { reason, output }: { reason: string | undefined; output?: Payload },
): void {
  closeTask(t, task, {
    status: 'SKIPPED',
    ...(reason === undefined ? {} : { reason }),
    ...(output === undefined ? {} : { output }),
  });
  taskTypeOf(task).cancel(t, task);
  // A child whose start has not been answered is ended as soon as it is: nobody waits for it any
  // more.
  if (notesOf(task)['messageId'] !== undefined) setNotes(t, task, { messageId: undefined });
}
