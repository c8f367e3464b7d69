// GET_WORKFLOW (semantics 4.23): another execution becomes this task's output, if who started this
// one may READ it.
import type { JsonMap } from '../model/json.js';
import { parseJson } from '../model/json-text.js';
import { getWorkflow } from '../operation/get-workflow.js';
import { requireStarter } from './starter.js';
import { failed, runningTask, type SystemTaskType } from './system-task.js';

export const getWorkflowTask: SystemTaskType = runningTask({
  name: 'GET_WORKFLOW',
  reaches: [{ right: 'READ', target: 'WORKFLOW_DEF', named: '`id`, by its execution' }],
  needs: ['executions', 'clock', 'access', 'archive', 'starter'],
  async run(context, { input, startedBy }) {
    const id = input['id'];
    if (typeof id !== 'string' || id === '') return failed('Missing input id of the workflow');
    const includeTasks = input['includeTasks'] === true || input['includeTasks'] === 'true';
    const caller = requireStarter(context.starter, { startedBy });
    const text = await getWorkflow(context, caller, { id, includeTasks });
    return { status: 'COMPLETED', output: parseJson(text) as JsonMap };
  },
});
