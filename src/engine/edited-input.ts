// A retry with edited input (contract-core 10.6): the caller gives the input of attempts that the
// retry makes. All of it is checked before anything changes. An edit stands in the notes of the
// failed record until its attempt is made, so that a crash between the two loses nothing; the
// attempt is marked, and automatic retries of it keep its input instead of evaluating the
// parameters that the caller has put right.
import type { Task } from '../model/execution.js';
import type { JsonMap } from '../model/json.js';
import { unmaskedMap } from '../model/masking.js';
import { Payload } from '../model/payload.js';
import { taskIdIn } from './ending.js';
import { excessOfPayload } from './mapping.js';
import { notesOf } from './notes.js';
import { taskInputViolation } from './schema-checks.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Inputs by the reference name that a record shows. */
export type TaskInputs = Readonly<Record<string, JsonMap>>;

/** Key of the note that holds the input of the attempt to come. */
export const editedInputKey = 'editedInput';
/** Key of the note of an attempt whose input a caller gave. */
export const keepsInputKey = 'keepsInput';

const refCharsMax = 100;

/** Why the inputs cannot be taken, beginning with the field; undefined when they can. */
export function refuseInputs(
  t: Transition,
  retried: ReadonlyMap<string, Task>,
  inputs: TaskInputs,
): string | undefined {
  for (const [ref, input] of Object.entries(inputs)) {
    const why = refuseInput(t, ref, retried.get(ref), Payload.of(input));
    if (why !== undefined) return `taskInputs.${ref.slice(0, refCharsMax)}: ${why}`;
  }
  return undefined;
}

function refuseInput(
  t: Transition,
  ref: string,
  task: Task | undefined,
  input: Payload,
): string | undefined {
  if (task === undefined) {
    const last = t.open.lastByRef(ref);
    if (last === undefined) return 'the execution has no task of this reference name';
    return `the task is ${last.status}, the retry makes no new attempt of it`;
  }
  const { retry, rerun, hasSchemas } = taskTypeOf(task);
  if (retry.failed === 'go-on') return `a ${task.taskType} goes on with the input that it has`;
  const { limits } = t.context;
  const excess = excessOfPayload(input, limits.taskPayloadBytesMax, limits);
  if (excess !== undefined) {
    return excess.startsWith('larger') ? `${excess} (taskPayloadBytesMax)` : excess;
  }
  return (
    (hasSchemas ? taskInputViolation(t, task, input) : undefined) ??
    rerun.refuseInput(input.value, taskIdIn(t, task), t.now)
  );
}

/**
 * The input that the caller gave for the attempt that follows this record; undefined: none. Values
 * that readers see masked and that came back as they are shown keep the value that the record has.
 */
export function editedInput(t: Transition, task: Task, inputs: TaskInputs): JsonMap | undefined {
  if (!Object.hasOwn(inputs, task.ref)) return undefined;
  const given = inputs[task.ref] as JsonMap;
  const isChild = taskTypeOf(task).role === 'sub-workflow';
  const before = isChild ? task.input.value['workflowInput'] : task.input.value;
  return unmaskedMap(given, before, t.execution.snapshot.def.maskedFields);
}

/** The edit that waits for its attempt. */
export function notedInput(task: Task): JsonMap | undefined {
  return notesOf(task)[editedInputKey] as JsonMap | undefined;
}

/** Input of the next attempt after `task`. Of a SUB_WORKFLOW, an edit is the input of its child. */
export function inputOfAttempt(t: Transition, task: Task, edited: JsonMap | undefined): Payload {
  const { role, retry } = taskTypeOf(task);
  if (edited === undefined) return keepsInput(task) ? task.input : retry.input(t, task);
  if (role !== 'sub-workflow') return Payload.of(edited);
  return Payload.of({ ...retry.input(t, task).value, workflowInput: edited });
}

/** Whether a caller gave the input of this attempt, so that those after it have the same. */
export function keepsInput(task: Task): boolean {
  return notesOf(task)[keepsInputKey] === true;
}
