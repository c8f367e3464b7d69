// The description of the API: it is valid OpenAPI 3.1, holds every endpoint, and every schema in it
// is a schema.
import { createHash } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.js';
import { withApiDocs } from '../../src/api/description/api-docs.js';
import { describeApi } from '../../src/api/description/openapi.js';
import { query, replies, type Endpoint } from '../../src/api/endpoint.js';
import { ErrorAnswers } from '../../src/api/errors.js';
import * as schema from '../../src/model/schema.js';
import type { ApiResponse } from '../../src/api/http-server.js';
import { allRoutes, type RouteParts } from '../../src/api/routes.js';
import type { JsonMap } from '../../src/model/json.js';
import { strictReader } from '../../testkit/api-schemas.js';
import { plainEndpoint } from './plain-endpoint.js';
import { plainRequest } from './plain-request.js';

// The tables only name their parts inside handlers, so they can be listed without any.
const routes = allRoutes({ metadata: {}, state: {} } as unknown as RouteParts);
const server = { version: '1.2.3', basePath: '' };
const endpoints = withApiDocs(routes, server);
const doc = describeApi(endpoints, server);

interface Described {
  readonly operationId: string;
  readonly parameters: { readonly name: string; readonly in: string; readonly schema: JsonMap }[];
  readonly responses: Readonly<Record<string, JsonMap>>;
  readonly requestBody?: JsonMap;
}

function operationsOf(described: JsonMap): Map<string, Described> {
  const found = new Map<string, Described>();
  const paths = described['paths'] as unknown as Record<string, Record<string, Described>>;
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      found.set(`${method.toUpperCase()} ${path}`, operation);
    }
  }
  return found;
}

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(doc));
    expect(result).toMatchObject({ valid: true });
  });

  it('holds every endpoint once', () => {
    const names = [...operationsOf(doc).values()].map(({ operationId }) => operationId);
    expect(names.sort()).toEqual(endpoints.map(({ name }) => name).sort());
  });

  it('names the headers of replies', () => {
    const headersOf = (operation: string, status: number): string[] => {
      const { responses } = operationsOf(doc).get(operation) as Described;
      return Object.keys(responses[String(status)]?.['headers'] as JsonMap);
    };
    expect(headersOf('GET /health', 200)).toEqual(['X-Request-Id']);
    expect(headersOf('GET /health', 503)).toEqual(['X-Request-Id', 'Retry-After']);
    expect(headersOf('GET /api-docs.json', 304)).toEqual(['X-Request-Id', 'ETag']);
  });

  it('holds forms that are schemas', () => {
    const ajv = strictReader();
    const { schemas } = doc['components'] as { schemas: Record<string, object> };
    const text = JSON.stringify(schemas).replaceAll('"#/components/schemas/', '"#/$defs/');
    ajv.addSchema({ $id: 'api', $defs: JSON.parse(text) as Record<string, object> });
    for (const title of Object.keys(schemas)) {
      expect(() => ajv.compile({ $ref: `api#/$defs/${title}` })).not.toThrow();
    }
    expect(Object.keys(schemas).length).toBeGreaterThan(25);
  });

  it('gives endpoints of one shape one path', () => {
    const described = operationsOf(doc);
    const shown = [...described.keys()].filter((name) =>
      /^\w+ \/api\/workflow\/\{\w+\}$/.test(name),
    );
    expect(shown.sort()).toEqual([
      'DELETE /api/workflow/{nameOrWorkflowId}',
      'GET /api/workflow/{nameOrWorkflowId}',
      'POST /api/workflow/{nameOrWorkflowId}',
    ]);
  });

  it('shows parameters, body, replies and refusals', () => {
    const endpoint = plainEndpoint('POST', '/api/x/:number', {
      name: 'makeX',
      access: { rule: 'target', type: 'TASK_DEF', right: 'READ', id: 'number' },
      path: { number: schema.integer() },
      parameters: { tag: query(schema.text('A tag'), { repeated: true, required: true }) },
      body: { schema: schema.object('X', { a: schema.text() }), required: true },
      replies: replies(schema.list(schema.text()), { 204: { schema: null, description: 'None' } }),
      errors: ['validation', 'conflict'],
    });
    const small = describeApi([endpoint], server);
    expect(operationsOf(small).get('POST /api/x/{number}')).toMatchObject({
      operationId: 'makeX',
      description: 'Needs READ on TASK_DEF.',
      parameters: [
        { name: 'number', in: 'path', required: true, schema: { type: 'integer' } },
        {
          name: 'tag',
          in: 'query',
          required: true,
          description: 'A tag',
          schema: { type: 'array', items: { type: 'string' } },
        },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/X' } } },
      },
      responses: {
        200: { content: { 'application/json': { schema: { type: 'array' } } } },
        204: { description: 'None' },
        400: { content: { 'application/json': {} } },
        401: {},
        403: {},
        409: {},
        503: {},
      },
    });
  });

  it('refuses two forms of one title', () => {
    const titled = (member: string): Endpoint =>
      plainEndpoint('GET', `/api/${member}`, {
        replies: replies(schema.object('Same', { [member]: schema.text() })),
      });
    expect(() => describeApi([titled('a'), titled('b')], server)).toThrow('Two schemas are called');
  });
});

describe('the endpoints that describe', () => {
  const log = { error: (fields: object) => expect.fail(JSON.stringify(fields)) };
  const parts = { errors: new ErrorAnswers('n', log), json: { depthMax: 8, keysMax: 9 } };
  const api = createApi(endpoints, parts);
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    api(plainRequest({ path, headers }));

  it('give the document, and nothing again to a client that has it', async () => {
    const first = await ask('/api-docs.json', { accept: '*/*' });
    expect(JSON.parse(String(first.body))).toEqual(doc);
    const etag = first.headers?.['ETag'] as string;
    const again = await ask('/api-docs.json', { 'if-none-match': `W/"0", ${etag}` });
    expect([again.status, again.body, again.headers?.['ETag']]).toEqual([304, undefined, etag]);
    expect((await ask('/api-docs.json', { 'if-none-match': '"0"' })).status).toBe(200);
  });

  it.each([
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html;charset=UTF-8'],
    ['application/json, text/html', 'application/json'],
    ['*/*', 'application/json'],
    ['', 'application/json'],
  ])('answer %s with %s', async (accept, contentType) => {
    expect((await ask('/api-docs', { accept })).contentType).toBe(contentType);
  });

  it('give a page that shows every operation and loads nothing', async () => {
    const answer = await ask('/api-docs.html');
    const html = String(answer.body);
    for (const { name } of endpoints) expect(html).toContain(`<details id="${name}">`);
    expect(html).toContain('/api/workflow/{workflowId}/why');
    expect(html).not.toMatch(/<script|src=|https?:|url\(|@import/);
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers?.['Content-Security-Policy']).toContain(`style-src 'sha256-${hash}'`);
  });
});
