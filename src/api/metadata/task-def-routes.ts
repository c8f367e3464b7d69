// Endpoints of task definitions (interface 4.2, contract-core 5.3).
import { parseGivenTags } from '../../model/definition-tags.js';
import type { TaskDef } from '../../model/task-def.js';
import { parseTaskDef, parseTaskDefs } from '../../model/parse-task-def.js';
import { toTaskDefJson } from '../../model/task-def-json.js';
import type { TaskDefinitions } from '../../operation/definitions/task-definitions.js';
import { body, replies, type Endpoint } from '../endpoint.js';
import * as form from '../form.js';
import { taskDefForm } from '../forms/task-def.js';
import { empty, jsonText, type RouteRequest } from '../route.js';
import { listBody } from './list-body.js';
import { listParameters, metadata, rightsOf, shownText, tagFilterOf } from './tag-parameters.js';

const base = '/api/metadata/taskdefs';

export function taskDefRoutes(tasks: TaskDefinitions): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listTaskDefs',
      summary: 'Shows all task definitions.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'READ' },
      parameters: listParameters,
      body: null,
      replies: replies(form.list(taskDefForm)),
      errors: [],
      handle: (request) => {
        const defs = tasks.list(request.caller, tagFilterOf(request), rightsOf(request));
        return jsonText(`[${defs.map((def) => shownDef(tasks, request, def)).join(',')}]`);
      },
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
        const parsed = parseTaskDefs(defs, '');
        for (const { name } of parsed) request.noteObject(name);
        await tasks.registerAll(request.caller, parsed, parseGivenTags(defs));
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
        const input = request.json();
        const def = parseTaskDef(input, '');
        request.noteObject(def.name);
        await tasks.update(request.caller, def, parseGivenTags(input));
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:taskType`,
      name: 'getTaskDef',
      summary: 'Shows a task definition.',
      access: { rule: 'target', type: 'TASK_DEF', right: 'READ', id: 'taskType' },
      parameters: { metadata },
      body: null,
      replies: replies(taskDefForm),
      errors: ['not-found'],
      handle: (request) => jsonText(shownDef(tasks, request, tasks.get(request.param('taskType')))),
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

function shownDef(tasks: TaskDefinitions, request: RouteRequest, def: TaskDef): string {
  return shownText(request, toTaskDefJson(def), () => tasks.tags.of(def.name));
}
