// Work that continues while an execution is PAUSED (observed): a pause holds the flow back, not
// what the server waits for. A WAIT ends at its time and a JOIN whose branches have all succeeded
// completes; what follows them waits for the resume.
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Ends the open records of a paused execution that have nothing left to wait for. */
export function runWhilePaused(t: Transition): void {
  for (const task of t.open.openTasks) taskTypeOf(task).whilePaused(t, task);
}
