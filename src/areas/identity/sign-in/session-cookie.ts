// The session of the web page: an access token in a cookie that scripts cannot read and that other
// sites' requests do not carry (HttpOnly, SameSite=Strict). A request that changes something,
// whatever its method, and comes with the cookie alone must also come from this server's own page,
// so that a page of another site cannot make one (ASVS 3.5).
import { AppError } from '../../../model/errors.js';
import type { ApiRequest } from '../../../api/http-server.js';

/**
 * Name of the session's cookie. Over TLS its prefix makes browsers refuse one that another host of
 * the domain has set, or that came without TLS; without TLS browsers would refuse the prefix.
 */
export function sessionCookie(secure: boolean): string {
  return secure ? '__Host-downbeat_session' : 'downbeat_session';
}

/** Value of a cookie in a Cookie header; undefined when it is not there. */
export function cookieOf(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

export interface CookieOptions {
  readonly lifeSeconds: number;
  /** Only over TLS. */
  readonly secure: boolean;
  /** `Lax` lets a redirect of another site carry it. */
  readonly sameSite?: 'Strict' | 'Lax';
  readonly path?: string;
}

/** Set-Cookie header; a life of 0 removes the cookie. */
export function setCookie(name: string, value: string, options: CookieOptions): string {
  const { lifeSeconds, secure, sameSite = 'Strict', path = '/' } = options;
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${lifeSeconds}`, 'HttpOnly'];
  return [...parts, `SameSite=${sameSite}`, ...(secure ? ['Secure'] : [])].join('; ');
}

/**
 * Refuses a request that another site's page may have made: one that changes something must name
 * this server as its origin. A GET carries no Origin, so there the browser's own word counts
 * (Sec-Fetch-Site), or the page that it came from. `origins`: further origins that are ours, such
 * as `https://flows.example.org`. Throws AppError 'forbidden'.
 */
export function checkOrigin(
  request: Pick<ApiRequest, 'method' | 'header'>,
  origins: readonly string[],
): void {
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  const given = request.header('origin');
  if (isGet && given === '' && request.header('sec-fetch-site') !== '') {
    if (request.header('sec-fetch-site') === 'same-origin') return;
    throw otherSite();
  }
  const origin = given === '' && isGet ? originOf(request.header('referer')) : given;
  if (origins.includes(origin)) return;
  if (origin !== '' && origin !== 'null' && hostOf(origin) === request.header('host')) return;
  throw otherSite();
}

function otherSite(): AppError {
  return new AppError('forbidden', 'A request with a session cookie must come from this server');
}

function originOf(referer: string): string {
  try {
    return new URL(referer).origin;
  } catch {
    return '';
  }
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
