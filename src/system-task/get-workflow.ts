// GET_WORKFLOW (semantics 4.23): another execution becomes this task's output.
import { systemCaller } from '../model/caller.js';
import type { JsonMap } from '../model/json.js';
import { parseJson } from '../model/json-text.js';
import { getWorkflow } from '../operation/get-workflow.js';
import {
  failed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
} from './system-task.js';

export const getWorkflowTask: SystemTaskType = {
  ...ordinaryType,
  name: 'GET_WORKFLOW',
  create: createGetWorkflowTask,
};

function createGetWorkflowTask(
  context: Pick<SystemTaskServices, 'executions' | 'clock' | 'access' | 'archive'>,
): SystemTask {
  return {
    ...ordinaryRun,
    async run({ input }) {
      const id = input['id'];
      if (typeof id !== 'string' || id === '') return failed('Missing input id of the workflow');
      const includeTasks = input['includeTasks'] === true || input['includeTasks'] === 'true';
      const text = await getWorkflow(context, systemCaller, { id, includeTasks });
      return { status: 'COMPLETED', output: parseJson(text) as JsonMap };
    },
  };
}
