// Notes in a task's record that a control operation has decided to reopen it and the agenda has not
// done so yet. They make long repairs (retry of a fork of 10,000) both bounded per step and safe
// against a crash half-way: the next load of the execution finds them and goes on.
import type { Task } from '../model/execution.js';
import { isSuccessfulTask } from '../model/status.js';
import { notesOf } from './notes.js';

/**
 * `attempt`: a new attempt is to be made of it (retry). `again`: the record has been reset and is
 * to be carried out again.
 */
export type ReopenMark = 'attempt' | 'again';

/** Key of the mark in a task's private notes. */
export const reopenMarkKey = 'reopen';

/** The mark, if it still holds: a record that has ended or been superseded since is past it. */
export function reopenMarkOf(task: Task): ReopenMark | undefined {
  if (task.notes === undefined) return undefined;
  const mark = notesOf(task)[reopenMarkKey];
  if (mark === 'again') return task.status === 'SCHEDULED' ? mark : undefined;
  if (mark === 'attempt') return task.retried || isSuccessfulTask(task.status) ? undefined : mark;
  return undefined;
}
