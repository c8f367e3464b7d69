// TERMINATE_WORKFLOW (semantics 4.23): ends other executions as who started this one could. One
// that has ended already is left as it is, so a repeated run does nothing more. One that the
// starter may not EXECUTE ends the task for good, once the others have been told.
import type { Json } from '../model/json.js';
import { AppError } from '../model/errors.js';
import { terminateWorkflow } from '../operation/control-workflow.js';
import { requireStarter } from './starter.js';
import { failed, runningTask, type SystemTaskType } from './system-task.js';

/** As for bulk operations (contract-core 11). */
const workflowIdsMax = 1000;

export const terminateWorkflowTask: SystemTaskType = runningTask({
  name: 'TERMINATE_WORKFLOW',
  reaches: [{ right: 'EXECUTE', target: 'WORKFLOW_DEF', named: '`workflowId`, by its execution' }],
  needs: ['executions', 'access', 'starter'],
  async run(context, { input, storedInput, startedBy }) {
    const ids = idsOf(input['workflowId']);
    if (ids.length === 0) return failed('Missing input workflowId');
    if (ids.length > workflowIdsMax) {
      return failed(`Cannot terminate more than ${workflowIdsMax} workflows`);
    }
    // With the names of secrets: it is stored with the other executions.
    const reason = storedInput['terminationReason'];
    const control = {
      caller: requireStarter(context.starter, { startedBy }),
      reason: typeof reason === 'string' ? reason : undefined,
    };
    const triggerFailureWorkflow =
      input['triggerFailureWorkflow'] === true || input['triggerFailureWorkflow'] === 'true';
    const terminated: string[] = [];
    const refusals: string[] = [];
    let isForbidden = false;
    for (const id of ids) {
      try {
        await terminateWorkflow(context, control, { id, triggerFailureWorkflow });
        terminated.push(id);
      } catch (error) {
        if (!(error instanceof AppError) || !error.isFinal) throw error;
        refusals.push(`${id}: ${error.message}`);
        isForbidden ||= error.kind === 'forbidden';
      }
    }
    const output = { terminatedWorkflows: terminated };
    if (refusals.length === 0) return { status: 'COMPLETED', output };
    const outcome = failed(`Not terminated: ${refusals.join('; ')}`, output);
    return isForbidden ? { ...outcome, status: 'FAILED_WITH_TERMINAL_ERROR' } : outcome;
  },
});

function idsOf(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((id): id is string => typeof id === 'string' && id !== '');
}
