// Routes of the schema registry (contract-admin 16.2). Schemas of the whole organisation are the
// same registry under a second path.
import { endpoint, listOf, nothing, one, query, type Endpoint } from '../../api/endpoint.js';
import { flag, integer, type Schema } from '../../model/schema.js';
import {
  schema,
  sentSchemas,
  shortSchema,
  type RegisteredSchema,
  type ShownSchema,
} from './schema.js';
import type { Schemas } from './schemas.js';

const base = '/api/schema';
const globalBase = '/api/global_schema';
const mayRead = { rule: 'target', type: 'SCHEMA', right: 'READ', id: 'name' } as const;

type Short = ReturnType<typeof shortSchema.parse>;
const listed: { readonly schema: Schema<ShownSchema | Short> } = {
  schema: { anyOf: [schema.shown.schema, shortSchema.shown.schema] },
};

export function schemaRoutes(schemas: Schemas): Endpoint[] {
  return [
    saveEndpoint(schemas, base, 'saveSchemas'),
    saveEndpoint(schemas, globalBase, 'saveGlobalSchemas'),
    getEndpoint(schemas, base, 'getSchema'),
    getEndpoint(schemas, globalBase, 'getGlobalSchema'),
    listEndpoint(schemas),
    versionEndpoint(schemas),
    ...schemas.deleting(),
  ];
}

function saveEndpoint(schemas: Schemas, pattern: string, name: string): Endpoint {
  return endpoint({
    method: 'POST',
    pattern,
    name,
    summary: 'Stores schemas, each as the version that it says or as a new one.',
    access: { rule: 'each', type: 'SCHEMA', right: 'CREATE' },
    parameters: { newVersion: query(flag('Store the newest version + 1', { default: false })) },
    body: sentSchemas,
    reply: nothing,
    errors: ['conflict'],
    handle: (request, sent) => {
      request.noteObjects(sent.map((each) => each.name));
      return schemas.saveAll(request.caller, sent, request.queryBoolean('newVersion'));
    },
  });
}

function getEndpoint(schemas: Schemas, path: string, name: string): Endpoint {
  return endpoint({
    method: 'GET',
    pattern: `${path}/:name`,
    name,
    summary: 'Shows the newest version of a schema.',
    access: mayRead,
    reply: one<ShownSchema>(schema.shown),
    errors: ['not-found'],
    handle: (request) => schemas.shown(schemas.get(request.param('name'))),
  });
}

function listEndpoint(schemas: Schemas): Endpoint {
  return endpoint({
    method: 'GET',
    pattern: base,
    name: 'listSchemas',
    summary: 'Lists every version of every schema, by name, newest first.',
    access: { rule: 'each', type: 'SCHEMA', right: 'READ' },
    parameters: { short: query(flag('Name and version only', { default: false })) },
    reply: listOf<ShownSchema | Short>(listed),
    lists: { ...schemas.listed, rows: 'versions' },
    handle: (request) => {
      const isShort = request.queryBoolean('short');
      return schemas
        .list(request.caller)
        .map((each) => (isShort ? short(each) : schemas.shown(each)));
    },
  });
}

function versionEndpoint(schemas: Schemas): Endpoint {
  return endpoint({
    method: 'GET',
    pattern: `${base}/:name/:version`,
    name: 'getSchemaVersion',
    summary: 'Shows a version of a schema.',
    access: mayRead,
    path: { version: integer() },
    reply: one<ShownSchema>(schema.shown),
    errors: ['not-found'],
    handle: (request) =>
      schemas.shown(schemas.get(request.param('name'), request.paramInteger('version'))),
  });
}

function short({ name, version }: RegisteredSchema): Short {
  return { name, version, createTime: 0, updateTime: 0 };
}
