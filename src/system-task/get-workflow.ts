// GET_WORKFLOW (semantics 4.23): another execution becomes this task's output.
import { systemCaller } from '../model/caller.js';
import type { JsonMap } from '../model/json.js';
import { parseJson } from '../model/json-text.js';
import { getWorkflow } from '../operation/get-workflow.js';
import type { OperationContext } from '../operation/context.js';
import { failed, type SystemTask } from './system-task.js';

export function createGetWorkflowTask(
  context: Pick<OperationContext, 'executions' | 'clock' | 'access'>,
): SystemTask {
  return {
    type: 'GET_WORKFLOW',
    async run({ input }) {
      const id = input['id'];
      if (typeof id !== 'string' || id === '') return failed('Missing input id of the workflow');
      const includeTasks = input['includeTasks'] === true || input['includeTasks'] === 'true';
      const text = await getWorkflow(context, systemCaller, { id, includeTasks });
      return { status: 'COMPLETED', output: parseJson(text) as JsonMap };
    },
  };
}
