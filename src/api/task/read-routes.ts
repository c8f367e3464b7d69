// Endpoints that show a task and keep its log (contract-core 15.4).
import type { OperationContext } from '../../operation/context.js';
import { getTask } from '../../operation/get-task.js';
import { addTaskLog, listTaskLogs } from '../../operation/task-logs.js';
import {
  body,
  endpoint,
  nothing,
  query,
  rawEndpoint,
  replies,
  writtenJson,
  type Endpoint,
} from '../endpoint.js';
import { changesExecutions, readsExecutions } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import { shownTaskSchema, taskExecLogSchema } from '../schemas/task.js';
import { empty, jsonText } from '../route.js';

export function taskReadRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/tasks/:taskId',
      name: 'getTask',
      summary: 'Shows a task.',
      access: readsExecutions,
      parameters: {
        bytes: query(
          schema.integer(
            'Payloads and descriptions with more bytes of JSON are cut; absent: none is',
          ),
        ),
      },
      reply: writtenJson(shownTaskSchema),
      errors: ['not-found'],
      handle: async (request) => {
        const bytesMax = request.queryInteger('bytes');
        return await getTask(context, request.caller, request.param('taskId'), bytesMax);
      },
    }),
    rawEndpoint({
      method: 'GET',
      pattern: '/api/tasks/:taskId/log',
      name: 'listTaskLogs',
      summary: 'Shows the log of a task.',
      access: readsExecutions,
      replies: replies(schema.list(taskExecLogSchema), {
        204: { schema: null, description: 'It has none' },
      }),
      handle: async (request) => {
        const logs = await listTaskLogs(context, request.caller, request.param('taskId'));
        return logs.length === 0 ? empty(204) : jsonText(`[${logs.join(',')}]`);
      },
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/tasks/:taskId/log',
      name: 'addTaskLog',
      summary: 'Appends a line to the log of a task.',
      access: changesExecutions,
      audit: 'persons',
      // The line as it is; with a JSON content type it may be a JSON text.
      body: body(schema.text('The line'), false, 'text/plain'),
      reply: nothing,
      handle: async (request) => {
        const line = { taskId: request.param('taskId'), log: request.textLine() };
        await addTaskLog(context, request.caller, line);
      },
    }),
  ];
}
