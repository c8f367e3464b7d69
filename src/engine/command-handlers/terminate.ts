// terminate (semantics 1.5.8): by a caller, or by the parent of a sub-workflow.
import { AppError } from '../../model/errors.js';
import { isTerminalWorkflow } from '../../model/status.js';
import { failExecution } from '../ending.js';
import { ok, type CommandHandler } from './contract.js';

export const terminate: CommandHandler<'terminate'> = (t, command) => {
  const { status } = t.execution.state;
  if (status === 'TERMINATED' || (command.byParent && isTerminalWorkflow(status))) return ok;
  if (status === 'COMPLETED') {
    const message = 'Cannot terminate a COMPLETED workflow.';
    return { kind: 'refused', error: new AppError('conflict', message) };
  }
  failExecution(t, {
    status: 'TERMINATED',
    reason: command.reason,
    startFailureWorkflow: command.triggerFailureWorkflow,
    tellParent: !command.byParent,
  });
  return ok;
};
