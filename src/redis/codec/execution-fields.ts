// The fields of an execution's hash, and what changed of them (architecture section 3):
//
//   h       head: random id of the newest commit
//   a x m   attributes with the snapshot's hash, progress, messages
//   i o v   input, output, variables
//   t<n>    record of task n;  i<n> o<n> its input and output
//   d<n>    outbox message n
//   k<hash> a task definition that tasks outside the definition share
//   g       segments that belong to it (large commits)
//   c       instead of all but h, a and x: the compact record of a finished execution
import { SparseSet } from '../../std/sparse.js';
import { taskPart, type Changes } from '../../engine/decision.js';
import type { Execution, Task } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import { configIndexOf } from './config-index.js';
import { encodeMessage } from './outbox-record.js';
import { encodeAttributes, encodeMessages, encodeProgress } from './header-record.js';
import type { NestedRecord } from './envelope.js';
import { packRecord, packText, unpackRecord, unpackText } from './record.js';
import { encodeTaskRecord, type TaskRecordContext } from './task-record.js';

export type FieldValue = string | Buffer | NestedRecord;

/** Field names and values in turn, and names of fields to remove. */
export interface FieldChanges {
  readonly fields: FieldValue[];
  readonly removed: string[];
}

/**
 * The fields that `changes` names; `taskDefs` are the hashes already stored with this execution,
 * and grows.
 */
export function changedFields(
  execution: Execution,
  changes: Changes,
  taskDefs: SparseSet<string>,
): FieldChanges {
  const fields: FieldValue[] = [];
  const removed: string[] = [];
  if (changes.created || changes.attributes || changes.snapshot) {
    fields.push('a', encodeAttributes(execution.attributes, execution.snapshot.hash));
  }
  if (changes.created || changes.state) fields.push('x', encodeProgress(execution.state));
  pushPayloads(execution, changes, fields);
  const context = recordContext(execution, taskDefs, fields);
  for (const [task, parts] of changes.tasks) pushTask(task, parts, context, fields);
  if (changes.snapshot && !changes.created) {
    // The numbers of configurations belong to the snapshot: every record is written again.
    for (const task of execution.tasks) {
      if (!changes.tasks.has(task)) pushTask(task, taskPart.record, context, fields);
    }
  }
  for (const number of changes.removedTasks) removed.push(`t${number}`, `i${number}`, `o${number}`);
  for (const id of changes.outboxAdded) {
    const message = execution.outbox.get(id);
    if (message) fields.push(`d${id}`, encodeMessage(message));
  }
  for (const id of changes.outboxRemoved) removed.push(`d${id}`);
  return { fields, removed };
}

/** Every field, for an execution that the store holds in another form. */
export function allFields(execution: Execution, taskDefs: SparseSet<string>): FieldValue[] {
  const fields: FieldValue[] = [
    'a',
    encodeAttributes(execution.attributes, execution.snapshot.hash),
    'x',
    encodeProgress(execution.state),
    'i',
    packText(execution.input.text),
    'o',
    packText(execution.output.text),
    'v',
    packText(execution.variables.text),
  ];
  if (execution.messages.length > 0) fields.push('m', encodeMessages(execution.messages));
  const context = recordContext(execution, taskDefs, fields);
  const everything = taskPart.record | taskPart.input | taskPart.output;
  for (const task of execution.tasks) pushTask(task, everything, context, fields);
  for (const message of execution.outbox.values())
    fields.push(`d${message.id}`, encodeMessage(message));
  return fields;
}

function pushPayloads(execution: Execution, changes: Changes, fields: FieldValue[]): void {
  const { created } = changes;
  if (changes.input || (created && !execution.input.isEmpty)) {
    fields.push('i', packText(execution.input.text));
  }
  if (changes.output || (created && !execution.output.isEmpty)) {
    fields.push('o', packText(execution.output.text));
  }
  if (changes.variables || (created && !execution.variables.isEmpty)) {
    fields.push('v', packText(execution.variables.text));
  }
  if (changes.messages || (created && execution.messages.length > 0)) {
    fields.push('m', encodeMessages(execution.messages));
  }
}

/**
 * An empty payload has no field; the record's flag says so, also of a field left over from before.
 */
function pushTask(
  task: Task,
  parts: number,
  context: TaskRecordContext,
  fields: FieldValue[],
): void {
  const input = (parts & taskPart.input) !== 0;
  const output = (parts & taskPart.output) !== 0;
  fields.push(`t${task.number}`, encodeTaskRecord(task, context));
  if (input && !task.input.isEmpty) fields.push(`i${task.number}`, packText(task.input.text));
  if (output && !task.output.isEmpty) fields.push(`o${task.number}`, packText(task.output.text));
}

function recordContext(
  execution: Execution,
  taskDefs: SparseSet<string>,
  fields: FieldValue[],
): TaskRecordContext {
  return {
    configs: configIndexOf(execution.snapshot.def),
    keepTaskDef(hash, text) {
      if (taskDefs.has(hash)) return;
      taskDefs.add(hash);
      fields.push(`k${hash}`, packText(text));
    },
  };
}

/** Bytes that fields take on the way, nearly: texts are counted in characters. */
export function fieldBytes(fields: readonly FieldValue[]): number {
  let bytes = 0;
  for (const value of fields) bytes += value.length + 5;
  return bytes;
}

/** Segments that an execution's field `g` names; none without it. */
export function segmentsIn(bytes: Uint8Array | undefined): string[] {
  return bytes ? (unpackRecord('list of segments', bytes, 1).slice(1) as string[]) : [];
}

const compactFormat = 1;

/**
 * The fields of a finished execution: its two header records, which searches read, and everything
 * else as one value, the compact record (field `c`). Outbox messages are part of it, although a
 * settled execution has none.
 */
export function compactFields(execution: Execution): FieldValue[] {
  const [a, attributes, x, state, ...rest] = allFields(execution, new SparseSet());
  return [
    ...([a, attributes, x, state] as FieldValue[]),
    'c',
    packRecord([compactFormat, ...rest]),
  ];
}

/** Input and output out of a compact record. */
export function compactPayloads(bytes: Uint8Array): { input: Payload; output: Payload } {
  const values = unpackRecord('compact record', bytes, compactFormat);
  let input = Payload.empty;
  let output = Payload.empty;
  for (let i = 1; i + 1 < values.length; i += 2) {
    const name = values[i];
    if (name === 'i') input = payloadOf(values[i + 1]);
    else if (name === 'o') output = payloadOf(values[i + 1]);
  }
  return { input, output };
}

/** Texts inside a compact record come back as texts. */
function payloadOf(value: unknown): Payload {
  const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Buffer);
  return Payload.ofText(unpackText('payload', bytes));
}

export { compactFormat };
