// wake, continue, evaluated: the execution goes on by itself, because a moment has come, because
// the last step stopped at its budget, or because a script has an answer.
import type { EngineLimits } from '../context.js';
import { excessOf } from '../expression/bounds.js';
import type { ScriptResult } from '../script.js';
import { isTerminalWorkflow } from '../../model/status.js';
import { checkWorkflowTimeout, fireDueDeadlines } from '../timeouts.js';
import { ok, type CommandHandler } from './contract.js';

/** A moment promised by `nextWakeAt` has come; harmless when it has not. */
export const wake: CommandHandler<'wake'> = (t) => {
  checkWorkflowTimeout(t);
  if (t.execution.state.status === 'RUNNING') {
    fireDueDeadlines(t, t.context.limits.itemsPerStepMax);
  }
  return ok;
};

/** A transition that goes on and on ends at the timeout of its workflow, too. */
export const continueTransition: CommandHandler<'continue'> = (t) => {
  checkWorkflowTimeout(t);
  return undefined;
};

/** An answer nobody waits for any more is dropped. */
export const evaluated: CommandHandler<'evaluated'> = (t, { key, result }) => {
  const { open } = t;
  if (open.parked !== key) return undefined;
  open.parked = undefined;
  checkWorkflowTimeout(t);
  if (!isTerminalWorkflow(t.execution.state.status)) {
    open.answer = { key, result: withinLimits(result, t.context.limits) };
  }
  return undefined;
};

/** The one place where values of scripts come in: one beyond the limits of values is a failure. */
function withinLimits(result: ScriptResult, limits: EngineLimits): ScriptResult {
  if (result.kind !== 'value') return result;
  const { value, values } = result;
  if (values === undefined && (value === null || typeof value !== 'object')) return result;
  const excess = excessOf(values ?? value, limits.taskPayloadBytesMax, limits);
  if (excess === undefined) return result;
  return { kind: 'limit', message: `The result of the script is ${excess}`, isFinal: true };
}
