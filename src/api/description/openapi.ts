// The description of the API in OpenAPI 3.1, made from what the endpoints declare. Nothing stands
// only here: an endpoint that is served is described, and the tests send replies through the
// schemas that this shows.
import type { ErrorKind } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import type { AccessRule, DeclaredBody, Endpoint, Parameter, DeclaredReply } from '../endpoint.js';
import { statusOfKind } from '../errors.js';
import { text } from '../../model/schema.js';
import { errorSchema } from '../schemas/error.js';
import { PathTemplates, variablesOf } from './path-templates.js';
import { Schemas } from './schemas.js';

export interface DescribedServer {
  readonly version: string;
  /** Path below which the API is called; '' for none. */
  readonly basePath: string;
}

/** Throws when two different schemas have one title. */
export function describeApi(endpoints: readonly Endpoint[], server: DescribedServer): JsonMap {
  const schemas = new Schemas();
  const templates = new PathTemplates(endpoints);
  const paths: Record<string, JsonMap> = {};
  for (const endpoint of endpoints) {
    const path = (paths[templates.of(endpoint.pattern).text] ??= {});
    path[endpoint.method.toLowerCase()] = operationOf(endpoint, templates, schemas);
  }
  const tags = [...new Set(endpoints.map(areaOf))].sort().map((name) => ({ name }));
  schemas.schemaOf(errorSchema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Downbeat',
      version: server.version,
      description: 'Workflow orchestration over the Conductor REST API.',
    },
    servers: [{ url: server.basePath === '' ? '/' : server.basePath }],
    security: [{ token: [] }],
    tags,
    paths,
    components: {
      schemas: schemas.components,
      headers: sharedHeaders,
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Authorization',
          description: 'Access token; not needed while authentication is off.',
        },
      },
    },
  };
}

/** Statuses that the endpoint may answer, with what is declared or follows from its errors. */
export function repliesOf(endpoint: Endpoint): Map<number, DeclaredReply> {
  const replies = new Map<number, DeclaredReply>();
  for (const kind of [...usualErrors(endpoint), ...endpoint.errors]) {
    const status = statusOfKind(kind);
    replies.set(status, { schema: errorSchema, description: refusals[kind] });
  }
  for (const [status, reply] of Object.entries(endpoint.replies)) {
    replies.set(Number(status), reply);
  }
  return new Map([...replies].sort(([a], [b]) => a - b));
}

/** The right that the caller needs, in words. */
export function accessText(access: AccessRule): string {
  switch (access.rule) {
    case 'public':
      return 'Anybody may call.';
    case 'caller':
      return 'Everybody who is signed in may call.';
    case 'administrator':
      return 'Needs the role ADMIN.';
    case 'permission':
      return `Needs one of the permissions ${access.anyOf.join(', ')}.`;
    case 'target':
      return `Needs ${access.right} on ${access.type}.`;
    case 'each':
      return `Needs ${access.right} on ${access.type} for each object that is touched or shown.`;
  }
}

/** First word of the path after `/api`: what the endpoint is listed under. */
export function areaOf({ pattern }: Endpoint): string {
  const [first, second = ''] = pattern.split('/').filter((part) => part !== '');
  return first !== 'api' || serverPaths.has(second) ? 'server' : second;
}

/** Paths about the server itself. */
const serverPaths: ReadonlySet<string> = new Set(['health', 'version']);

function operationOf(endpoint: Endpoint, templates: PathTemplates, schemas: Schemas): JsonMap {
  const { access, body, name, summary } = endpoint;
  return {
    operationId: name,
    summary,
    description: accessText(access),
    tags: [areaOf(endpoint)],
    ...(access.rule === 'public' ? { security: [] } : {}),
    parameters: parametersOf(endpoint, templates, schemas),
    ...(body === null ? {} : { requestBody: bodyOf(body, schemas) }),
    responses: responsesOf(endpoint, schemas),
  };
}

function parametersOf(endpoint: Endpoint, templates: PathTemplates, schemas: Schemas): Json[] {
  const names = variablesOf(endpoint.pattern);
  const inPath = templates.of(endpoint.pattern).variables.map((variable, i): JsonMap => {
    const name = names[i] ?? variable;
    return {
      name: variable,
      in: 'path',
      required: true,
      ...(name === variable ? {} : { description: `The ${name}` }),
      schema: schemas.schemaOf(endpoint.path?.[name] ?? text()),
    };
  });
  const others = Object.entries(endpoint.parameters)
    .filter(([name, parameter]) => parameter.in === 'query' || !ownHeaders.has(name.toLowerCase()))
    .map(([name, parameter]) => parameterOf(name, parameter, schemas));
  return [...inPath, ...others];
}

/** Headers that OpenAPI describes by other means than parameters. */
const ownHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

function parameterOf(name: string, parameter: Parameter, schemas: Schemas): JsonMap {
  const { description, ...plain } = parameter.schema;
  const schema = schemas.schemaOf(plain);
  return {
    name,
    in: parameter.in,
    ...(description === undefined ? {} : { description }),
    ...(parameter.required === true ? { required: true } : {}),
    schema: parameter.repeated === true ? { type: 'array', items: schema } : schema,
  };
}

function bodyOf(body: DeclaredBody, schemas: Schemas): JsonMap {
  const contentType = body.contentType ?? 'application/json';
  return {
    required: body.required,
    content: { [contentType]: { schema: schemas.schemaOf(body.schema) } },
  };
}

function responsesOf(endpoint: Endpoint, schemas: Schemas): JsonMap {
  const responses: JsonMap = {};
  for (const [status, reply] of repliesOf(endpoint)) {
    const { schema, contentType = 'application/json', description } = reply;
    responses[String(status)] = {
      description: description ?? (schema === null ? 'Done; without a body' : 'Done'),
      headers: headersOf(status, reply),
      ...(schema === null
        ? {}
        : { content: { [contentType]: { schema: schemas.schemaOf(schema) } } }),
    };
  }
  return responses;
}

/** Besides those of HTTP itself, such as those of caches. */
function headersOf(status: number, { headers = {} }: DeclaredReply): JsonMap {
  const shared = ['X-Request-Id', ...(status === 429 || status === 503 ? ['Retry-After'] : [])];
  return Object.fromEntries([
    ...shared.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
    ...Object.entries(headers).map(([name, says]) => [name, headerOf(says)] as const),
  ]);
}

function headerOf(description: string): JsonMap {
  return { description, schema: { type: 'string' } };
}

const sharedHeaders = {
  'X-Request-Id': headerOf(
    'Id of a request that came with one or with a traceparent; in the log, too',
  ),
  'Retry-After': headerOf('Seconds until it is worth another try'),
};

/** The refusals that any endpoint may answer. */
function usualErrors({ access }: Endpoint): readonly ErrorKind[] {
  return access.rule === 'public'
    ? ['bad-request', 'unavailable', 'internal']
    : ['bad-request', 'unauthenticated', 'forbidden', 'too-many', 'unavailable', 'internal'];
}

const refusals: Readonly<Record<ErrorKind, string>> = {
  'bad-request': 'The request cannot be read or breaks a rule',
  validation: 'The request cannot be read or breaks a rule',
  unauthenticated: 'There is no token, or it is not valid',
  forbidden: 'The caller may not do this',
  'not-found': 'What the request names does not exist',
  'method-not-allowed': 'The path has no such method',
  conflict: 'The state does not allow it, or something of that name exists',
  'too-large': 'The request is too large',
  'bad-gateway': 'Another system that this call needs has failed',
  'too-many': 'Too much at once; again after the seconds in Retry-After',
  unavailable: 'The server cannot do it now; again after the seconds in Retry-After',
  'unknown-outcome': 'It may or may not have happened; repeat with the same key or id',
  internal: 'A defect of the server',
};
