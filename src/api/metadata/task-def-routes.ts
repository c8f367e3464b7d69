// Endpoints of task definitions (interface 4.2, contract-core 5.3).
import { parseGivenTags } from '../../model/definition-tags.js';
import { taskDefSchema, type TaskDef } from '../../model/task-def.js';
import { parseTaskDef, parseTaskDefs } from '../../model/parse-task-def.js';
import { toTaskDefJson } from '../../model/task-def-json.js';
import type { TaskDefinitions } from '../../operation/definitions/task-definitions.js';
import { body, endpoint, nothing, writtenJson, type Endpoint } from '../endpoint.js';
import * as schema from '../../model/schema.js';
import type { RouteRequest } from '../route.js';
import { listBody } from './list-body.js';
import { listParameters, metadata, rightsOf, shownText, tagFilterOf } from './tag-parameters.js';

const base = '/api/metadata/taskdefs';

export function taskDefRoutes(tasks: TaskDefinitions): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listTaskDefs',
      summary: 'Shows all task definitions.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'READ' },
      parameters: listParameters,
      reply: writtenJson(schema.list(taskDefSchema)),
      handle: (request) => {
        const defs = tasks.list(request.caller, tagFilterOf(request), rightsOf(request));
        return `[${defs.map((def) => shownDef(tasks, request, def)).join(',')}]`;
      },
    }),
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'registerTaskDefs',
      summary: 'Creates or replaces task definitions, all or none.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'CREATE' },
      body: body(schema.list(taskDefSchema)),
      reply: nothing,
      errors: ['validation'],
      handle: async (request) => {
        const message = 'TaskDefList cannot be empty or null';
        const defs = listBody(request, 'registerTaskDef.arg0', message);
        const parsed = parseTaskDefs(defs, '');
        for (const { name } of parsed) request.noteObject(name);
        await tasks.registerAll(request.caller, parsed, parseGivenTags(defs));
      },
    }),
    endpoint({
      method: 'PUT',
      pattern: base,
      name: 'updateTaskDef',
      summary: 'Replaces a task definition.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'UPDATE' },
      body: body(taskDefSchema),
      reply: nothing,
      errors: ['validation', 'not-found'],
      handle: async (request) => {
        const input = request.json();
        const def = parseTaskDef(input, '');
        request.noteObject(def.name);
        await tasks.update(request.caller, def, parseGivenTags(input));
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:taskType`,
      name: 'getTaskDef',
      summary: 'Shows a task definition.',
      access: { rule: 'target', type: 'TASK_DEF', right: 'READ', id: 'taskType' },
      parameters: { metadata },
      reply: writtenJson(taskDefSchema),
      errors: ['not-found'],
      handle: (request) => shownDef(tasks, request, tasks.get(request.param('taskType'))),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:taskType`,
      name: 'deleteTaskDef',
      summary: 'Deletes a task definition.',
      access: { rule: 'target', type: 'TASK_DEF', right: 'DELETE', id: 'taskType' },
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => tasks.delete(request.caller, request.param('taskType')),
    }),
  ];
}

function shownDef(tasks: TaskDefinitions, request: RouteRequest, def: TaskDef): string {
  return shownText(request, toTaskDefJson(def), () => tasks.tags.of(def.name));
}
