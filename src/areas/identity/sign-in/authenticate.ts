// Finds the caller of a request: the header X-Authorization (or Authorization: Bearer) with an
// access token, or the session cookie of the web page (contract-admin 1.4).
import type { Authenticator } from './authenticator.js';
import { AppError } from '../../../model/errors.js';
import type { ApiRequest } from '../../../api/http-server.js';
import type { Authenticate } from '../../../api/api.js';
import { checkOrigin, cookieOf, sessionCookie } from './session-cookie.js';

/**
 * Throws AppError 'unauthenticated' with the code that clients act on, 'too-many', and 'forbidden'
 * for a session's request of another site.
 */
export function createAuthenticate(
  authenticator: Authenticator,
  session: SessionRules,
): Authenticate {
  return (request, changes) => {
    const token = request.header('x-authorization');
    return authenticator.caller(token === '' ? tokenElsewhere(request, session, changes) : token);
  };
}

export interface SessionRules {
  /** Origins of the page besides this server. */
  readonly origins: readonly string[];
  /** Whether cookies are for TLS only. */
  readonly secure: boolean;
}

/** The token of a request wherever it stands; undefined for none. */
export function tokenOf(request: Pick<ApiRequest, 'header'>, secure: boolean): string | undefined {
  return request.header('x-authorization') || bearerOf(request) || sessionOf(request, secure);
}

function tokenElsewhere(
  request: ApiRequest,
  { origins, secure }: SessionRules,
  changes: boolean,
): string {
  const bearer = bearerOf(request);
  if (bearer !== undefined) return bearer;
  const session = sessionOf(request, secure);
  if (session === undefined) {
    throw new AppError('unauthenticated', 'The header X-Authorization with a token is missing', {
      tokenError: 'UNAUTHORIZED',
    });
  }
  if (changes) checkOrigin(request, origins);
  return session;
}

function bearerOf(request: Pick<ApiRequest, 'header'>): string | undefined {
  const header = request.header('authorization');
  return /^bearer /i.test(header) ? header.slice(7).trim() || undefined : undefined;
}

function sessionOf(request: Pick<ApiRequest, 'header'>, secure: boolean): string | undefined {
  return cookieOf(request.header('cookie'), sessionCookie(secure)) || undefined;
}
