// Tells which part carries out a task: a worker that polls, the engine itself, or the server
// because it does I/O (semantics 4.0.1). The answer follows from the record (task-types/list.ts).
import type { Task } from '../model/execution.js';
import { isTerminalTask } from '../model/status.js';
import { delayedStartAt } from './deadlines.js';
import { notesOf, outsideNote } from './notes.js';
import { taskTypeOf } from './task-types/list.js';

/** Whether workers poll for this task. */
export function isWorkerTask(task: Task): boolean {
  return taskTypeOf(task).carriedOutBy === 'worker';
}

/** Whether the server runs this task because it does I/O. */
export function isServerTask(task: Task): boolean {
  return taskTypeOf(task).carriedOutBy === 'server';
}

/** The type of the system-task folder whose run carries out or enters this task of the server. */
export function serverRunOf(task: Task): string {
  return taskTypeOf(task).enteredAs ?? task.taskType;
}

/**
 * Whether the server is to run this task now: it does not wait for its delay or its next run (the
 * engine asks for it at that time), nor for a report from outside.
 */
export function isRunWanted(task: Task): boolean {
  if (isTerminalTask(task.status) || !isServerTask(task)) return false;
  return delayedStartAt(task) === 0 && notesOf(task)[outsideNote] !== true;
}
