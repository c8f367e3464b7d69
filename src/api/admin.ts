// Endpoints for administrators (contract-core 18.5).
import type { OperationContext } from '../operation/context.js';
import { decideWorkflow } from '../operation/control-workflow.js';
import { listPendingTasks, repairWorkflow } from '../operation/pending-tasks.js';
import type { SearchStore } from '../store/search-store.js';
import { endpoint, plainText, query, writtenJson, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import * as schema from '../model/schema.js';
import { taskSchema } from './schemas/task.js';

const settingsSchema = schema.object(
  'ServerSettings',
  {
    version: schema.text(),
    buildDate: schema.text('When the server was built'),
    shards: schema.integer('Parts that executions are divided into'),
    durability: schema.text('What is lost when Redis dies'),
    timeZoneData: schema.text('Edition of the rules of time zones, those of Node.js'),
  },
  ['version', 'shards', 'durability'],
);

export type ServerSettings = schema.ValueOf<typeof settingsSchema>;

/** `store`: the indexes of executions. `settings`: what the server runs with, without secrets. */
export function adminRoutes(
  context: OperationContext,
  store: SearchStore,
  settings: () => ServerSettings,
): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/admin/config',
      name: 'getSettings',
      summary: 'Shows what the server runs with, without secrets.',
      access: administrators,
      reply: settingsSchema,
      handle: () => settings(),
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/admin/task/:taskType',
      name: 'listPendingTasks',
      summary: 'Shows the tasks of a type that have not ended.',
      access: administrators,
      parameters: {
        start: query(schema.integer('Tasks to leave out before', { default: 0 })),
        count: query(schema.integer('Most tasks to show', { default: 100 })),
      },
      reply: writtenJson(schema.list(taskSchema)),
      handle: async (request) => {
        const tasks = await listPendingTasks(context, store, request.param('taskType'), {
          start: Math.max(0, request.queryNumber('start')),
          count: Math.max(0, request.queryNumber('count')),
        });
        return `[${tasks.join(',')}]`;
      },
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/admin/sweep/requeue/:workflowId',
      name: 'sweepWorkflow',
      summary: 'Looks at an execution again and does what is due.',
      access: administrators,
      reply: plainText('`true.` and the id of the execution'),
      errors: ['not-found'],
      handle: async (request) => {
        const id = request.param('workflowId');
        await decideWorkflow(context, request, id);
        return `true.${id}`;
      },
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/admin/consistency/verifyAndRepair/:workflowId',
      name: 'repairWorkflow',
      summary: 'Puts tasks of an execution into their queues where they are missing.',
      access: administrators,
      reply: plainText('`true` when something was repaired, else `false`'),
      errors: ['not-found'],
      handle: async (request) =>
        String(await repairWorkflow(context, request, request.param('workflowId'))),
    }),
  ];
}
