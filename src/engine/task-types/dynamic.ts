// DYNAMIC (semantics 4.2): an input names the task. The kind is decided by that name, so it may be
// a system task type. Retries and timeouts are those of the configuration's own definition, also
// when one is registered under the resolved name (observed); a branch of a dynamic fork may have
// none, then the registered one counts.
import { reachesNothing } from '../reaches.js';
import { failExecution } from '../ending.js';
import { toTextForm } from '../expression/text-form.js';
import { inputWithTemplate } from '../mapping.js';
import type { EngineContext } from '../context.js';
import { required } from './checks.js';
import type { TaskType } from './contract.js';
import { mapMocked } from './mocked.js';
import { mapWorkerTask, workerTask } from './worker.js';
import { ownValue } from '../../model/json.js';

/** `find`: the type behind a name. */
export function dynamicTask(find: (type: string, context: EngineContext) => TaskType): TaskType {
  return {
    ...workerTask,
    names: ['DYNAMIC'],
    reaches: reachesNothing,
    check: (config) =>
      config.dynamicTaskNameParam === undefined ? [required(config, 'dynamicTaskNameParam')] : [],
    map(t, site) {
      const { config } = site;
      const param = config.dynamicTaskNameParam ?? '';
      const input = inputWithTemplate(t, site);
      const given = ownValue(input.value, param) ?? null;
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
      const def = config.taskDefinition ?? t.context.definitions.taskDef(name);
      const resolved = {
        ...site,
        config: { ...config, name, ...(def === undefined ? {} : { taskDefinition: def }) },
      };
      const type = find(name, t.context);
      if (mapMocked(t, resolved, type)) return;
      if (type === workerTask || type.names.includes('DYNAMIC')) mapWorkerTask(t, resolved, name);
      else type.map(t, resolved);
    },
  };
}
