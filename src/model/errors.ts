// The kinds of refusal a caller can meet. `api/errors.ts` alone turns kinds into HTTP statuses.

export type ErrorKind =
  | 'bad-request' // 400
  | 'validation' // 400 with `validationErrors`
  | 'unauthenticated' // 401
  | 'forbidden' // 403
  | 'not-found' // 404
  | 'method-not-allowed' // 405
  | 'conflict' // 409
  | 'too-large' // 413
  | 'too-many' // 429 with Retry-After
  | 'bad-gateway' // 502: another system that was asked failed
  | 'unavailable' // 503 with Retry-After
  | 'unknown-outcome' // 503: repeat with the same key (invariants M3)
  | 'internal'; // 500

/** One violated rule of a request (contract-core 2.2). */
export interface Violation {
  path: string;
  message: string;
  /** Text form of the rejected scalar; absent for null, lists and objects. */
  invalidValue?: string;
}

/** A refusal to a caller. Thrown by operations and parsers, never for broken invariants. */
export class AppError extends Error {
  constructor(
    readonly kind: ErrorKind,
    message: string,
    readonly details: {
      violations?: Violation[];
      retryAfterSeconds?: number;
      /** Answer this text as text/plain instead of the error body (contract-core 14.1). */
      plainText?: boolean;
      /** `error` of a 401: for the last two clients renew their token (contract-admin 1.4). */
      tokenError?: 'UNAUTHORIZED' | 'EXPIRED_TOKEN' | 'INVALID_TOKEN' | 'SECOND_FACTOR';
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
  }

  /** Whether the same request may succeed later: the caller may try again. */
  get isTransient(): boolean {
    return permanence[this.kind] === 'transient';
  }

  /** Whether every repetition is refused as well. A defect of this server is neither. */
  get isFinal(): boolean {
    return permanence[this.kind] === 'final';
  }
}

const permanence: Readonly<Record<ErrorKind, 'final' | 'transient' | 'defect'>> = {
  'bad-request': 'final',
  validation: 'final',
  unauthenticated: 'final',
  forbidden: 'final',
  'not-found': 'final',
  'method-not-allowed': 'final',
  conflict: 'final',
  'too-large': 'final',
  'too-many': 'transient',
  'bad-gateway': 'transient',
  unavailable: 'transient',
  'unknown-outcome': 'transient',
  internal: 'defect',
};

/** A field of a request that breaks a rule of its kind: `name may have 100 characters at most`. */
export function wrongField(path: string, rule: string): AppError {
  return new AppError('bad-request', `${path} ${rule}`);
}

/** No execution has this id, or the caller may not know of it. */
export function noSuchWorkflow(id: string): AppError {
  return new AppError('not-found', `No such workflow found by id: ${id}`);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'not-found';
}
