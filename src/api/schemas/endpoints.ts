// Routes of the schema registry (contract-admin 16.2). Schemas of the whole organisation are the
// same registry under a second path.
import { parseSchemas, toSchemaJson, toShortSchemaJson } from '../../model/registry/schema.js';
import type { Schemas } from '../../operation/schemas/schemas.js';
import { deletionRoutes } from '../deletion-routes.js';
import { body, query, replies, type Endpoint } from '../endpoint.js';
import { flag, integer, list, type Form } from '../form.js';
import { schemaDefForm } from '../forms/audit-fields.js';
import { empty, json } from '../route.js';

const base = '/api/schema';
const globalBase = '/api/global_schema';

/** Clients send a list or one (contract-admin 0.4). */
const requestForm: Form = { anyOf: [list(schemaDefForm), schemaDefForm] };

export function schemaRoutes(schemas: Schemas): Endpoint[] {
  return [
    saveEndpoint(schemas, base, 'saveSchemas'),
    saveEndpoint(schemas, globalBase, 'saveGlobalSchemas'),
    getEndpoint(schemas, base, 'getSchema'),
    getEndpoint(schemas, globalBase, 'getGlobalSchema'),
    listEndpoint(schemas),
    versionEndpoint(schemas),
    ...deletionRoutes({
      type: 'SCHEMA',
      resource: `${base}/:name`,
      version: `${base}/:name/:version`,
      noun: 'Schema',
      called: 'schema',
      deleteAll: (name) => schemas.delete(name),
      deleteVersion: (name, version) => schemas.deleteVersion(name, version),
    }),
  ];
}

function saveEndpoint(schemas: Schemas, pattern: string, name: string): Endpoint {
  return {
    method: 'POST',
    pattern,
    name,
    summary: 'Stores schemas, each as the version that it says or as a new one.',
    access: { rule: 'each', type: 'SCHEMA', right: 'CREATE' },
    parameters: { newVersion: query(flag('Store the newest version + 1', { default: false })) },
    body: body(requestForm),
    replies: replies(null),
    errors: ['conflict'],
    handle: async (request) => {
      const isNew = request.queryBoolean('newVersion', false);
      await schemas.save(request.caller, parseSchemas(request.json()), isNew);
      return empty();
    },
  };
}

function getEndpoint(schemas: Schemas, path: string, name: string): Endpoint {
  return {
    method: 'GET',
    pattern: `${path}/:name`,
    name,
    summary: 'Shows the newest version of a schema.',
    access: { rule: 'target', type: 'SCHEMA', right: 'READ', id: 'name' },
    parameters: {},
    body: null,
    replies: replies(schemaDefForm),
    errors: ['not-found'],
    handle: (request) => json(toSchemaJson(schemas.get(request.param('name')))),
  };
}

function listEndpoint(schemas: Schemas): Endpoint {
  return {
    method: 'GET',
    pattern: base,
    name: 'listSchemas',
    summary: 'Lists every version of every schema, by name, newest first.',
    access: { rule: 'each', type: 'SCHEMA', right: 'READ' },
    parameters: { short: query(flag('Name and version only', { default: false })) },
    body: null,
    replies: replies(list(schemaDefForm)),
    errors: [],
    handle: (request) => {
      const shown = request.queryBoolean('short', false) ? toShortSchemaJson : toSchemaJson;
      return json(schemas.list(request.caller).map(shown));
    },
  };
}

function versionEndpoint(schemas: Schemas): Endpoint {
  return {
    method: 'GET',
    pattern: `${base}/:name/:version`,
    name: 'getSchemaVersion',
    summary: 'Shows a version of a schema.',
    access: { rule: 'target', type: 'SCHEMA', right: 'READ', id: 'name' },
    parameters: {},
    path: { version: integer() },
    body: null,
    replies: replies(schemaDefForm),
    errors: ['not-found'],
    handle: (request) =>
      json(toSchemaJson(schemas.get(request.param('name'), request.paramInteger('version')))),
  };
}
