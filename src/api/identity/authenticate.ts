// Who sends a request: the header X-Authorization (or Authorization: Bearer) with an access token,
// or the session cookie of the web page (contract-admin 1.4).
import type { Authenticator } from '../../access/authenticator.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { ApiRequest } from '../http-server.js';
import { checkOrigin, cookieOf, sessionCookie } from './session-cookie.js';

/**
 * Throws AppError 'unauthenticated' with the code that clients act on, 'too-many', and 'forbidden'
 * for a session's request of another site.
 */
export function createAuthenticate(
  authenticator: Authenticator,
  origins: readonly string[],
): (request: ApiRequest) => Caller {
  return (request) => {
    const token = request.header('x-authorization');
    return authenticator.caller(token === '' ? tokenElsewhere(request, origins) : token);
  };
}

/** The token of a request wherever it stands; undefined for none. */
export function tokenOf(request: Pick<ApiRequest, 'header'>): string | undefined {
  return request.header('x-authorization') || bearerOf(request) || sessionOf(request);
}

function tokenElsewhere(request: ApiRequest, origins: readonly string[]): string {
  const bearer = bearerOf(request);
  if (bearer !== undefined) return bearer;
  const session = sessionOf(request);
  if (session === undefined) {
    throw new AppError('unauthenticated', 'The header X-Authorization with a token is missing', {
      tokenError: 'UNAUTHORIZED',
    });
  }
  checkOrigin(request, origins);
  return session;
}

function bearerOf(request: Pick<ApiRequest, 'header'>): string | undefined {
  const header = request.header('authorization');
  return /^bearer /i.test(header) ? header.slice(7).trim() || undefined : undefined;
}

function sessionOf(request: Pick<ApiRequest, 'header'>): string | undefined {
  return cookieOf(request.header('cookie'), sessionCookie) || undefined;
}
