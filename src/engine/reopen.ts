// Bringing an ended execution and its records back to life: what restart, retry, rerun and the walk
// up the parents share (semantics 1.5.5 to 1.5.7, 1.6).
//
// A control operation scans the records once and changes them at once; then `rebuild` makes the
// indices and the agenda anew. Work that costs more than a few assignments (a new attempt with its
// evaluated input, the start of a task) is only marked in the record, and the agenda carries the
// marks out within the budget of a step, before anything else of the flow is looked at. So the
// status is RUNNING only together with repaired siblings, whatever interrupts (semantics 1.6, "The
// order matters").
import type { Task } from '../model/execution.js';
import { Payload } from '../model/payload.js';
import { AppError, type ErrorKind } from '../model/errors.js';
import type { JsonMap } from '../model/json.js';
import { present } from '../model/record-reader.js';
import { isSuccessfulTask, isTerminalTask } from '../model/status.js';
import { taskPart, type Reply } from './decision.js';
import { editedInputKey, notedInput } from './edited-input.js';
import { addMessage } from './outbox-messages.js';
import { setStatus } from './ending.js';
import { setNotes, withdraw } from './records.js';
import { createAttempt } from './retry.js';
import { reopenMarkKey, reopenMarkOf, type ReopenMark } from './reopen-mark.js';
import { hasNoInput, lastingNotes } from './notes.js';
import { publishState } from './state-changes.js';
import { forcePlace } from './permits.js';
import { tellWorkflow } from './status-listeners.js';
import { scheduleNode } from './schedule.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

export type ReopeningOperation = 'RESTARTED' | 'RETRIED' | 'RERAN';

/**
 * Opens the next run of the execution: RUNNING, without what the last one failed of. Times and
 * names are the caller's.
 */
export function reopenExecution(t: Transition, event: ReopeningOperation): void {
  const { state } = t.execution;
  setStatus(t, 'RUNNING');
  state.generation++;
  delete state.reasonForIncompletion;
  t.changes.state = true;
  forcePlace(t);
  tellWorkflow(t, event);
}

/** Forgets what failed in the last run (rerun, parent walk, restart). */
export function clearFailures(t: Transition): void {
  const { state } = t.execution;
  delete state.failedTaskNumber;
  state.failedReferenceTaskNames = [];
  state.failedTaskNames = [];
  t.changes.state = true;
}

/** Tells the parent, if there is one, that this child runs again (semantics 1.6). */
export function reopenParent(t: Transition, operation: ReopeningOperation): void {
  const { attributes, state } = t.execution;
  const { parentWorkflowId, parentTaskNumber } = attributes;
  if (parentWorkflowId === undefined || parentTaskNumber === undefined) return;
  addMessage(t, {
    kind: 'reopen-parent',
    parentId: parentWorkflowId,
    taskNumber: parentTaskNumber,
    operation,
    generation: state.generation,
  });
}

/** Terminal, unsuccessful, and not superseded by a newer attempt. */
export function isOpenFailure(task: Task): boolean {
  return isTerminalTask(task.status) && !isSuccessfulTask(task.status) && !task.retried;
}

/** Whether a failed record goes on where it stood instead of being carried out again. */
export function goesOnInPlace(task: Task): boolean {
  return taskTypeOf(task).retry.failed === 'go-on';
}

/** A FORK is complete as soon as it is made; its branches are made again where they are missing. */
export function reopenFork(t: Transition, task: Task): void {
  task.status = 'COMPLETED';
  task.retried = false;
  task.executed = false;
  task.scheduledAt = t.now;
  task.startAt = t.now;
  task.endAt = t.now;
  task.updateAt = t.now;
  task.reopenCount++;
  t.touch(task, taskPart.record);
}

/**
 * A JOIN, a DO_WHILE or a SUB_WORKFLOW whose child runs again goes on in place: IN_PROGRESS. Until
 * it ends it shows the output (a SUB_WORKFLOW), the reason and the end time of its last end
 * (observed), the latter two unless they are to be forgotten.
 */
export function reopenRecord(
  t: Transition,
  task: Task,
  options: { forgetReason?: boolean; forgetEnd?: boolean } = {},
): void {
  task.status = 'IN_PROGRESS';
  task.retried = false;
  task.executed = false;
  task.updateAt = t.now;
  task.reopenCount++;
  if (task.startAt === 0) task.startAt = t.now;
  if (task.subWorkflowId === undefined) task.output = Payload.empty;
  if (options.forgetReason) task.reason = undefined;
  if (options.forgetEnd) task.endAt = 0;
  if (taskTypeOf(task).derivedOutput !== undefined) setNotes(t, task, { derived: true });
  t.touch(task, taskPart.record | taskPart.output);
}

/**
 * Resets a record so that it is carried out again under its own id, seq and retryCount: another
 * attempt by its reopenCount number. Everything of the last run is forgotten except the input, the
 * end of a WAIT, and the reason unless `forgetReason`.
 */
export function resetRecord(t: Transition, task: Task, options: { forgetReason: boolean }): void {
  withdraw(t, task);
  task.reopenCount++;
  task.status = 'SCHEDULED';
  task.retried = false;
  task.executed = false;
  task.scheduledAt = t.now;
  task.startAt = 0;
  task.firstStartAt = 0;
  task.endAt = 0;
  task.updateAt = 0;
  task.pollCount = 0;
  task.subworkflowChanged = false;
  task.callbackAfterMs = 0;
  task.callbackAfterSeconds = task.config.startDelay;
  task.startDelaySeconds = task.config.startDelay;
  task.output = Payload.empty;
  task.workerId = undefined;
  task.lease = undefined;
  task.subWorkflowId = undefined;
  task.executionMetadata = undefined;
  task.externalOutputPayloadStoragePath = undefined;
  if (options.forgetReason) task.reason = undefined;
  task.notes = lastingNotes(task) ?? {};
  setNotes(t, task, { [reopenMarkKey]: 'again' satisfies ReopenMark });
  t.touch(task, taskPart.record | taskPart.output);
}

/**
 * Notes that a new attempt is to be made of a record, with the input that a caller gives, if any;
 * until then it counts as not consumed.
 */
export function markForAttempt(t: Transition, task: Task, input: JsonMap | undefined): void {
  task.executed = false;
  setNotes(t, task, {
    [reopenMarkKey]: 'attempt' satisfies ReopenMark,
    [editedInputKey]: input,
  });
}

/** Carries out the mark of a record (agenda item `reopen`). */
export function reopenTask(t: Transition, task: Task): void {
  const mark = reopenMarkOf(task);
  if (mark === undefined) return;
  const edited = notedInput(task);
  setNotes(t, task, { [reopenMarkKey]: undefined, [editedInputKey]: undefined });
  if (mark === 'again') {
    publishState(t, task, 'onScheduled');
    taskTypeOf(task).begin(t, task);
    t.open.arm(task);
    return;
  }
  if (edited === undefined && hasNoInput(task)) return makeAnew(t, task);
  const attempt = createAttempt(t, task, {
    delaySeconds: 0,
    delayMs: 0,
    keepReason: false,
    renewDomain: false,
    ...present({ edited }),
  });
  task.executed = true;
  if (edited !== undefined) taskTypeOf(attempt).rerun.renew(t, attempt);
  // Shown by a manual retry and not by an automatic one (contract-core 7.2, observed).
  attempt.updateAt = t.now;
  taskTypeOf(attempt).begin(t, attempt);
}

/**
 * The next attempt after a record that was refused its input. That record says nothing of how its
 * task is carried out, so a copy of it would be handed to somebody else; it is made as the first
 * one was.
 */
function makeAnew(t: Transition, task: Task): void {
  const node = t.open.nodes.of(task);
  if (node === undefined) return;
  scheduleNode(t, node, task.iteration);
  const attempt = t.open.lastByRef(task.ref);
  if (attempt === undefined || attempt === task) return;
  task.retried = true;
  task.executed = true;
  t.touch(task, taskPart.record);
  t.open.consumed(task, false);
  attempt.retryCount = task.retryCount + 1;
  attempt.retriedTaskNumber = task.number;
  t.touch(attempt, taskPart.record);
}

export function refused(kind: ErrorKind, message: string): Reply {
  return { kind: 'refused', error: new AppError(kind, message) };
}

/** `name.version/id`, as refusals name an execution (contract-core 10). */
export function nameVersionId(t: Transition): string {
  const { id, snapshot } = t.execution;
  return `${snapshot.def.name}.${snapshot.def.version}/${id}`;
}
