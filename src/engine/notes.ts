// The private notes that a task type keeps in a record. Nobody outside the engine sees them.
import type { Task } from '../model/execution.js';
import { isMap, type JsonMap } from '../model/json.js';

const noNotes: JsonMap = {};

/** The notes of a record; an empty map when it has none. Treat it as frozen. */
export function notesOf(task: Task): JsonMap {
  return isMap(task.notes) ? task.notes : noNotes;
}

/** The note of a record that the server carries out itself because it does I/O. */
export const serverRunNotes: Readonly<JsonMap> = { server: true };

/** Whether a record has that note. */
export function isServerRun(task: Task): boolean {
  return notesOf(task)['server'] === true;
}

/** The note of a record that a mock of a test stands for (task-types/mocked.ts). */
export const mockNotes: Readonly<JsonMap> = { mock: true };

/** Whether a record has that note. */
export function isMocked(task: Task): boolean {
  return task.notes !== undefined && notesOf(task)['mock'] === true;
}

/**
 * The notes that say how a record is carried out, which it keeps in every attempt; undefined:
 * none.
 */
export function lastingNotes(task: Task): Readonly<JsonMap> | undefined {
  if (isMocked(task)) return mockNotes;
  return isServerRun(task) ? serverRunNotes : undefined;
}

/** Key of the note of a server-run record that somebody outside completes (semantics 4.0.3). */
export const outsideNote = 'outside';

/** Key of the note of a record that was refused before it had an input. */
export const refusedInputNote = 'refusedInput';

/** Whether a record has that note: nothing can be done with it but to make it anew. */
export function hasNoInput(task: Task): boolean {
  return notesOf(task)[refusedInputNote] === true;
}

/** Whether a record's payload is built from other records when it is read (derived-payloads.ts). */
export function isDerived(task: Task): boolean {
  return notesOf(task)['derived'] === true;
}
