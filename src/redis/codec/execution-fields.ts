// The fields of an execution's hash, and what changed of them (architecture section 3):
//
//   h       head: random id of the newest commit
//   a x m   attributes with the snapshot's hash, progress, messages
//   y       what callers did to it
//   i o v   input, output, variables
//   t<n>    record of task n;  i<n> o<n> its input and output
//   d<n>    outbox message n
//   k<hash> a task definition that tasks outside the definition share
//   g       segments that belong to it (large commits)
//   p<n>.F  in a segment only: piece n of the text of field F (`text-pieces.ts`)
//
// A finished execution is one string instead: `compact-record.ts`.
import type { SparseSet } from '../../std/sparse.js';
import { taskPart, type Changes } from '../../engine/decision.js';
import type { Execution, Task } from '../../model/execution.js';
import type { HeldLoad } from '../../store/held-store.js';
import { configIndexOf } from './config-index.js';
import type { FieldWriter } from './field-writer.js';
import { writeAttributes, writeHistory, writeMessages, writeProgress } from './header-record.js';
import { writeMessage } from './outbox-record.js';
import { unpackRecord, type StoredValue } from './record.js';
import { writeTaskRecord, type TaskRecordContext } from './task-record.js';

/** The facts that fields tell besides the execution itself. */
export interface FieldNotes {
  /** Hashes of task definitions already stored with this execution; grows. */
  readonly taskDefs: SparseSet<string>;
  readonly load: HeldLoad | undefined;
}

/** Writes the fields that `changes` names and returns the names of those to remove. */
export function writeChanges(
  execution: Execution,
  changes: Changes,
  { taskDefs, load }: FieldNotes,
  fields: FieldWriter,
): string[] {
  const removed: string[] = [];
  const { created } = changes;
  if (created || changes.attributes || changes.snapshot) {
    writeAttributes(execution.attributes, execution.snapshot.hash, fields);
  }
  if (created || changes.state) writeProgress(execution.state, fields, load);
  writePayloads(execution, changes, fields);
  const context = { configs: configIndexOf(execution.snapshot.def), taskDefs };
  for (const [task, parts] of changes.tasks) writeTask(task, parts, context, fields);
  if (changes.snapshot && !created) {
    // The numbers of configurations belong to the snapshot: every record is written again.
    for (const task of execution.tasks) {
      if (!changes.tasks.has(task)) writeTaskRecord(task, context, fields);
    }
  }
  for (const number of changes.removedTasks) removed.push(`t${number}`, `i${number}`, `o${number}`);
  for (const id of changes.outboxAdded) {
    const message = execution.outbox.get(id);
    if (message) writeMessage(message, fields);
  }
  for (const id of changes.outboxRemoved) removed.push(`d${id}`);
  return removed;
}

/** Writes every field, for an execution that the store holds in another form. */
export function writeAll(
  execution: Execution,
  { taskDefs, load }: FieldNotes,
  fields: FieldWriter,
): void {
  writeAttributes(execution.attributes, execution.snapshot.hash, fields);
  writeProgress(execution.state, fields, load);
  writeRest(execution, taskDefs, fields);
}

/** Everything but the two header records; what is empty has no field. */
export function writeRest(
  execution: Execution,
  taskDefs: SparseSet<string>,
  fields: FieldWriter,
): void {
  if (!execution.input.isEmpty) fields.payload('i', execution.input);
  if (!execution.output.isEmpty) fields.payload('o', execution.output);
  if (!execution.variables.isEmpty) fields.payload('v', execution.variables);
  if (execution.messages.length > 0) writeMessages(execution.messages, fields);
  if (execution.history !== undefined) writeHistory(execution.history, fields);
  const context = { configs: configIndexOf(execution.snapshot.def), taskDefs };
  const everything = taskPart.record | taskPart.input | taskPart.output;
  for (const task of execution.tasks) writeTask(task, everything, context, fields);
  for (const message of execution.outbox.values()) writeMessage(message, fields);
}

function writePayloads(execution: Execution, changes: Changes, fields: FieldWriter): void {
  const { created } = changes;
  if (changes.input || (created && !execution.input.isEmpty)) {
    fields.payload('i', execution.input);
  }
  if (changes.output || (created && !execution.output.isEmpty)) {
    fields.payload('o', execution.output);
  }
  if (changes.variables || (created && !execution.variables.isEmpty)) {
    fields.payload('v', execution.variables);
  }
  if (changes.messages || (created && execution.messages.length > 0)) {
    writeMessages(execution.messages, fields);
  }
  if (changes.history) writeHistory(execution.history ?? [], fields);
}

/**
 * An empty payload has no field; the record's flag says so, also of a field left over from before.
 */
function writeTask(
  task: Task,
  parts: number,
  context: TaskRecordContext,
  fields: FieldWriter,
): void {
  const { number, input, output } = task;
  writeTaskRecord(task, context, fields);
  if ((parts & taskPart.input) !== 0 && !input.isEmpty) fields.payload(`i${number}`, input);
  if ((parts & taskPart.output) !== 0 && !output.isEmpty) fields.payload(`o${number}`, output);
}

/** Segments that an execution's field `g` names; none without it. */
export function segmentsIn(stored: StoredValue | undefined): string[] {
  return stored ? (unpackRecord('list of segments', stored, 1).slice(1) as string[]) : [];
}
