// Endpoints of workflow definitions (interface 4.1, contract-core 6.6).
import { inSlices } from '../../std/slices.js';
import { parseGivenTags } from '../../model/definition-tags.js';
import { definitionWarnings } from '../../model/definition-warnings.js';
import { parsingWorkflowDef, parsingWorkflowDefs } from '../../model/parse-workflow-def.js';
import { present } from '../../model/record-reader.js';
import {
  workflowDefSchema,
  workflowDefSummarySchema,
  type WorkflowDef,
} from '../../model/workflow-def.js';
import { toWorkflowDefJson, showingWorkflowDefJson } from '../../model/workflow-def-json.js';
import { classifiers } from '../../model/summaries.js';
import type { WorkflowDefinitions } from '../../operation/definitions/workflow-definitions.js';
import {
  body,
  endpoint,
  nothing,
  query,
  rawEndpoint,
  replies,
  writtenJson,
  type AccessRule,
  type Endpoint,
} from '../endpoint.js';
import * as schema from '../../model/schema.js';
import { bulkResponseSchema } from '../schemas/bulk-response.js';
import type { ApiResponse } from '../http-server.js';
import { jsonListInSlices } from '../json-list.js';
import { empty, json, type RouteRequest } from '../route.js';
import { listBody } from './list-body.js';
import { listParameters, metadata, rightsOf, shownText, tagFilterOf } from './tag-parameters.js';

const base = '/api/metadata/workflow';
const readsEach: AccessRule = { rule: 'each', type: 'WORKFLOW_DEF', right: 'READ' };
const readsNamed: AccessRule = { rule: 'target', type: 'WORKFLOW_DEF', right: 'READ', id: 'name' };
const newVersion = query(
  schema.flag('Whether it is stored under the version after the highest', { default: false }),
);

/** Told what registered definitions probably do not mean. */
export type DefinitionWarner = (message: string) => void;

/** The answer of `validate`; a definition without warnings has an empty answer. */
const warningsSchema = schema.object(
  'DefinitionWarnings',
  {
    warnings: schema.list(
      schema.text('A field or type that is probably misspelt, or a type whose plug-in is absent'),
    ),
  },
  ['warnings'],
);

/** Sentences of one definition that go to the log. */
const warningsLoggedMax = 3;

export function workflowDefRoutes(
  workflows: WorkflowDefinitions,
  warn: DefinitionWarner = () => undefined,
): Endpoint[] {
  return [...writeRoutes(workflows, warn), ...listRoutes(workflows), ...readRoutes(workflows)];
}

function writeRoutes(workflows: WorkflowDefinitions, warn: DefinitionWarner): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'registerWorkflowDef',
      summary: 'Creates a workflow definition.',
      access: { rule: 'each', type: 'WORKFLOW_DEF', right: 'CREATE' },
      parameters: {
        overwrite: query(schema.flag('Whether an existing one is replaced', { default: false })),
        newVersion,
      },
      body: body(workflowDefSchema),
      reply: nothing,
      errors: ['validation', 'conflict'],
      handle: async (request) => {
        const input = request.json();
        const def = await inSlices(parsingWorkflowDef(input, ''));
        request.noteObject(`${def.name} ${def.version}`);
        await workflows.register(def, {
          tags: parseGivenTags(input),
          overwrite: request.queryBoolean('overwrite'),
          newVersion: request.queryBoolean('newVersion'),
          caller: request.caller,
        });
        logWarnings(def.name, input, warn);
      },
    }),
    rawEndpoint({
      method: 'PUT',
      pattern: base,
      name: 'registerWorkflowDefs',
      summary: 'Creates or replaces workflow definitions, all or none.',
      access: { rule: 'each', type: 'WORKFLOW_DEF', right: 'UPDATE' },
      parameters: { newVersion },
      body: body(schema.list(workflowDefSchema)),
      replies: replies(bulkResponseSchema),
      errors: ['validation'],
      handle: (request) => registerWorkflows(workflows, warn, request),
    }),
    rawEndpoint({
      method: 'POST',
      pattern: `${base}/validate`,
      name: 'validateWorkflowDef',
      summary: 'Checks a workflow definition; nothing is stored.',
      access: { rule: 'caller' },
      audit: 'reads',
      body: body(workflowDefSchema),
      replies: {
        200: { schema: warningsSchema, description: 'No body when nothing is to be said' },
      },
      errors: ['validation'],
      handle: async (request) => {
        const input = request.json();
        const absent = await workflows.validate(await inSlices(parsingWorkflowDef(input, '')));
        const warnings = [...definitionWarnings(input), ...absent];
        return warnings.length === 0 ? empty() : json({ warnings });
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:name/:version`,
      name: 'deleteWorkflowDef',
      summary: 'Deletes a version of a workflow definition; executions keep theirs.',
      access: { rule: 'target', type: 'WORKFLOW_DEF', right: 'DELETE', id: 'name' },
      path: { version: schema.integer('Version') },
      reply: nothing,
      errors: ['not-found'],
      handle: (request) =>
        workflows.delete(request.caller, request.param('name'), request.paramInteger('version')),
    }),
  ];
}

function listRoutes(workflows: WorkflowDefinitions): Endpoint[] {
  return [
    rawEndpoint({
      method: 'GET',
      pattern: base,
      name: 'listWorkflowDefs',
      summary: 'Shows workflow definitions in all versions.',
      access: readsEach,
      parameters: {
        classifier: query(schema.oneOf(classifiers, 'Only those of this kind'), {
          repeated: true,
        }),
        name: query(schema.text('Only those of this name')),
        short: query(schema.flag('Whether tasks are left out', { default: false })),
        ...listParameters,
      },
      replies: replies(schema.list(workflowDefSchema)),
      handle: (request) => listWorkflows(workflows, request),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/names`,
      name: 'listWorkflowDefNames',
      summary: 'Lists the names of all workflow definitions.',
      access: readsEach,
      reply: schema.list(schema.text()),
      handle: ({ caller }) => workflows.names(caller),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/names-and-versions`,
      name: 'listWorkflowDefVersionsByName',
      summary: 'Lists the versions of all workflow definitions by name.',
      access: readsEach,
      reply: schema.mapOf(schema.list(workflowDefSummarySchema)),
      handle: ({ caller }) => workflows.namesAndVersions(caller),
    }),
    rawEndpoint({
      method: 'GET',
      pattern: `${base}/latest-versions`,
      name: 'listLatestWorkflowDefs',
      summary: 'Shows the highest version of each workflow definition.',
      access: readsEach,
      replies: replies(schema.list(workflowDefSchema)),
      handle: ({ caller }) =>
        jsonListInSlices(workflows.latestVersions(caller), showingWorkflowDefJson),
    }),
  ];
}

function readRoutes(workflows: WorkflowDefinitions): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/:name/versions`,
      name: 'listWorkflowDefVersions',
      summary: 'Lists the versions of a workflow definition, lowest first.',
      access: readsNamed,
      reply: schema.list(workflowDefSummarySchema),
      handle: (request) => workflows.versions(request.param('name')),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:name`,
      name: 'getWorkflowDef',
      summary: 'Shows a workflow definition.',
      access: readsNamed,
      parameters: { version: query(schema.integer('Version; absent for the highest')), metadata },
      reply: writtenJson(workflowDefSchema),
      errors: ['not-found'],
      handle: (request) => {
        const def = workflows.get(request.param('name'), request.queryInteger('version'));
        return shownDef(workflows, request, def);
      },
    }),
  ];
}

function listWorkflows(
  workflows: WorkflowDefinitions,
  request: RouteRequest,
): Promise<ApiResponse> {
  const defs = workflows.list(request.caller, {
    classifiers: request.queryChoices('classifier', classifiers),
    ...present({
      name: request.query('name') || undefined,
      tag: tagFilterOf(request),
      rights: rightsOf(request),
    }),
  });
  const isShort = request.queryBoolean('short');
  return jsonListInSlices(defs, function* (def) {
    const text = yield* showingWorkflowDefJson(isShort ? withoutTasks(def) : def);
    return shownText(request, text, () => workflows.tags.of(def.name));
  });
}

function shownDef(workflows: WorkflowDefinitions, request: RouteRequest, def: WorkflowDef): string {
  return shownText(request, toWorkflowDefJson(def), () => workflows.tags.of(def.name));
}

function withoutTasks(def: WorkflowDef): WorkflowDef {
  return { ...def, tasks: [] };
}

function logWarnings(name: string, input: unknown, warn: DefinitionWarner): void {
  const warnings = definitionWarnings(input);
  if (warnings.length === 0) return;
  const said = warnings.slice(0, warningsLoggedMax).join(' ');
  const more = warnings.length - warningsLoggedMax;
  warn(`definition ${name}: ${said}${more > 0 ? ` ${more} more; validate tells all.` : ''}`);
}

async function registerWorkflows(
  workflows: WorkflowDefinitions,
  warn: DefinitionWarner,
  request: RouteRequest,
): Promise<ApiResponse> {
  const message = 'WorkflowDef list name cannot be null or empty';
  const list = listBody(request, 'updateWorkflowDef.arg0', message);
  const defs = await inSlices(parsingWorkflowDefs(list, ''));
  for (const def of defs) request.noteObject(`${def.name} ${def.version}`);
  const names = await workflows.registerAll(defs, {
    tags: parseGivenTags(list),
    newVersion: request.queryBoolean('newVersion'),
    caller: request.caller,
  });
  const inputs: readonly unknown[] = Array.isArray(list) ? list : [];
  defs.forEach(({ name }, index) => logWarnings(name, inputs[index], warn));
  return json({ bulkErrorResults: {}, bulkSuccessfulResults: names });
}
