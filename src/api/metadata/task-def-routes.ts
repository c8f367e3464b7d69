// Endpoints of task definitions (interface 4.2, contract-core 5.3).
import { parseTaskDef, parseTaskDefs } from '../../model/parse-task-def.js';
import { toTaskDefJson } from '../../model/task-def-json.js';
import type { TaskDefinitions } from '../../operation/definitions/task-definitions.js';
import { body, replies, type Endpoint } from '../endpoint.js';
import * as form from '../form.js';
import { taskDefForm } from '../forms/task-def.js';
import { empty, jsonText } from '../route.js';
import { listBody } from './list-body.js';

const base = '/api/metadata/taskdefs';

export function taskDefRoutes(tasks: TaskDefinitions): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listTaskDefs',
      summary: 'Shows all task definitions.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(form.list(taskDefForm)),
      errors: [],
      handle: ({ caller }) => jsonText(`[${tasks.list(caller).map(toTaskDefJson).join(',')}]`),
    },
    {
      method: 'POST',
      pattern: base,
      name: 'registerTaskDefs',
      summary: 'Creates or replaces task definitions, all or none.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'CREATE' },
      parameters: {},
      body: body(form.list(taskDefForm)),
      replies: { 200: { form: null } },
      errors: ['validation'],
      handle: async (request) => {
        const message = 'TaskDefList cannot be empty or null';
        const defs = listBody(request, 'registerTaskDef.arg0', message);
        await tasks.registerAll(request.caller, parseTaskDefs(defs, ''));
        return empty();
      },
    },
    {
      method: 'PUT',
      pattern: base,
      name: 'updateTaskDef',
      summary: 'Replaces a task definition.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'UPDATE' },
      parameters: {},
      body: body(taskDefForm),
      replies: { 200: { form: null } },
      errors: ['validation', 'not-found'],
      handle: async (request) => {
        await tasks.update(request.caller, parseTaskDef(request.json(), ''));
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:taskType`,
      name: 'getTaskDef',
      summary: 'Shows a task definition.',
      access: { rule: 'target', type: 'TASK_DEF', right: 'READ', id: 'taskType' },
      parameters: {},
      body: null,
      replies: replies(taskDefForm),
      errors: ['not-found'],
      handle: (request) => jsonText(toTaskDefJson(tasks.get(request.param('taskType')))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:taskType`,
      name: 'deleteTaskDef',
      summary: 'Deletes a task definition.',
      access: { rule: 'target', type: 'TASK_DEF', right: 'DELETE', id: 'taskType' },
      parameters: {},
      body: null,
      replies: { 200: { form: null } },
      errors: ['not-found'],
      handle: async (request) => {
        await tasks.delete(request.param('taskType'));
        return empty();
      },
    },
  ];
}
