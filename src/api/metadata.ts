// Routes of workflow and task definitions (interface 4.1 and 4.2, contract-core 5.3, 6.6).
import type { Json } from '../model/json.js';
import { parseTaskDef, parseTaskDefs } from '../model/parse-task-def.js';
import { inSlices } from '../std/slices.js';
import { parsingWorkflowDef, parsingWorkflowDefs } from '../model/parse-workflow-def.js';
import { present } from '../model/record-reader.js';
import { toTaskDefJson } from '../model/task-def-json.js';
import { validationFailed } from '../model/validation.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import { toWorkflowDefJson } from '../model/workflow-def-json.js';
import type { TaskDefinitions } from '../operation/definitions/task-definitions.js';
import type { WorkflowDefinitions } from '../operation/definitions/workflow-definitions.js';
import type { ApiResponse } from './http-server.js';
import { empty, json, jsonText, type Route, type RouteRequest } from './route.js';

export interface MetadataOperations {
  readonly workflows: WorkflowDefinitions;
  readonly tasks: TaskDefinitions;
}

const base = '/api/metadata';

export function metadataRoutes({ workflows, tasks }: MetadataOperations): Route[] {
  return [
    {
      method: 'GET',
      pattern: `${base}/workflow`,
      handle: (request) => listWorkflows(workflows, request),
    },
    {
      method: 'POST',
      pattern: `${base}/workflow`,
      handle: async (request) => {
        const def = await inSlices(parsingWorkflowDef(request.json(), ''));
        await workflows.register(def, {
          overwrite: request.queryBoolean('overwrite', false),
          newVersion: request.queryBoolean('newVersion', false),
        });
        return empty();
      },
    },
    {
      method: 'PUT',
      pattern: `${base}/workflow`,
      handle: (request) => registerWorkflows(workflows, request),
    },
    {
      method: 'POST',
      pattern: `${base}/workflow/validate`,
      handle: async (request) => {
        await workflows.validate(await inSlices(parsingWorkflowDef(request.json(), '')));
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/workflow/names`,
      handle: () => json(workflows.names()),
    },
    {
      method: 'GET',
      pattern: `${base}/workflow/names-and-versions`,
      handle: () => json(workflows.namesAndVersions()),
    },
    {
      method: 'GET',
      pattern: `${base}/workflow/latest-versions`,
      handle: () => jsonText(listText(workflows.latestVersions().map(toWorkflowDefJson))),
    },
    {
      method: 'GET',
      pattern: `${base}/workflow/:name/versions`,
      handle: (request) => json(workflows.versions(request.param('name'))),
    },
    {
      method: 'GET',
      pattern: `${base}/workflow/:name`,
      handle: (request) =>
        jsonText(
          toWorkflowDefJson(workflows.get(request.param('name'), request.queryInteger('version'))),
        ),
    },
    {
      method: 'DELETE',
      pattern: `${base}/workflow/:name/:version`,
      handle: async (request) => {
        await workflows.delete(request.param('name'), request.paramInteger('version'));
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/taskdefs`,
      handle: () => jsonText(listText(tasks.list().map(toTaskDefJson))),
    },
    {
      method: 'POST',
      pattern: `${base}/taskdefs`,
      handle: (request) => registerTasks(tasks, request),
    },
    {
      method: 'PUT',
      pattern: `${base}/taskdefs`,
      handle: async (request) => {
        await tasks.update(parseTaskDef(request.json(), ''));
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/taskdefs/:taskType`,
      handle: (request) => jsonText(toTaskDefJson(tasks.get(request.param('taskType')))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/taskdefs/:taskType`,
      handle: async (request) => {
        await tasks.delete(request.param('taskType'));
        return empty();
      },
    },
  ];
}

function listWorkflows(workflows: WorkflowDefinitions, request: RouteRequest): ApiResponse {
  const defs = workflows.list(
    present({
      classifier: request.query('classifier') || undefined,
      name: request.query('name') || undefined,
    }),
  );
  const shown = request.queryBoolean('short', false) ? defs.map(withoutTasks) : defs;
  return jsonText(listText(shown.map(toWorkflowDefJson)));
}

function withoutTasks(def: WorkflowDef): WorkflowDef {
  return { ...def, tasks: [] };
}

async function registerWorkflows(
  workflows: WorkflowDefinitions,
  request: RouteRequest,
): Promise<ApiResponse> {
  const message = 'WorkflowDef list name cannot be null or empty';
  const body = listBody(request, 'updateWorkflowDef.arg0', message);
  const defs = await inSlices(parsingWorkflowDefs(body, ''));
  const names = await workflows.registerAll(defs, {
    newVersion: request.queryBoolean('newVersion', false),
  });
  return json({ bulkErrorResults: {}, bulkSuccessfulResults: names });
}

async function registerTasks(tasks: TaskDefinitions, request: RouteRequest): Promise<ApiResponse> {
  const message = 'TaskDefList cannot be empty or null';
  const body = listBody(request, 'registerTaskDef.arg0', message);
  await tasks.registerAll(parseTaskDefs(body, ''));
  return empty();
}

/** A body of `null` is a violated rule, not a parse error (contract-core 5.3, 6.6). */
function listBody(request: RouteRequest, path: string, message: string): Json {
  const body = request.json();
  if (body === null) throw validationFailed([{ path, message }]);
  return body;
}

function listText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}
