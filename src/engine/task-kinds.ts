// Who carries out a task: a worker that polls, the engine itself, or the server because it does I/O
// (semantics 4.0.1). The answer follows from the record (task-types/list.ts).
import type { Task } from '../model/execution.js';
import { delayedStartAt } from './deadlines.js';
import { taskTypeOf } from './task-types/list.js';

/** Whether workers poll for this task. */
export function isWorkerTask(task: Task): boolean {
  return taskTypeOf(task).carriedOutBy === 'worker';
}

/** Whether the server runs this task because it does I/O. */
export function isServerTask(task: Task): boolean {
  return taskTypeOf(task).carriedOutBy === 'server';
}

/**
 * Whether a system task waits for a later start (start delay, retry delay): the engine asks for its
 * run at that time.
 */
export function isRunPutOff(task: Task): boolean {
  return delayedStartAt(task) > 0;
}
