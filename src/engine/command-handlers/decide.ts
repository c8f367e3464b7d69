// decide (semantics 1.5.12): looks at everything again, from the records alone. The engine never
// needs it; it repairs what a defect may have left behind.
import { checkWorkflowTimeout, fireDueDeadlines } from '../timeouts.js';
import { ok, type CommandHandler } from './contract.js';

export const decide: CommandHandler<'decide'> = (t) => {
  t.open.rebuild();
  checkWorkflowTimeout(t);
  if (t.execution.state.status === 'RUNNING') {
    fireDueDeadlines(t, t.context.limits.itemsPerStepMax);
  }
  return ok;
};
