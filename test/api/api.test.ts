import { describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.js';
import { ErrorAnswers } from '../../src/api/errors.js';
import type { ApiResponse } from '../../src/api/http-server.js';
import { query, type Endpoint } from '../../src/api/endpoint.js';
import { flag, integer, text } from '../../src/model/schema.js';
import { json, type RouteRequest } from '../../src/api/route.js';
import { AppError, type ErrorKind } from '../../src/model/errors.js';
import { StoreError } from '../../src/store/execution-store.js';
import { plainEndpoint } from './plain-endpoint.js';
import { plainRequest, type Sent } from './plain-request.js';

const logged: object[] = [];
const errors = new ErrorAnswers('node-1', { error: (fields) => void logged.push(fields) });

const letters = ['a', 'b', 'c', 'd', 'n', 's', 't', 'v', 'w', 'nope'];
const parameters = {
  ...Object.fromEntries(letters.map((name) => [name, query(text())])),
  isOn: query(flag('', { default: true })),
  size: query(integer('', { default: 100 })),
};

/** Answer of an API whose only handler is `handle`. */
async function ask(
  handle: Endpoint['handle'],
  over: Partial<Sent> = {},
): Promise<ApiResponse & { parsed: unknown }> {
  const api = createApi(
    [
      plainEndpoint('POST', '/api/x', { handle, parameters }),
      plainEndpoint('POST', '/api/x/:name', { handle, parameters }),
    ],
    { errors, json: { depthMax: 8, keysMax: 20 } },
  );
  const answer = await api(plainRequest({ method: 'POST', path: '/api/x', ...over }));
  const parsed: unknown =
    answer.contentType === 'application/json' ? JSON.parse(String(answer.body)) : answer.body;
  return { ...answer, parsed };
}

const read =
  (take: (request: RouteRequest) => unknown): Endpoint['handle'] =>
  (r) =>
    json((take(r) ?? null) as never);

describe('refusals', () => {
  it.each<[ErrorKind, number, boolean]>([
    ['bad-request', 400, false],
    ['not-found', 404, false],
    ['conflict', 409, false],
    ['too-large', 413, false],
    ['too-many', 429, true],
    ['unavailable', 503, true],
  ])('answers kind %s with status %i and the error body', async (kind, status, retryable) => {
    const answer = await ask(() => {
      throw new AppError(kind, 'why');
    });
    expect(answer.status).toBe(status);
    expect(answer.contentType).toBe('application/json');
    expect(answer.parsed).toEqual({ status, message: 'why', instance: 'node-1', retryable });
    expect(answer.headers?.['Retry-After']).toBe(retryable ? '1' : undefined);
  });

  it('lists violations without an instance', async () => {
    const violations = [
      { path: 'updateTask.arg0.taskId', message: 'Task ID cannot be null or empty' },
    ];
    const answer = await ask(() => Promise.reject(new AppError('validation', 'x', { violations })));
    expect(answer.status).toBe(400);
    expect(answer.parsed).toEqual({
      status: 400,
      message: 'Validation failed, check below errors for detail.',
      retryable: false,
      validationErrors: violations,
    });
  });

  it('carries the key error with a 401 and a 403, a marker with an unclear outcome, and plain text on demand', async () => {
    const unauthenticated = await ask(() => {
      throw new AppError('unauthenticated', 'no');
    });
    expect(unauthenticated.parsed).toMatchObject({ status: 401, error: 'INVALID_TOKEN' });
    const expired = new AppError('unauthenticated', 'old', { tokenError: 'EXPIRED_TOKEN' });
    const renew = await ask(() => Promise.reject(expired));
    expect(renew.parsed).toMatchObject({ status: 401, error: 'EXPIRED_TOKEN' });
    const forbidden = await ask(() => Promise.reject(new AppError('forbidden', 'no')));
    expect(forbidden.parsed).toMatchObject({ status: 403, error: 'FORBIDDEN' });
    const unclear = await ask(() => Promise.reject(new StoreError('unclear', 'lost connection')));
    expect(unclear.parsed).toMatchObject({
      status: 503,
      retryable: true,
      metadata: { outcome: 'unknown' },
    });
    expect(JSON.stringify(unclear.parsed)).not.toContain('lost connection');
    const plain = await ask(() => {
      throw new AppError('too-many', 'full', { plainText: true, retryAfterSeconds: 9 });
    });
    expect(plain).toMatchObject({
      status: 429,
      contentType: 'text/plain;charset=UTF-8',
      body: 'full',
      headers: { 'Retry-After': '9' },
    });
  });

  it('answers a defect with an id and logs it once', async () => {
    logged.length = 0;
    const answer = await ask(() => Promise.reject(new Error('inner secret')));
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.parsed)).not.toContain('secret');
    expect(logged).toHaveLength(1);
    const { errorId } = logged[0] as { errorId: string };
    expect(answer.parsed).toMatchObject({ message: expect.stringContaining(errorId) as string });
  });

  it('answers unknown paths and wrong methods', async () => {
    const unknown = await ask(() => json(1), { path: '/api/nope' });
    expect(unknown.parsed).toMatchObject({ status: 404, message: 'No static resource api/nope.' });
    const wrong = await ask(() => json(1), { method: 'PATCH' });
    expect(wrong.parsed).toMatchObject({
      status: 405,
      message: "Request method 'PATCH' is not supported",
    });
    expect(wrong.headers).toMatchObject({ Allow: 'POST' });
  });
});

describe('a path', () => {
  it('is known with OPTIONS, which names its methods', async () => {
    const answer = await ask(() => json(1), { method: 'OPTIONS' });
    expect(answer).toMatchObject({ status: 204, headers: { Allow: 'OPTIONS, POST' } });
    expect((await ask(() => json(1), { method: 'OPTIONS', path: '/api/nope' })).status).toBe(404);
  });

  it('is served below the base path and without it', async () => {
    const endpoint = plainEndpoint('GET', '/api/x', { handle: () => json(1) });
    const limits = { depthMax: 8, keysMax: 20 };
    const api = createApi([endpoint], { errors, json: limits, basePath: '/tools/downbeat' });
    const statusOf = async (path: string): Promise<number> =>
      (await api(plainRequest({ path }))).status;
    expect(await statusOf('/tools/downbeat/api/x')).toBe(200);
    expect(await statusOf('/api/x')).toBe(200);
    expect(await statusOf('/tools/downbeat2/api/x')).toBe(404);
    expect(await statusOf('/tools/downbeat')).toBe(404);
  });
});

describe('a streamed answer', () => {
  it('ends and is logged when its producer fails', async () => {
    logged.length = 0;
    const answer = await ask(() => ({
      status: 200,
      stream: () => {
        throw new Error('inner secret');
      },
    }));
    let ended = 0;
    answer.stream?.({
      write: () => true,
      end: () => ended++,
      drained: () => Promise.resolve(),
      onClose: () => undefined,
    });
    expect(ended).toBe(1);
    expect(logged).toHaveLength(1);
  });
});

describe('a route request', () => {
  it('decodes path variables and refuses broken escapes', async () => {
    const name = read((r) => r.param('name'));
    expect((await ask(name, { path: '/api/x/a%2Fb%20%3A' })).parsed).toBe('a/b :');
    expect((await ask(name, { path: '/api/x/a%zz' })).status).toBe(400);
  });

  it('reads query parameters of every kind', async () => {
    const query = 'a=1&b=&c=x%20y&d=true&s=A,B&t=A&t=B,C&n=-5';
    const all = read((r) => [
      r.query('a'),
      r.query('b'),
      r.query('nope') ?? 'absent',
      r.query('c'),
      r.queryBoolean('d'),
      r.queryBoolean('b'),
      r.queryBoolean('isOn'),
      r.queryNumber('size'),
      r.queryAll('s'),
      r.queryAll('t'),
      r.queryAll('nope'),
      r.queryInteger('n'),
      r.queryInteger('b') ?? 'absent',
    ]);
    expect((await ask(all, { query })).parsed).toEqual([
      '1',
      '',
      'absent',
      'x y',
      true,
      false,
      true,
      100,
      ['A', 'B'],
      ['A', 'B,C'],
      [],
      -5,
      'absent',
    ]);
  });

  it.each<[string, (request: RouteRequest) => unknown]>([
    ['query parameter', (r) => r.query('other')],
    ['query parameter', (r) => r.queryAll('other')],
    ['query parameter', (r) => r.queryBoolean('other')],
    ['query parameter', (r) => r.queryInteger('other')],
    ['default of the query parameter', (r) => r.queryNumber('nope')],
    ['header', (r) => r.header('x-on-conflict')],
    ['path variable', (r) => r.param('other')],
    ['use of all headers', (r) => r.headers()],
  ])('fails for a handler that reads a %s that its entry does not declare', async (what, take) => {
    logged.length = 0;
    expect((await ask(read(take), { query: 'other=1' })).status).toBe(500);
    const [{ err }] = logged as [{ err: Error }];
    expect(err.message).toMatch(new RegExp(`does not declare the ${what}`));
  });

  it.each([
    ['a boolean', (r: RouteRequest) => r.queryBoolean('v')],
    ['a number', (r: RouteRequest) => r.queryInteger('v')],
    ['a missing parameter', (r: RouteRequest) => r.queryRequired('w')],
  ])('refuses %s that is none', async (_what, take) => {
    expect((await ask(read(take), { query: 'v=1.5x' })).status).toBe(400);
  });

  it.each([
    ['missing', ''],
    ['malformed', '{"a":'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['too deep', '['.repeat(9) + ']'.repeat(9)],
    [
      'with too many keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, 1]))),
    ],
    ['with a prototype key', '{"a":[{"__proto__":{"x":1}}]}'],
    ['with an escaped prototype key', '{"a":{"\\u005f_proto__":1}}'],
    ['with a key called constructor', '{"a":{"constructor":{"x":1}}}'],
    ['with a key called prototype', '[{"prototype":null}]'],
    ['with an escaped key called constructor', '{"\\u0063onstructor":1}'],
  ])('refuses a JSON body that is %s', async (_what, body) => {
    const answer = await ask(
      read((r) => r.json()),
      { body: Buffer.from(body) },
    );
    expect(answer.status).toBe(400);
  });

  it('accepts brackets, colons and the forbidden word inside strings', async () => {
    const value = {
      text: '[[[[[[[[[[{{{{"\\:::::::::::::::::::::::::',
      word: '__proto__',
      more: ['constructor', 'prototype'],
    };
    const answer = await ask(
      read((r) => r.json()),
      { body: Buffer.from(JSON.stringify(value)) },
    );
    expect(answer.parsed).toEqual(value);
  });

  it('takes objects only where an object is wanted', async () => {
    const map = read((r) => r.jsonMap());
    for (const body of ['[]', 'null', '1', '"x"']) {
      expect((await ask(map, { body: Buffer.from(body) })).status).toBe(400);
    }
    const any = read((r) => r.jsonMapIfAny() ?? 'none');
    expect((await ask(any, { body: Buffer.from('null') })).parsed).toBe('none');
    expect((await ask(any, {})).parsed).toBe('none');
    expect((await ask(any, { body: Buffer.from('{"a":1}') })).parsed).toEqual({ a: 1 });
  });

  it.each([
    ['application/json', '"a \\"line\\""', 'a "line"'],
    ['application/json', 'raw line', 'raw line'],
    ['application/json', '"half', '"half'],
    ['text/plain', '"quoted"', '"quoted"'],
    ['', 'x', 'x'],
  ])('reads a line sent as %s: %s', async (type, body, expected) => {
    const answer = await ask(
      read((r) => r.textLine()),
      {
        body: Buffer.from(body),
        headers: { 'content-type': type },
      },
    );
    expect(answer.parsed).toBe(expected);
  });
});
