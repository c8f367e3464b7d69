// Payloads against the schemas of definitions (semantics 3.9, contract-admin 16.3). The input of a
// workflow is checked when it starts and its output when it completes, the input of a worker task
// or YIELD when it is scheduled and its output when it is COMPLETED. A definition without a schema
// costs the check of one field. A registered schema is read for the starter of the execution or for
// who saved what names it (readers.ts).
import type { SchemaDef } from '../model/audit-fields.js';
import type { Execution, Task } from '../model/execution.js';
import type { Payload } from '../model/payload.js';
import { readersOf, type Readers } from './readers.js';
import { endTask } from './records.js';
import type { Transition } from './transition.js';

interface Checked {
  readonly payload: Payload;
  /** Begins the sentence. */
  readonly subject: string;
  readonly readers: Readers;
}

/** Why the input of a workflow that starts may not be; undefined when it may. */
export function workflowInputViolation(
  t: Transition,
  started: Pick<Execution, 'attributes' | 'snapshot'>,
  payload: Payload,
): string | undefined {
  const { inputSchema, enforceSchema, name } = started.snapshot.def;
  if (inputSchema === undefined || !enforceSchema) return undefined;
  const readers = readersOf(started);
  return violation(t, inputSchema, { payload, subject: `The input of workflow ${name}`, readers });
}

/** Why the output of the workflow may not be; undefined when it may. */
export function workflowOutputViolation(t: Transition, payload: Payload): string | undefined {
  const { outputSchema, enforceSchema, name } = t.execution.snapshot.def;
  if (outputSchema === undefined || !enforceSchema) return undefined;
  const readers = readersOf(t.execution);
  return violation(t, outputSchema, {
    payload,
    subject: `The output of workflow ${name}`,
    readers,
  });
}

/** Why the input of a task may not be; undefined when it may. */
export function taskInputViolation(
  t: Transition,
  task: Task,
  payload: Payload,
): string | undefined {
  const { inputSchema, enforceSchema = false } = task.config.taskDefinition ?? {};
  if (inputSchema === undefined || !enforceSchema) return undefined;
  const readers = readersOfTask(t, task, inputSchema);
  return violation(t, inputSchema, { payload, subject: `The input of task ${task.ref}`, readers });
}

/** Why the output of a task may not be; undefined when it may. */
export function taskOutputViolation(
  t: Transition,
  task: Task,
  payload: Payload,
): string | undefined {
  const { outputSchema, enforceSchema = false } = task.config.taskDefinition ?? {};
  if (outputSchema === undefined || !enforceSchema) return undefined;
  const readers = readersOfTask(t, task, outputSchema);
  return violation(t, outputSchema, {
    payload,
    subject: `The output of task ${task.ref}`,
    readers,
  });
}

/** Fails a task whose input does not match the schema of its definition. */
export function refuseInvalidInput(t: Transition, task: Task): boolean {
  const reason = taskInputViolation(t, task, task.input);
  if (reason === undefined) return false;
  endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason });
  return true;
}

/**
 * Those of the execution, and who saved the registered definition of the task where that names the
 * schema: what a configuration brings along says nothing of who wrote it.
 */
function readersOfTask(t: Transition, { config }: Task, { name }: SchemaDef): Readers {
  const readers = readersOf(t.execution);
  const registered = t.context.definitions.taskDef(config.name);
  const named = [registered?.inputSchema?.name, registered?.outputSchema?.name];
  if (registered === undefined || !named.includes(name)) return readers;
  return [...readers, registered.updatedBy ?? registered.createdBy];
}

function violation(
  t: Transition,
  schema: SchemaDef,
  { payload, subject, readers }: Checked,
): string | undefined {
  const { context } = t;
  const refusal = context.schemas.refusal(schema, readers);
  if (refusal !== undefined) return `${subject} cannot be checked: ${refusal}`;
  const ofStep = context.schemas.partOfStep?.(schema, readers) ?? 0;
  t.spend(Math.floor(ofStep * context.limits.itemsPerStepMax));
  const why = context.schemas.violation(schema, payload.text, readers);
  if (why === undefined) return undefined;
  const name = schema.name === undefined ? 'its schema' : `the schema ${schema.name}`;
  return `${subject} does not match ${name}: ${why}`;
}
