// Takes back the start of another execution that a record has asked for.
import type { Task } from '../../model/execution.js';
import { notesOf } from '../notes.js';
import { removeMessage } from '../outbox-messages.js';
import { setNotes } from '../records.js';
import type { Transition } from '../transition.js';

/**
 * A record that is cancelled in the step that made it starts nothing: its message is taken back.
 * False: it has left before, or there is none.
 */
export function takeBackStart(t: Transition, task: Task): boolean {
  const { messageId } = notesOf(task);
  if (typeof messageId !== 'number' || !t.changes.outboxAdded.has(messageId)) return false;
  removeMessage(t, messageId);
  t.retract((output) => output.kind === 'send' && output.message.id === messageId);
  setNotes(t, task, { messageId: undefined });
  return true;
}
