// System tasks that are to start later (startDelay, retry delay; semantics 4.0.4): the moment
// stands in their notes as `runAt`, the deadline heap calls `start` then.
import type { Task } from '../../model/execution.js';
import { setNotes } from '../records.js';
import type { Transition } from '../transition.js';

/** Puts the start off when the record has a delay; false: start now. */
export function delayRun(t: Transition, task: Task): boolean {
  const delayMs =
    task.callbackAfterMs > 0 ? task.callbackAfterMs : task.callbackAfterSeconds * 1000;
  if (delayMs <= 0) return false;
  runLater(t, task, delayMs);
  return true;
}

/** Calls `start` of the task's type after `delayMs`. */
export function runLater(t: Transition, task: Task, delayMs: number): void {
  setNotes(t, task, { runAt: t.now + delayMs });
  t.open.arm(task);
}
