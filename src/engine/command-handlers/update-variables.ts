// update-variables (semantics 1.5.13): merges top-level keys into the variables of an execution
// that has not ended.
import { AppError } from '../../model/errors.js';
import { Payload } from '../../model/payload.js';
import { isTerminalWorkflow } from '../../model/status.js';
import { isLargerThan } from '../mapping.js';
import { ok, type CommandHandler } from './contract.js';

export const updateVariables: CommandHandler<'update-variables'> = (t, { variables }) => {
  const { execution } = t;
  const { status } = execution.state;
  if (isTerminalWorkflow(status)) {
    const message = `Workflow ${execution.id} has ended with status ${status}, its variables cannot be updated.`;
    return { kind: 'refused', error: new AppError('conflict', message) };
  }
  const merged = Payload.of({ ...execution.variables.value, ...variables });
  const { variablesBytesMax } = t.context.limits;
  if (isLargerThan(merged, variablesBytesMax)) {
    const message = `The variables of the workflow would be larger than the permitted ${variablesBytesMax} bytes`;
    return { kind: 'refused', error: new AppError('too-large', message) };
  }
  execution.variables = merged;
  t.changes.variables = true;
  return ok;
};
