// Routes for administrators (contract-core 18.5).
import type { JsonMap } from '../model/json.js';
import type { OperationContext } from '../operation/context.js';
import { decideWorkflow } from '../operation/control-workflow.js';
import { listPendingTasks, repairWorkflow } from '../operation/pending-tasks.js';
import type { SearchStore } from '../store/search-store.js';
import { json, jsonText, text, type Route } from './route.js';

/** `store`: the indexes of executions. `settings`: what the server runs with, without secrets. */
export function adminRoutes(
  context: OperationContext,
  store: SearchStore,
  settings: () => JsonMap,
): Route[] {
  return [
    { method: 'GET', pattern: '/api/admin/config', handle: () => json(settings()) },
    {
      method: 'GET',
      pattern: '/api/admin/task/:taskType',
      handle: async (request) => {
        const tasks = await listPendingTasks(context, store, request.param('taskType'), {
          start: Math.max(0, request.queryInteger('start') ?? 0),
          count: Math.max(0, request.queryInteger('count') ?? 100),
        });
        return jsonText(`[${tasks.join(',')}]`);
      },
    },
    {
      method: 'POST',
      pattern: '/api/admin/sweep/requeue/:workflowId',
      handle: async (request) => {
        const id = request.param('workflowId');
        await decideWorkflow(context, id);
        return text(`true.${id}`);
      },
    },
    {
      method: 'POST',
      pattern: '/api/admin/consistency/verifyAndRepair/:workflowId',
      handle: async (request) =>
        text(String(await repairWorkflow(context, request.param('workflowId')))),
    },
  ];
}
