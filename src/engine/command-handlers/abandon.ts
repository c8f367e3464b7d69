// abandon (invariants M19): what the execution decided could not be written. It goes on from what
// is stored and ends there, with the reason. Nothing is evaluated, because that might make the same
// value again.
import { isTerminalWorkflow } from '../../model/status.js';
import { Payload } from '../../model/payload.js';
import { addAbandoned } from '../control-history.js';
import { failExecution } from '../ending.js';
import { ok, type CommandHandler } from './contract.js';

export const abandon: CommandHandler<'abandon'> = (t, { reason }) => {
  if (isTerminalWorkflow(t.execution.state.status)) return ok;
  failExecution(t, { status: 'FAILED', reason, output: Payload.empty });
  const bound = { now: t.now, entriesMax: t.context.limits.historyEntriesMax };
  addAbandoned(t.execution, reason, bound);
  t.changes.history = true;
  return ok;
};
