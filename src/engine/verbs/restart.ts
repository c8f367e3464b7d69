// restart (semantics 1.5.5): the same execution from its start, with its own definition or another one. Its records go, its id, input
// and parent stay. Names of failed tasks and variables start anew (decided differences).
import { isTerminalWorkflow } from '../../model/status.js';
import { Payload } from '../../model/payload.js';
import { clearFailures, nameVersionId, refused, reopenExecution, reviveParent } from '../revive.js';
import { removeAllTasks } from '../repair-flow.js';
import { ok, type Verb } from './contract.js';

export const restart: Verb<'restart'> = (t, { snapshot }) => {
  const { execution, changes } = t;
  const { progress } = execution;
  if (!isTerminalWorkflow(progress.status)) {
    const message = `Workflow: ${nameVersionId(t)}.${progress.status} is not in terminal state, unable to restart.`;
    return refused('conflict', message);
  }
  if (progress.status === 'COMPLETED' && !execution.snapshot.def.restartable) {
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
  progress.createTime = t.now;
  progress.endTime = 0;
  progress.lastRetriedTime = 0;
  execution.output = Payload.empty;
  execution.variables = Payload.of(execution.snapshot.def.variables);
  changes.output = true;
  changes.variables = true;
  t.open.rebuild();
  reviveParent(t, 'RESTARTED');
  return ok;
};
