// The one place where what went wrong becomes a status and a body (contract-core 2). Refusals are
// `AppError`s with a kind; store failures become 503; everything else is a defect of ours: it is
// logged once under an id, and the caller gets only that id.
import { randomUUID } from 'node:crypto';
import { AppError, type ErrorKind } from '../model/errors.js';
import { StoreError } from '../store/execution-store.js';
import { contextIn, type Trace } from '../telemetry/trace.js';
import { loggedTrace } from '../telemetry/trace-context.js';
import type { ApiResponse } from './http-server.js';

const statuses: Readonly<Record<ErrorKind, number>> = {
  'bad-request': 400,
  validation: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  'too-many': 429,
  'bad-gateway': 502,
  unavailable: 503,
  'unknown-outcome': 503,
  internal: 500,
};

/** HTTP status of a kind of refusal (contract-core 2.1). */
export function statusOfKind(kind: ErrorKind): number {
  return statuses[kind];
}

/** HTTP status of a refusal. */
export function statusOf(refusal: AppError): number {
  return statuses[refusal.kind];
}

/** Contract-core 2.2. */
const validationMessage = 'Validation failed, check below errors for detail.';

/** The request that failed; a node that starts knows nothing of it. */
export interface AnsweredRequest {
  readonly requestId?: string;
  readonly trace?: Trace | undefined;
}

/** The log of failed requests; pino's logger fits. */
export interface ErrorLog {
  error(fields: object, message: string): void;
  debug?(fields: object, message: string): void;
}

export class ErrorAnswers {
  /** `instance` names this server in error bodies. */
  constructor(
    private readonly instance: string,
    private readonly log: ErrorLog,
  ) {}

  /**
   * Answer for anything thrown while `subject` (method and path) was handled. The log line holds
   * the request's id and trace context; failures are always logged, refusals at the level debug.
   */
  answer(error: unknown, subject: string, request: AnsweredRequest = {}): ApiResponse {
    const { requestId, trace } = request;
    const told = { subject, requestId, ...trace, ...loggedTrace(contextIn(trace)) };
    if (error instanceof AppError && error.kind !== 'internal') {
      const { kind, message } = error;
      if (kind === 'unavailable' || kind === 'unknown-outcome') {
        if (trace !== undefined) this.log.error({ kind, ...told }, message);
      } else this.log.debug?.({ kind, ...told }, message);
      return this.#refusal(error);
    }
    if (error instanceof StoreError) {
      const kind = error.outcome === 'unclear' ? 'unknown-outcome' : 'unavailable';
      this.log.error({ err: error, ...told }, 'the store refused a request');
      return this.#refusal(new AppError(kind, storeMessages[kind]));
    }
    const errorId = randomUUID();
    this.log.error({ err: error, errorId, ...told }, 'a request failed with an unexpected error');
    return this.#refusal(
      new AppError('internal', `Internal error, see the server's log under ${errorId}`),
    );
  }

  /** 404 for a path without route (contract-core 1.1). */
  unknownPath(path: string): ApiResponse {
    const shown = path.replace(/^\//, '').slice(0, shownPathMax);
    return this.#refusal(new AppError('not-found', `No static resource ${shown}.`));
  }

  /** 405 for a known path (contract-core 1.1). */
  wrongMethod(method: string, allowed: readonly string[]): ApiResponse {
    const error = new AppError(
      'method-not-allowed',
      `Request method '${method.slice(0, 20)}' is not supported`,
    );
    return { ...this.#refusal(error), headers: { Allow: allowed.join(', ') } };
  }

  #refusal(error: AppError): ApiResponse {
    const status = statuses[error.kind];
    const { retryAfterSeconds, plainText } = error.details;
    const headers =
      status === 429 || status === 503 || retryAfterSeconds !== undefined
        ? { headers: { 'Retry-After': String(retryAfterSeconds ?? 1) } }
        : {};
    if (plainText === true) {
      return { status, contentType: 'text/plain;charset=UTF-8', body: error.message, ...headers };
    }
    const body = JSON.stringify(this.#body(error, status));
    return { status, contentType: 'application/json', body, ...headers };
  }

  /**
   * Contract-core 2.1 and 2.2; `error` on 401 and 403 because clients read it (contract-admin 1.4).
   */
  #body(error: AppError, status: number): object {
    const retryable = status === 429 || status === 503;
    const { violations, tokenError = 'INVALID_TOKEN' } = error.details;
    if (error.kind === 'validation' && violations !== undefined) {
      return { status, message: validationMessage, retryable, validationErrors: violations };
    }
    return {
      status,
      message: error.message,
      instance: this.instance,
      retryable,
      ...(error.kind === 'unauthenticated' ? { error: tokenError } : {}),
      ...(error.kind === 'forbidden' ? { error: 'FORBIDDEN' } : {}),
      ...(error.kind === 'unknown-outcome' ? { metadata: { outcome: 'unknown' } } : {}),
    };
  }
}

const storeMessages = {
  unavailable: 'The store is not available, nothing was changed',
  'unknown-outcome':
    'The store did not confirm the change: it may or may not have happened. Repeat with the same idempotency key or id',
} as const;

const shownPathMax = 200;
