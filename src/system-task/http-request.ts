// Reads the input of an HTTP task (semantics 4.16): `http_request`, or the input itself, becomes a
// request for the outbound client.
import { isMap, type Json, type JsonMap } from '../model/json.js';
import { numberFrom, toJsonText } from '../model/json-text.js';
import type { OutboundRequest } from './outbound-request.js';
import { flag, map, parameterTrouble, type Parameters } from './task-input.js';

export interface HttpRequest {
  readonly request: Omit<OutboundRequest, 'signal'>;
  /** Method and address without query, as error texts name the request. */
  readonly title: string;
  readonly accepts: (statusCode: number) => boolean;
  /** Requests sent at the same time, the first success wins (hedging); 1 or more. */
  readonly attempts: number;
}

/** Fields that are not texts. */
export const httpParameters: Parameters = {
  headers: map,
  connectionTimeOut: { kind: 'number' },
  readTimeOut: { kind: 'number' },
  encode: flag,
  followRedirects: flag,
  hedgingConfig: map,
};

/** The input cannot be sent; the message becomes the task's reason. */
export class HttpInputError extends Error {}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);
/** Connection and read time limit where the task gives none (semantics 4.16). */
const timeoutMsDefault = 3000;
const hedgingAttemptsMax = 5;
/** Set by the client itself, or meant for one connection only. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const mediaType = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*(?:;.*)?$/;

/**
 * Throws HttpInputError. `idempotencyKey` names the attempt; `timeoutMsMax` caps both time limits.
 */
export function parseHttpRequest(
  input: JsonMap,
  idempotencyKey: string,
  timeoutMsMax: number,
): HttpRequest {
  const fields = fieldsOf(input);
  const trouble = parameterTrouble(httpParameters, fields);
  if (trouble !== undefined) throw new HttpInputError(trouble);
  const uri = textOf(fields['uri']);
  if (uri === '') {
    throw new HttpInputError(
      'Missing HTTP URI.  See documentation for HttpTask for required input parameters',
    );
  }
  const method = textOf(fields['method']).toUpperCase();
  if (method === '') throw new HttpInputError('No HTTP method specified');
  if (!methods.has(method)) throw new HttpInputError(`Unknown HTTP method ${method}`);
  const url = parseUrl(uri, fields['encode'] !== false && fields['encode'] !== 'false');
  return {
    request: {
      url,
      method,
      headers: headersOf(fields, idempotencyKey),
      body: bodyOf(fields['body']),
      connectTimeoutMs: timeoutOf(fields['connectionTimeOut'], timeoutMsMax),
      readTimeoutMs: timeoutOf(fields['readTimeOut'], timeoutMsMax),
      followRedirects: fields['followRedirects'] === true || fields['followRedirects'] === 'true',
    },
    title: `${method} request for "${url.origin}${url.pathname}"`,
    accepts: accepted(fields['acceptedStatusCodes']),
    attempts: attemptsOf(fields['hedgingConfig']),
  };
}

/** Host and port of the request, for limits by host; '' when there is none to be read. */
export function httpHost(input: JsonMap): string {
  const uri = textOf(fieldsOf(input)['uri']);
  return URL.canParse(uri) ? new URL(uri).host : '';
}

/** The fields that describe the request: `http_request`, or the input itself. */
export function fieldsOf(input: JsonMap): JsonMap {
  const inner = input['http_request'];
  return isMap(inner) ? inner : input;
}

/**
 * The address is a plain text that is encoded here, so its percent signs are data, unless the task
 * says that it is encoded already (`encode: false`).
 */
function parseUrl(uri: string, encode: boolean): URL {
  const text = encode ? uri.trim().replaceAll('%', '%25') : uri.trim();
  if (!URL.canParse(text)) throw new HttpInputError(`The HTTP URI is not valid: ${uri}`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HttpInputError(`The HTTP URI must start with http:// or https://: ${uri}`);
  }
  url.hash = '';
  return url;
}

function headersOf(fields: JsonMap, idempotencyKey: string): Map<string, string | string[]> {
  const headers = new Map<string, string | string[]>();
  const contentType = textOf(fields['contentType']) || 'application/json';
  if (!mediaType.test(contentType)) {
    throw new HttpInputError(`The contentType is not a media type: ${contentType}`);
  }
  const accept = fields['accept'];
  const accepts = Array.isArray(accept) ? accept.map(textOf).join(', ') : textOf(accept);
  headers.set('Content-Type', contentType);
  headers.set('Accept', accepts || 'application/json');
  headers.set('Idempotency-Key', idempotencyKey);
  if (isMap(fields['headers'])) {
    for (const [name, value] of Object.entries(fields['headers'])) setHeader(headers, name, value);
  }
  return headers;
}

/** Headers of the task replace those made from its other fields. */
function setHeader(headers: Map<string, string | string[]>, name: string, value: Json): void {
  if (value === null) return;
  if (!headerName.test(name)) throw new HttpInputError(`Not a header name: ${name}`);
  const lower = name.toLowerCase();
  if (ownHeaders.has(lower)) return;
  const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  if (texts.some((text) => /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(text))) {
    throw new HttpInputError(`The header ${name} holds characters that a header cannot carry`);
  }
  for (const each of headers.keys()) if (each.toLowerCase() === lower) headers.delete(each);
  headers.set(name, texts.length === 1 ? (texts[0] as string) : texts);
}

function bodyOf(body: Json | undefined): string | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === 'string' ? body : toJsonText(body);
}

function timeoutOf(value: Json | undefined, timeoutMsMax: number): number {
  const timeout = typeof value === 'string' ? Number(value) : value;
  if (typeof timeout !== 'number' || !(timeout > 0))
    return Math.min(timeoutMsDefault, timeoutMsMax);
  return Math.min(timeout, timeoutMsMax);
}

/** Exact codes (`404`) or families (`4xx`); only the listed ones count when there are any. */
function accepted(value: Json | undefined): (statusCode: number) => boolean {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  const codes = list.map((each) => textOf(each).trim().toLowerCase()).filter((code) => code !== '');
  if (codes.length === 0) return (statusCode) => statusCode >= 200 && statusCode < 300;
  const wrong = codes.find((code) => !/^[1-5](?:\d\d|xx)$/.test(code));
  if (wrong !== undefined) throw new HttpInputError(`Not a status code or family: ${wrong}`);
  return (statusCode) =>
    codes.includes(String(statusCode)) || codes.includes(`${Math.floor(statusCode / 100)}xx`);
}

function attemptsOf(value: Json | undefined): number {
  if (!isMap(value)) return 1;
  const attempts = Math.floor(numberFrom(value['maxAttempts']));
  return attempts >= 1 ? Math.min(attempts, hedgingAttemptsMax) : 1;
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : toJsonText(value);
}
