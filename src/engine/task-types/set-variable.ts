// SET_VARIABLE (semantics 4.14): every input key becomes a variable of the execution.
//
// The definition that an execution shows has these variables too when they were set while the start
// was answered, before any JOIN and not in a sub-workflow: the reference shares one map between
// both until it first loads the execution (recorded answers).
import { reachesNothing } from '../reaches.js';
import type { ValueLimits } from '../../model/value-limits.js';
import { Payload } from '../../model/payload.js';
import { excessOfPayload, plainInput, variablesExcess } from '../mapping.js';
import { endTask } from '../records.js';
import type { TaskType } from './contract.js';
import { inlineType, rerunEvaluated } from './constructors.js';
import { createInline } from './inline-run.js';

export const setVariableTask: TaskType = inlineType({
  names: ['SET_VARIABLE'],
  reaches: reachesNothing,
  map(t, site) {
    createInline(t, site, plainInput(t, site, false));
  },
  rerun: rerunEvaluated,
  execute(t, task) {
    const { execution } = t;
    if (task.input.isEmpty) {
      endTask(t, task, { status: 'COMPLETED' });
      return 'done';
    }
    const variables = Payload.of({ ...execution.variables.value, ...task.input.value });
    const { limits } = t.context;
    const excess = variablesExcess(variables, limits);
    if (excess !== undefined) {
      endTask(t, task, {
        status: 'FAILED_WITH_TERMINAL_ERROR',
        reason: `The variables of the workflow would be ${excess}`,
      });
      return 'done';
    }
    execution.variables = variables;
    t.changes.variables = true;
    if (t.open.isFirstPass && isSmall(variables, limits)) {
      execution.attributes.definitionVariables = variables;
      t.changes.attributes = true;
    }
    endTask(t, task, { status: 'COMPLETED' });
    return 'done';
  },
});

/**
 * They are stored with the attributes, which every search reads; larger ones show in `variables`
 * only.
 */
const definitionVariablesBytesMax = 8 * 1024;

function isSmall(variables: Payload, limits: ValueLimits): boolean {
  return excessOfPayload(variables, definitionVariablesBytesMax, limits) === undefined;
}
