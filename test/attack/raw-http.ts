// Requests as bytes, such as no client library sends: what a server and a proxy before it could
// read differently, and what holds a connection. Each case says what may become of it; tests send
// them to either HTTP library, to a bare handler and to a whole server.
import { connect } from 'node:net';

export interface RawCase {
  readonly name: string;
  /** What goes over the wire, one character a byte. */
  readonly bytes: string;
  /**
   * - `refused`: answered with a status from 400 to 599 and the connection closed, or closed
   *   without
   *   an answer; never handled.
   * - `unheard`: not a request for every parser: refused as above, or nothing is answered and the
   *   connection is closed within `idleSeconds`; never handled.
   * - `one`: handled once, and nothing that follows in the bytes is taken for a second request.
   */
  readonly expect: 'refused' | 'unheard' | 'one';
}

const line = '\r\n';

function head(start: string, ...fields: string[]): string {
  return [start, ...fields, '', ''].join(line);
}

const post = 'POST /raw HTTP/1.1';
const get = 'GET /raw HTTP/1.1';
const host = 'Host: localhost';
const chunkedBody = `2${line}xy${line}0${line}${line}`;
const smuggled = `GET /smuggled HTTP/1.1${line}${host}${line}${line}`;

function refused(name: string, bytes: string): RawCase {
  return { name, bytes, expect: 'refused' };
}

function unheard(name: string, bytes: string): RawCase {
  return { name, bytes, expect: 'unheard' };
}

function coded(...codings: string[]): string {
  return head(post, host, ...codings.map((it) => `Transfer-Encoding: ${it}`)) + chunkedBody;
}

function sized(...lengths: string[]): string {
  return `${head(post, host, ...lengths.map((it) => `Content-Length: ${it}`))}xy`;
}

const packedTwice = `${head(post, host, 'Content-Encoding: identity', 'Content-Encoding: gzip', 'Content-Length: 2')}xy`;

export const rawCases: readonly RawCase[] = [
  unheard('no Host and no other field', head(get)),
  refused('no Host', head(get, 'X-A: b')),
  refused('two Hosts', head(get, host, 'Host: elsewhere.example')),
  refused('the same Host twice', head(get, host, host)),
  refused('an empty Host', head(get, 'Host:')),
  refused('a list of Hosts', head(get, 'Host: a, b')),
  refused('a Host with a blank', head(get, 'Host: a b')),
  refused('a Host with a path', head(get, 'Host: a/b')),
  refused('two lengths that differ', sized('1', '2')),
  refused('one length twice', sized('2', '2')),
  refused('a list of lengths', sized('2, 2')),
  refused('a length with a sign', sized('+2')),
  refused('a negative length', sized('-2')),
  refused('a hexadecimal length', sized('0x2')),
  refused('a length that is a word', sized('two')),
  refused('an empty length', sized('')),
  refused('a length beyond all numbers', sized('99999999999999999999')),
  refused(
    'two lengths of a GET',
    `${head(get, host, 'Content-Length: 2', 'Content-Length: 3')}xyz`,
  ),
  refused('another coding', coded('gzip')),
  refused('a coding that ends in chunked', coded('xchunked')),
  refused('a coding behind chunked', coded('chunked, identity')),
  refused('a coding before chunked', coded('gzip, chunked')),
  refused('two codings', coded('chunked', 'identity')),
  refused('two codings, chunked last', coded('identity', 'chunked')),
  refused('an empty coding', coded('')),
  refused('a coding of a GET', head(get, host, 'Transfer-Encoding: gzip') + chunkedBody),
  refused(
    'a length beside a coding',
    head(post, host, 'Transfer-Encoding: chunked', 'Content-Length: 5') + chunkedBody,
  ),
  ...['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'GZIP', 'none'].map((packing) =>
    refused(
      `a body packed as ${packing}`,
      `${head(post, host, `Content-Encoding: ${packing}`, 'Content-Length: 2')}xy`,
    ),
  ),
  refused('a body packed twice', packedTwice),
  unheard('a blank before the colon', head(post, host, 'Content-Length : 2') + 'xy'),
  unheard('a folded field', head(get, host, 'X-A: a', ' b')),
  unheard('a folded coding', head(post, host, 'Transfer-Encoding:', ' chunked') + chunkedBody),
  unheard('a field without a colon', head(get, host, 'X-A')),
  unheard('a blank before the first field', head(get, ' X-A: b', host)),
  unheard('lines that end without a return', `${get}\n${host}\n\n`),
  unheard(
    'a field that ends without a return',
    `${get}${line}${host}${line}X-A: b\nX-B: c${line}${line}`,
  ),
  unheard('a return inside a field', head(get, host, 'X-A: b\rX-B: c')),
  unheard('a zero byte inside a field', head(get, host, 'X-A: b\0c')),
  refused('a zero byte in the path', head('GET /ra\0w HTTP/1.1', host)),
  refused('a byte in the path that is not escaped', head('GET /raw\xe9 HTTP/1.1', host)),
  refused('a byte in the query that is not escaped', head('GET /raw?a=\xc3\xa9 HTTP/1.1', host)),
  refused('two tokens', head(get, host, 'X-Authorization: a', 'X-Authorization: b')),
  refused('two bearers', head(get, host, 'Authorization: Bearer a', 'authorization: Bearer b')),
  ...['0.9', '1.2', '2.0', '3.0', '9.9'].map((version) =>
    refused(`version ${version}`, head(`GET /raw HTTP/${version}`, host)),
  ),
  refused('a preface of HTTP/2', `PRI * HTTP/2.0${line}${line}SM${line}${line}`),
  refused(
    'a chunk that is no number',
    head(post, host, 'Transfer-Encoding: chunked') + `zz${line}xy${line}0${line}${line}`,
  ),
  refused(
    'a negative chunk',
    head(post, host, 'Transfer-Encoding: chunked') + `-2${line}xy${line}0${line}${line}`,
  ),
  refused(
    'a chunk beyond all numbers',
    head(post, host, 'Transfer-Encoding: chunked') +
      `fffffffffffffffff${line}xy${line}0${line}${line}`,
  ),
  {
    name: 'through a proxy, a request behind chunks that end otherwise',
    bytes:
      head(post, host, 'Via: 1.1 proxy', 'Transfer-Encoding: chunked') + `2\nxy\n0\n\n${smuggled}`,
    expect: 'one',
  },
];

/** A connection without a whole request is closed after some such time (http-limits.ts). */
export const idleSeconds = 14;

export interface RawAnswer {
  /** Statuses of all answers, in their order. */
  readonly statuses: readonly number[];
  readonly text: string;
  /** Whether the server closed the connection. */
  readonly closed: boolean;
  readonly ms: number;
}

/** Sends bytes and waits until the server closes the connection, or has answered and is silent. */
export function sendRaw(port: number, bytes: string, settleMs = 400): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const startAt = performance.now();
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let closed = false;
    let settle: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(settle);
      socket.destroy();
      const statuses = [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map((found) =>
        Number(found[1]),
      );
      resolve({ statuses, text, closed, ms: performance.now() - startAt });
    };
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
      clearTimeout(settle);
      settle = setTimeout(done, settleMs);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed = true;
      done();
    });
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** What is wrong with how a case went; undefined: nothing. `handled`: paths that a handler saw. */
export function faultOf(
  { expect, name }: RawCase,
  { statuses, closed, ms }: RawAnswer,
  handled: readonly string[],
): string | undefined {
  const seen = `answered ${statuses.join(', ') || 'nothing'}${closed ? ' and closed' : ''}`;
  if (expect === 'one') {
    const fine = handled.every((path) => path === '/raw') && handled.length <= 1 && closed;
    return fine ? undefined : `${name}: ${seen}, handled ${handled.join(', ')}`;
  }
  if (handled.length > 0) return `${name}: it was handled`;
  if (!closed) return `${name}: ${seen}, and left the connection open`;
  if (statuses.some((status) => status < 400)) return `${name}: ${seen}`;
  if (ms > idleSeconds * 1000) return `${name}: closed after ${Math.round(ms)} ms`;
  return undefined;
}
