// restart (semantics 1.5.5): the same execution from its start, with its own definition or another
// one. Its records go, its id, input and parent stay. Names of failed tasks and variables start
// anew (decided differences).
import { isTerminalWorkflow } from '../../model/status.js';
import { Payload } from '../../model/payload.js';
import { clearFailures, nameVersionId, refused, reopenExecution, reopenParent } from '../reopen.js';
import { removeAllTasks } from '../repair-flow.js';
import { ok, type CommandHandler } from './contract.js';

export const restart: CommandHandler<'restart'> = (t, { snapshot }) => {
  const { execution, changes } = t;
  const { state } = execution;
  if (!isTerminalWorkflow(state.status)) {
    const message = `Workflow: ${nameVersionId(t)}.${state.status} is not in terminal state, unable to restart.`;
    return refused('conflict', message);
  }
  if (state.status === 'COMPLETED' && !execution.snapshot.def.restartable) {
    return refused('not-found', `Workflow: ${nameVersionId(t)} is non-restartable`);
  }
  removeAllTasks(t);
  if (snapshot !== undefined) {
    execution.snapshot = snapshot;
    changes.snapshot = true;
    delete execution.attributes.definitionVariables;
    changes.attributes = true;
  }
  reopenExecution(t, 'RESTARTED');
  clearFailures(t);
  state.createTime = t.now;
  state.endTime = 0;
  state.lastRetriedTime = 0;
  execution.output = Payload.empty;
  execution.variables = Payload.of(execution.snapshot.def.variables);
  changes.output = true;
  changes.variables = true;
  t.open.rebuild();
  reopenParent(t, 'RESTARTED');
  return ok;
};
