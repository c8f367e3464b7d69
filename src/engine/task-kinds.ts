// Who carries out a task, decided by its run-time type (semantics 4.0.1, 4.2): a worker that polls,
// the engine itself, or the server because it does I/O.
import type { JsonMap } from '../model/json.js';
import type { Task } from '../model/execution.js';

/**
 * Carried out by the engine: task-types has a file for each. FORK is the record type of both forks.
 */
export const engineTaskTypes: ReadonlySet<string> = new Set([
  'FORK',
  'FORK_JOIN',
  'FORK_JOIN_DYNAMIC',
  'JOIN',
  'EXCLUSIVE_JOIN',
  'SWITCH',
  'DECISION',
  'DO_WHILE',
  'SUB_WORKFLOW',
  'START_WORKFLOW',
  'SET_VARIABLE',
  'TERMINATE',
  'WAIT',
  'HUMAN',
  'NOOP',
  'INLINE',
  'LAMBDA',
  'JSON_JQ_TRANSFORM',
  'YIELD',
  'PULL_WORKFLOW_MESSAGES',
]);

/** Always run by the server; further types are marked in their record (`markServerRun`). */
export const serverTaskTypes: ReadonlySet<string> = new Set([
  'HTTP',
  'EVENT',
  'GET_WORKFLOW',
  'UPDATE_TASK',
  'TERMINATE_WORKFLOW',
]);

/** Names that are no worker's: what a dynamic fork or DYNAMIC may choose besides worker tasks. */
export const systemTaskTypes: ReadonlySet<string> = new Set([
  ...engineTaskTypes,
  ...serverTaskTypes,
]);

const noNotes: JsonMap = {};

/** What a task type remembers about a task; an empty map when nothing. */
export function notesOf(task: Task): JsonMap {
  const notes = task.notes;
  return notes !== null && typeof notes === 'object' && !Array.isArray(notes) ? notes : noNotes;
}

/** Whether the server runs this task because it does I/O. */
export function isServerTask(task: Task): boolean {
  return serverTaskTypes.has(task.taskType) || notesOf(task)['server'] === true;
}

/**
 * Whether a system task waits for a later start (start delay, retry delay): the engine asks for its
 * run at that time.
 */
export function isRunPutOff(task: Task): boolean {
  return notesOf(task)['runAt'] !== undefined;
}

/** Whether workers poll for this task. */
export function isWorkerTask(task: Task): boolean {
  return !engineTaskTypes.has(task.taskType) && !isServerTask(task);
}

/**
 * Types whose record is complete once made, or that run inside the transition (semantics 4.0.1
 * "in-line system").
 */
export const inlineTaskTypes: ReadonlySet<string> = new Set([
  'FORK', 'SWITCH', 'DECISION', 'EXCLUSIVE_JOIN', 'DO_WHILE', 'INLINE', 'LAMBDA', 'SET_VARIABLE', 'TERMINATE',
  'NOOP', 'HUMAN', 'JSON_JQ_TRANSFORM', 'YIELD',
]); // prettier-ignore
