// pause and resume (semantics 1.5.2, 1.5.3). While PAUSED reports are stored but nothing follows
// from them: the agenda stands still.
import { AppError } from '../../model/errors.js';
import { isTerminalWorkflow } from '../../model/status.js';
import { setStatus } from '../ending.js';
import { tellWorkflow } from '../status-listeners.js';
import { fireDueDeadlines } from '../timeouts.js';
import { endRememberedLeases } from './claim-task.js';
import { ok, type CommandHandler } from './contract.js';

export const pause: CommandHandler<'pause'> = (t) => {
  const { id, state, snapshot } = t.execution;
  if (state.status === 'PAUSED') return ok;
  if (isTerminalWorkflow(state.status)) {
    const { name, version } = snapshot.def;
    const message = `Workflow ${name}.${version}/${id} has ended, status cannot be updated.`;
    return { kind: 'refused', error: new AppError('conflict', message) };
  }
  setStatus(t, 'PAUSED');
  tellWorkflow(t, 'PAUSED');
  return ok;
};

/**
 * The clocks kept running: what came due meanwhile fires now, before anything goes on (semantics
 * 2.5).
 */
export const resume: CommandHandler<'resume'> = (t) => {
  const { id, state } = t.execution;
  if (state.status !== 'PAUSED') {
    const message = `The workflow ${id} is not PAUSED so cannot resume. Current status is ${state.status}`;
    return { kind: 'refused', error: new AppError('conflict', message) };
  }
  setStatus(t, 'RUNNING');
  state.lastRetriedTime = t.now;
  tellWorkflow(t, 'RESUMED');
  t.open.rebuild();
  endRememberedLeases(t);
  fireDueDeadlines(t, t.context.limits.itemsPerStepMax);
  return ok;
};
