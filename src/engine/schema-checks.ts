// Payloads against the schemas of definitions (semantics 3.9, contract-admin 16.3). The input of a
// workflow is checked when it starts and its output when it completes, the input of a worker task
// or YIELD when it is scheduled and its output when it is COMPLETED. A definition without a schema
// costs the check of one field.
import type { SchemaDef } from '../model/audit-fields.js';
import type { Task } from '../model/execution.js';
import type { Payload } from '../model/payload.js';
import { endTask } from './records.js';
import type { Transition } from './transition.js';

/** The schemas that a definition names for its payloads. */
interface Schemas {
  readonly enforceSchema: boolean;
  readonly inputSchema?: SchemaDef;
  readonly outputSchema?: SchemaDef;
}

/** Why the input may not be; undefined when it may. `subject` begins the sentence. */
export function inputViolation(
  t: Transition,
  def: Schemas | undefined,
  input: Payload,
  subject: string,
): string | undefined {
  if (def?.inputSchema === undefined || !def.enforceSchema) return undefined;
  return violation(t, def.inputSchema, input, `The input of ${subject}`);
}

/** Why the output may not be; undefined when it may. */
export function outputViolation(
  t: Transition,
  def: Schemas | undefined,
  output: Payload,
  subject: string,
): string | undefined {
  if (def?.outputSchema === undefined || !def.enforceSchema) return undefined;
  return violation(t, def.outputSchema, output, `The output of ${subject}`);
}

/** Fails a task whose input does not match the schema of its definition. */
export function refuseInvalidInput(t: Transition, task: Task): boolean {
  const reason = inputViolation(t, task.config.taskDefinition, task.input, `task ${task.ref}`);
  if (reason === undefined) return false;
  endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason });
  return true;
}

function violation(
  t: Transition,
  schema: SchemaDef,
  payload: Payload,
  subject: string,
): string | undefined {
  const why = t.context.schemas.violation(schema, payload.text);
  if (why === undefined) return undefined;
  const name = schema.name === undefined ? 'its schema' : `the schema ${schema.name}`;
  return `${subject} does not match ${name}: ${why}`;
}
