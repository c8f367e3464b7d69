// Endpoints that show the description of the API, as JSON and as a page.
import { createHash } from 'node:crypto';
import { header, type AccessRule, type Endpoint } from '../endpoint.js';
import { anyObject, text } from '../../model/schema.js';
import type { ApiResponse } from '../http-server.js';
import type { RouteRequest } from '../route.js';
import { describeApi, type DescribedServer } from './openapi.js';
import { describePage, pagePolicy } from './page.js';

const jsonType = 'application/json';
const htmlType = 'text/html;charset=UTF-8';

/** The endpoints together with those that describe all of them, for whom `access` says. */
export function withApiDocs(
  endpoints: readonly Endpoint[],
  server: DescribedServer,
  access: AccessRule = { rule: 'public' },
): Endpoint[] {
  const all = [...endpoints];
  const json = once(() => document(JSON.stringify(describeApi(all, server)), jsonType));
  const page = once(() => document(describePage(describeApi(all, server)), htmlType));
  const common = {
    method: 'GET',
    access,
    parameters: {
      'If-None-Match': header(text('Entity tag of what the client has')),
      Accept: header(text('Shows the page where it asks for text/html')),
    },
    body: null,
    errors: [],
  } as const;
  const headers = { ETag: 'Entity tag of this text' };
  const unchanged = { schema: null, description: 'The client has it already', headers };
  const asJson = { schema: anyObject, contentType: jsonType, headers };
  const asPage = { schema: text(), contentType: htmlType, headers };
  all.push(
    {
      ...common,
      pattern: '/api-docs',
      name: 'getApiDocs',
      summary: 'Describes the API in OpenAPI 3.1, or as a page where a browser asks.',
      replies: { 200: asJson, 304: unchanged },
      handle: (request) => (prefersHtml(request) ? page() : json()).answer(request),
    },
    {
      ...common,
      pattern: '/api-docs.json',
      name: 'getApiDocsJson',
      summary: 'Describes the API in OpenAPI 3.1.',
      replies: { 200: asJson, 304: unchanged },
      handle: (request) => json().answer(request),
    },
    {
      ...common,
      pattern: '/v3/api-docs',
      name: 'getApiDocsOfV3',
      summary: 'The same, where tools of the field look.',
      replies: { 200: asJson, 304: unchanged },
      handle: (request) => json().answer(request),
    },
    {
      ...common,
      pattern: '/api-docs.html',
      name: 'getApiDocsPage',
      summary: 'Describes the API as a page.',
      replies: { 200: asPage, 304: unchanged },
      handle: (request) => page().answer(request),
    },
  );
  return all;
}

interface Document {
  answer(request: RouteRequest): ApiResponse;
}

function document(content: string, contentType: string): Document {
  const body = Buffer.from(content);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    ETag: etag,
    'Cache-Control': 'no-cache',
    Vary: 'Accept',
    ...(contentType === htmlType ? { 'Content-Security-Policy': pagePolicy() } : {}),
  };
  return {
    answer: (request) =>
      request.header('if-none-match')?.includes(etag) === true
        ? { status: 304, headers }
        : { status: 200, contentType, headers, body },
  };
}

/** Browsers name HTML before anything else; client libraries ask for JSON or for anything. */
function prefersHtml(request: RouteRequest): boolean {
  const accept = request.header('accept') ?? '';
  const html = accept.indexOf('text/html');
  const json = accept.indexOf('json');
  return html >= 0 && (json < 0 || html < json);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
