// DYNAMIC (semantics 4.2): an input names the task. The kind is decided by that name, so it may be a system task type.
import type { WorkflowTask } from '../../model/workflow-def.js';
import { failExecution } from '../ending.js';
import { toTextForm } from '../expression/text-form.js';
import { inputWithTemplate } from '../mapping.js';
import type { Transition } from '../transition.js';
import type { TaskType } from './contract.js';
import { mapWorkerTask, workerTask } from './worker.js';

/** `find`: the type behind a name. */
export function dynamicTask(
  find: (type: string, serverTypes: ReadonlySet<string>) => TaskType,
): TaskType {
  return {
    types: ['DYNAMIC'],
    map(t, site) {
      const { config } = site;
      const param = config.dynamicTaskNameParam ?? '';
      const input = inputWithTemplate(t, site);
      const given = input.value[param] ?? null;
      const name = given === null ? '' : toTextForm(given, 'java');
      if (name === '') {
        failExecution(t, {
          status: 'FAILED',
          reason:
            'Cannot map a dynamic task based on the parameter and input. ' +
            `Parameter= ${param}, input= ${toTextForm(input.value, 'java')}`,
        });
        return;
      }
      const resolved = { ...site, config: resolvedConfig(t, config, name) };
      const type = find(name, t.context.systemTaskTypes);
      if (type === workerTask || name === 'DYNAMIC') mapWorkerTask(t, resolved, name);
      else type.map(t, resolved);
    },
    begin: workerTask.begin,
  };
}

/**
 * The snapshot shows the resolved name. A configuration whose own name is not registered carries an ad-hoc definition (no
 * creation time); then the one registered under the resolved name says more.
 */
function resolvedConfig(t: Transition, config: WorkflowTask, name: string): WorkflowTask {
  const own = config.taskDefinition;
  const registered =
    own === undefined || own.createTime === 0 ? t.context.definitions.taskDef(name) : undefined;
  const taskDefinition = registered ?? own;
  return { ...config, name, ...(taskDefinition === undefined ? {} : { taskDefinition }) };
}
