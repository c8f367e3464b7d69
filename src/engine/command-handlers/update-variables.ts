// update-variables (semantics 1.5.13): merges top-level keys into the variables of an execution
// that has not ended. With appendArray a list that is there gets the new items at its end
// (semantics 6.5).
import { AppError } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import { Payload } from '../../model/payload.js';
import { isTerminalWorkflow } from '../../model/status.js';
import { variablesExcess } from '../mapping.js';
import { ok, type CommandHandler } from './contract.js';

export const updateVariables: CommandHandler<'update-variables'> = (
  t,
  { variables, appendArray = false },
) => {
  const { execution } = t;
  const { status } = execution.state;
  if (isTerminalWorkflow(status)) {
    const message = `Workflow ${execution.id} has ended with status ${status}, its variables cannot be updated.`;
    return { kind: 'refused', error: new AppError('conflict', message) };
  }
  const merged = Payload.of(mergedOf(execution.variables.value, variables, appendArray));
  const excess = variablesExcess(merged, t.context.limits);
  if (excess !== undefined) {
    const message = `The variables of the workflow would be ${excess}`;
    return { kind: 'refused', error: new AppError('too-large', message) };
  }
  execution.variables = merged;
  t.changes.variables = true;
  return ok;
};

function mergedOf(known: JsonMap, changes: JsonMap, appendArray: boolean): JsonMap {
  const merged = { ...known, ...changes };
  if (!appendArray) return merged;
  for (const key of Object.keys(changes)) {
    const list = Object.hasOwn(known, key) ? known[key] : undefined;
    if (Array.isArray(list)) merged[key] = [...list, ...listOf(changes[key] as Json)];
  }
  return merged;
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}
