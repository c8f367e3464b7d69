// Asks the server. Every failure becomes an ApiError that keeps what the server said, so that pages
// can show the message, the node and the request id.

import { markAway, markReached } from './connection';

/** Where the page is served: the base path of the server, with a slash at its end. */
export const basePath: string = new URL(document.baseURI).pathname;

export interface ValidationError {
  readonly path: string;
  readonly message: string;
}

export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    readonly instance: string | undefined,
    readonly requestId: string | undefined,
    readonly validationErrors: readonly ValidationError[],
    /** A code on which a program acts, such as SECOND_FACTOR. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** Status of an error without an answer. */
const unreached = 0;

/** Whether the server gave no answer at all. */
export const isUnreached = (error: unknown): boolean =>
  error instanceof ApiError && error.status === unreached;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface RequestOptions {
  readonly method?: Method;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const refusal = new EventTarget();

/** Calls back when the server has refused the caller: the session or the rights have changed. */
export function onRefused(listener: () => void): () => void {
  refusal.addEventListener('refused', listener);
  return () => refusal.removeEventListener('refused', listener);
}

const early = new Map<string, Promise<Response>>();

/**
 * Sends a GET before the part of the page that needs it is loaded. The first `ask` for the path
 * takes its answer.
 */
export function askEarly(path: string): void {
  const answer = send(path, {}, crypto.randomUUID());
  // `ask` reports the failure.
  answer.catch(() => undefined);
  early.set(path, answer);
}

function send(
  path: string,
  { method = 'GET', body, signal }: RequestOptions,
  requestId: string,
): Promise<Response> {
  return fetch(basePath + path.replace(/^\//, ''), {
    method,
    headers: {
      accept: 'application/json',
      'x-request-id': requestId,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The answer as JSON, or as text where it is none. Rejects with ApiError. */
export async function ask<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = 'GET', signal } = options;
  const requestId = crypto.randomUUID();
  let response: Response;
  let text: string;
  try {
    const sent = method === 'GET' ? early.get(path) : undefined;
    early.delete(path);
    response = await (sent ?? send(path, options, requestId));
    // A server that is killed meanwhile breaks the answer off.
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    markAway();
    throw new ApiError(unreached, 'The server cannot be reached.', undefined, requestId, []);
  }
  markReached();
  if (response.ok) return readAnswer<T>(response, text);
  if (response.status === 401 || response.status === 403)
    refusal.dispatchEvent(new Event('refused'));
  throw toError(response.status, text, requestId);
}

function readAnswer<T>(response: Response, text: string): T {
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return (isJson && text !== '' ? JSON.parse(text) : text) as T;
}

interface ErrorBody {
  readonly message?: string;
  readonly instance?: string;
  readonly error?: string;
  readonly validationErrors?: readonly ValidationError[];
}

function toError(status: number, text: string, requestId: string): ApiError {
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    body = { message: text };
  }
  const message = body.message || `The server answered ${status}.`;
  const { instance, validationErrors = [], error } = body;
  return new ApiError(status, message, instance, requestId, validationErrors, error);
}
