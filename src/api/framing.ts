// Checks the header fields of a request, so that every server and proxy on the way reads the same
// request out of the same bytes (RFC 9112 sections 3.2, 6.1 and 6.3): one Host, one length, one
// token, no transfer coding but `chunked`. A packed body is refused as well: a small one could
// become a large one. The libraries let some of it through, and each of them something else, so
// both HTTP servers ask here before anything is done with a request.

/** The one transfer coding that is served. */
const chunked = 'chunked';
/** A name or an address, with a port if wanted; never a list, a blank or a path. */
const hostPattern = /^[\w.~%!$&'()*+;=:[\]-]+$/;
const lengthPattern = /^\d{1,15}$/;

/** Headers by which a proxy says that it has passed a request on. */
const proxyHeaders: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

export interface Framing {
  /** Why the request is refused, as a sentence; undefined: its framing is sound. */
  readonly fault: string | undefined;
  /**
   * Whether nothing that follows on the connection may be heard. The native parser takes chunks
   * that end in other ways than a proxy may expect, and a proxy's connection carries requests of
   * many: what it takes for the end of such a body another one may take for its middle. Of no
   * matter for node:http, whose parser is strict.
   */
  readonly closes: boolean;
}

const sound: Framing = { fault: undefined, closes: false };
const soundLast: Framing = { fault: undefined, closes: true };

/**
 * `fields`: names in lower case and values by turns, as they came. HTTP/1.0, which one of the
 * libraries serves, needs no Host.
 */
export function framingOf(fields: readonly string[], needsHost = true): Framing {
  let host: string | undefined;
  let length: string | undefined;
  let coding: string | undefined;
  let isPacked = false;
  let token = false;
  let bearer = false;
  let isForwarded = false;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    const value = fields[i + 1] as string;
    if (name === 'host') {
      if (host !== undefined) return faulty('The request has more than one header Host');
      host = value;
    } else if (name === 'content-length') {
      if (length !== undefined) return faulty('The request has more than one Content-Length');
      if (!lengthPattern.test(value)) return faulty('Content-Length is no number of bytes');
      length = value;
    } else if (name === 'transfer-encoding') {
      if (coding !== undefined) return faulty('The request has more than one Transfer-Encoding');
      coding = value;
    } else if (name === 'content-encoding') {
      isPacked ||= value !== '' && value.toLowerCase() !== 'identity';
    } else if (name === 'x-authorization') {
      if (token) return faulty('The request has more than one X-Authorization');
      token = true;
    } else if (name === 'authorization') {
      if (bearer) return faulty('The request has more than one Authorization');
      bearer = true;
    } else if (proxyHeaders.has(name)) isForwarded = true;
  }
  if (host === undefined && needsHost) return faulty('The request has no header Host');
  if (host !== undefined && !hostPattern.test(host))
    return faulty('The header Host is no name or address');
  if (isPacked) return faulty('Content-Encoding may be identity only: bodies are not unpacked');
  if (coding === undefined) return sound;
  if (coding.toLowerCase() !== chunked) return faulty('Transfer-Encoding may be chunked only');
  if (length !== undefined) {
    return faulty('The request has both Content-Length and Transfer-Encoding');
  }
  return isForwarded ? soundLast : sound;
}

/**
 * Why an address is refused that holds a byte which must be percent-encoded (RFC 3986 section 2):
 * the native parser reads such bytes as UTF-8, and those that are none all as one sign. undefined:
 * it is sound. Of no matter for node:http, which refuses it.
 */
export function addressFault(path: string, query: string): string | undefined {
  if (plainAddress.test(path) && plainAddress.test(query)) return undefined;
  return 'The request address has a sign that must be percent-encoded';
}

const plainAddress = /^[!-~]*$/;

/** Why a version is refused: node:http reads a request of `HTTP/2.0` as one of 1.1. */
export function versionFault(version: string): string | undefined {
  if (version === '1.1' || version === '1.0') return undefined;
  return 'The version of HTTP is none that is served here: 1.1 is';
}

function faulty(fault: string): Framing {
  return { fault, closes: true };
}
