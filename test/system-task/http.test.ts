import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/std/clock.js';
import type { Json, JsonMap } from '../../src/model/json.js';
import { createHttpTask } from '../../src/system-task/http.js';
import {
  defaultOutboundSettings,
  OutboundClient,
  type OutboundSettings,
} from '../../src/system-task/outbound-client.js';
import type { TaskOutcome, TaskRun } from '../../src/system-task/system-task.js';
import { taskRun } from './task-run.js';

interface Seen {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

let stub: http.Server;
let base: string;
const seen: Seen[] = [];
const held: http.ServerResponse[] = [];
const clients: OutboundClient[] = [];

/** Answers by path: /status/418, /json?..., /hold (never), /redirect, anything else is echoed. */
function answer(request: http.IncomingMessage, response: http.ServerResponse, body: string): void {
  const url = new URL(request.url ?? '/', 'http://stub');
  seen.push({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
  });
  const [, kind, value] = url.pathname.split('/');
  if (kind === 'hold') {
    held.push(response);
    return;
  }
  if (kind === 'drip') {
    response.write('x');
    held.push(response);
    return;
  }
  if (kind === 'redirect') {
    response.writeHead(302, { Location: url.searchParams.get('to') ?? '' }).end();
    return;
  }
  if (kind === 'raw') {
    response.writeHead(200, { 'X-Twice': ['a', 'b'], 'Content-Type': 'text/plain' });
    response.end(url.searchParams.get('body') ?? '');
    return;
  }
  if (kind === 'status') {
    response.writeHead(Number(value), { 'Content-Type': 'application/json' });
    response.end(Number(value) === 204 ? '' : '{"answer":true}');
    return;
  }
  response.writeHead(200, { 'Content-Type': 'application/json', 'X-Stub': 'yes' });
  response.end(JSON.stringify({ path: url.pathname, method: request.method, body }));
}

beforeAll(async () => {
  stub = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
});

afterAll(async () => {
  for (const response of held) response.destroy();
  await Promise.all(clients.map((client) => client.stop()));
  await new Promise((resolve) => stub.close(resolve));
});

function run(
  input: JsonMap,
  more: Partial<TaskRun> = {},
  settings: Partial<OutboundSettings> = {},
): Promise<TaskOutcome> {
  const client = new OutboundClient(
    { ...defaultOutboundSettings, allowInside: true, ...settings },
    systemClock,
  );
  clients.push(client);
  const task = createHttpTask({ client, requestTimeMsMax: 60_000, instance: 'here' });
  return task.run(taskRun(input, more));
}

function get(path: string, more: JsonMap = {}): JsonMap {
  return { http_request: { uri: base + path, method: 'GET', ...more } };
}

function responseOf(outcome: TaskOutcome): JsonMap {
  return outcome.output['response'] as JsonMap;
}

describe('an HTTP task', () => {
  it('completes with status, reason phrase, headers by their sent names, and the parsed body', async () => {
    const outcome = await run(get('/echo', { headers: { 'x-probe': 'v', 'x-none': null } }));
    expect(outcome).toMatchObject({ status: 'COMPLETED', workerId: 'here' });
    const response = responseOf(outcome);
    expect(Object.keys(response).sort()).toEqual(['body', 'headers', 'reasonPhrase', 'statusCode']);
    expect(response).toMatchObject({
      statusCode: 200,
      reasonPhrase: 'OK',
      headers: { 'X-Stub': ['yes'] },
      body: { path: '/echo', method: 'GET', body: '' },
    });
    const request = seen.at(-1);
    expect(request?.headers['x-probe']).toBe('v');
    expect(request?.headers).not.toHaveProperty('x-none');
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers['accept']).toBe('application/json');
  });

  it('takes flat keys as the request and sends maps as JSON, texts as they are', async () => {
    await run({ uri: `${base}/a`, method: 'post', body: { a: [1] } });
    expect(seen.at(-1)).toMatchObject({ method: 'POST', body: '{"a":[1]}' });
    await run({ uri: `${base}/a`, method: 'PUT', body: 'plain', contentType: 'text/plain' });
    expect(seen.at(-1)).toMatchObject({ method: 'PUT', body: 'plain' });
    expect(seen.at(-1)?.headers['content-type']).toBe('text/plain');
  });

  it('sends the same idempotency key for the same attempt, and the task’s own when it has one', async () => {
    await run(get('/echo'), { attemptKey: 'attempt-1' });
    expect(seen.at(-1)?.headers['idempotency-key']).toBe('attempt-1');
    await run(get('/echo', { headers: { 'idempotency-KEY': 'mine' } }));
    expect(seen.at(-1)?.headers['idempotency-key']).toBe('mine');
  });

  const bodies: [string, Json][] = [
    ['{"a":1}', { a: 1 }],
    ['[1]', [1]],
    ['5', 5],
    ['true', 'true'],
    ['null', 'null'],
    ['"text"', 'text'],
    ['plain words', 'plain words'],
    ['', null],
  ];
  it.each(bodies)('reads the body %s', async (body, value) => {
    const outcome = await run(get(`/raw?body=${body.replaceAll('"', '%22')}`, { encode: false }));
    expect(responseOf(outcome)['body']).toEqual(value);
    expect(responseOf(outcome)['headers']).toMatchObject({ 'X-Twice': ['a', 'b'] });
  });

  it('encodes the address unless it is said to be encoded', async () => {
    await run(get('/a b?q=50%&r=ä{x}'));
    expect(seen.at(-1)?.path).toBe('/a%20b?q=50%25&r=%C3%A4{x}');
    await run(get('/a%20b?q=1%2B1', { encode: false }));
    expect(seen.at(-1)?.path).toBe('/a%20b?q=1%2B1');
  });

  it('stays in state with asyncComplete', async () => {
    const outcome = await run(get('/echo'), { asyncComplete: true });
    expect(outcome.status).toBe('IN_PROGRESS');
    expect(responseOf(outcome)['statusCode']).toBe(200);
  });

  it('fails for 4xx and 5xx with the answer as a structure and its text beside it', async () => {
    const outcome = await run(get('/status/418?secret=1'));
    const text = `418 I'm a Teapot on GET request for "${base}/status/418": "{"answer":true}"`;
    expect(outcome.status).toBe('FAILED');
    expect(outcome.reason).toBe(`Failed to invoke HTTP task due to: ${text}`);
    expect(outcome.output['error']).toBe(text);
    expect(responseOf(outcome)).toMatchObject({ statusCode: 418, body: { answer: true } });
  });

  it('does not follow redirects unless asked', async () => {
    const path = `/redirect?to=${base}/echo`;
    const outcome = await run(get(path));
    expect(outcome).toMatchObject({
      status: 'FAILED',
      reason: 'No response from the remote service',
    });
    expect(responseOf(outcome)['statusCode']).toBe(302);
    const followed = await run(get(path, { followRedirects: true }));
    expect(followed.status).toBe('COMPLETED');
    expect(responseOf(followed)['body']).toMatchObject({ path: '/echo' });
  });

  it('accepts the listed status codes only', async () => {
    const accepts = { acceptedStatusCodes: ['404', '5xx'] };
    expect((await run(get('/status/404', accepts))).status).toBe('COMPLETED');
    expect((await run(get('/status/503', accepts))).status).toBe('COMPLETED');
    expect((await run(get('/status/200', accepts))).status).toBe('FAILED');
    expect((await run(get('/x', { acceptedStatusCodes: ['ok'] }))).reason).toContain('ok');
  });

  it.each([
    [{ method: 'GET' }, 'Missing HTTP URI.  See documentation'],
    [{ uri: 'http://x' }, 'No HTTP method specified'],
    [{ uri: 'http://x', method: 'BREW' }, 'Unknown HTTP method BREW'],
    [{ uri: 'file:///etc/passwd', method: 'GET' }, 'must start with http'],
    [{ uri: 'not an address', method: 'GET' }, 'is not valid'],
    [{ uri: 'http://x', method: 'GET', contentType: 'nonsense' }, 'not a media type'],
    [{ uri: 'http://x', method: 'GET', headers: { a: 'x\r\ny: z' } }, 'The header a'],
  ])('refuses the input %j', async (http_request, reason) => {
    const outcome = await run({ http_request });
    expect(outcome).toMatchObject({ status: 'FAILED', output: {} });
    expect(outcome.reason).toContain(reason);
  });

  it('gives up a peer that is silent', async () => {
    const outcome = await run(get('/hold', { readTimeOut: 60 }));
    expect(outcome.status).toBe('FAILED');
    expect(outcome.reason).toContain('Read timed out after 60 ms');
    expect(outcome.output).not.toHaveProperty('response');
    expect((await run(get('/drip', { readTimeOut: '60' }))).reason).toContain('Read timed out');
  });

  it('gives up an answer that does not end, however lively', async () => {
    const outcome = await run(get('/drip', { readTimeOut: 10_000 }), {}, { requestTimeMsMax: 80 });
    expect(outcome.reason).toContain('No end of the answer within 80 ms');
  });

  it('cuts off an answer past the limit', async () => {
    const outcome = await run(get('/echo'), {}, { responseBytesMax: 10 });
    expect(outcome.reason).toContain('longer than 10 bytes');
  });

  it('says what kept it from connecting', async () => {
    const port = (stub.address() as AddressInfo).port;
    expect((await run({ uri: 'http://127.0.0.1:1/x', method: 'GET' })).reason).toContain(
      'I/O error on GET request for "http://127.0.0.1:1/x": Connection refused',
    );
    const refused = await run(get('/echo'), {}, { allowInside: false });
    expect(refused.reason).toContain('127.0.0.1 is inside');
    expect(refused.reason).toContain('outboundAllowInside');
    const listed = { allowInside: false, allowedHosts: [`127.0.0.1:${port}`] };
    expect((await run(get('/echo'), {}, listed)).status).toBe('COMPLETED');
    const network = { allowInside: false, allowedHosts: ['127.0.0.0/8'] };
    expect((await run(get('/echo'), {}, network)).status).toBe('COMPLETED');
  });

  it.each([
    'http://2130706433',
    'http://0x7f.1',
    'http://127.1',
    'http://[::ffff:127.0.0.1]',
    'http://localhost',
  ])('refuses the inside address written as %s', async (origin) => {
    const port = (stub.address() as AddressInfo).port;
    const before = seen.length;
    const input = { uri: `${origin}:${port}/echo`, method: 'GET' };
    const outcome = await run(input, {}, { allowInside: false });
    expect(outcome.reason).toContain('inside the server');
    expect(seen.length).toBe(before);
  });

  it('checks where a redirect leads', async () => {
    const port = (stub.address() as AddressInfo).port;
    const settings = { allowInside: false, allowedHosts: [`127.0.0.1:${port}`] };
    const path = `/redirect?to=http://localhost:${port}/echo`;
    const outcome = await run(get(path, { followRedirects: true }), {}, settings);
    expect(outcome.reason).toContain('inside the server');
  });

  it('sends hedged attempts and takes the first success', async () => {
    const before = seen.length;
    const outcome = await run(get('/echo', { hedgingConfig: { maxAttempts: 3 } }));
    expect(outcome.status).toBe('COMPLETED');
    expect(seen.length).toBeGreaterThan(before);
    const lost = await run(get('/status/500', { hedgingConfig: { maxAttempts: 2 } }));
    expect(responseOf(lost)['statusCode']).toBe(500);
  });

  it('ends with its signal', async () => {
    const cancel = new AbortController();
    const outcome = run(get('/hold', { readTimeOut: 60_000 }), { signal: cancel.signal });
    cancel.abort();
    expect((await outcome).reason).toContain('Cancelled');
  });
});
