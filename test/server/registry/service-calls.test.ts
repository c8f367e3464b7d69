// GRPC tasks in their four types, and the circuit breakers of remote services for GRPC and HTTP
// tasks (semantics 4.23, contract-admin 15), against a local gRPC server.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  commonProto,
  compiledProtos,
  echoProto,
  startGrpcServer,
  type RunningGrpcServer,
} from '../../support/grpc-server.js';
import { sharedSecuredServer } from '../../support/shared-server.js';
import type { Session } from '../../../testkit/secured-server.js';

const base = '/api/registry/service';
const echo = 'echo.v1.Echo';

const secured = sharedSecuredServer(import.meta.url);
let admin: Session;
/** May start every workflow of this file and has no other right. */
let starter: Session;
let silent: RunningGrpcServer;
let telling: RunningGrpcServer;
let web: Server;
let webUrl: string;
let webCalls = 0;

beforeAll(async () => {
  silent = await startGrpcServer(false);
  telling = await startGrpcServer(true);
  web = createServer((request, response) => {
    webCalls++;
    const body = JSON.stringify({ path: request.url, key: request.headers['x-key'] });
    response.writeHead(request.url === '/v1/bad' ? 503 : 200).end(body);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  webUrl = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  ({ admin } = secured);
  starter = await secured.application('registry_service_calls_starter');
  await secured.grant(starter, 'WORKFLOW_DEF', '*', ['EXECUTE']);
  await save('registry_service_calls_echo', 'gRPC', `127.0.0.1:${silent.port}`, {
    authMetadata: { key: 'X-Key', value: 'planted key' },
  });
  await upload('registry_service_calls_echo', 'common.proto', Buffer.from(commonProto));
  await upload('registry_service_calls_echo', 'echo.proto', Buffer.from(echoProto));
});
afterAll(async () => {
  silent?.stop();
  telling?.stop();
  await new Promise((resolve) => web.close(resolve));
});

async function save(name: string, type: string, uri: string, more: object = {}): Promise<void> {
  const answer = await admin.post(base, { name, type, serviceURI: uri, ...more });
  expect(answer.status).toBe(200);
}

async function upload(service: string, filename: string, content: Buffer): Promise<void> {
  expect((await send(service, filename, content)).status).toBe(200);
}

async function send(service: string, filename: string, content: Buffer): Promise<Response> {
  return await fetch(`${secured.url}${base}/protos/${service}/${filename}`, {
    method: 'POST',
    headers: { ...admin.headers, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(content),
  });
}

interface Ended {
  readonly status: string;
  readonly reason: string | undefined;
  readonly output: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

let names = 0;

/** Runs one task of the type to its end. */
async function run(type: string, inputParameters: object, by: Session = admin): Promise<Ended> {
  const name = `registry_service_calls_run_${++names}`;
  const task = { name, taskReferenceName: 'one', type, inputParameters };
  const def = { name, version: 1, ownerEmail: 'a@x.org', tasks: [task] };
  expect((await admin.put('/api/metadata/workflow', [def])).status).toBe(200);
  const started = await by.post(`/api/workflow/execute/${name}/1`, { name, version: 1, input: {} });
  const execution = (await admin.get(`/api/workflow/${started.body.workflowId}`)).body;
  const [{ status, reasonForIncompletion: reason, outputData: output }] = execution.tasks;
  return { status, reason, output };
}

const grpc = (method: string, request: unknown, more: object = {}): Promise<Ended> =>
  run('GRPC', {
    service: 'registry_service_calls_echo',
    method: `${echo}/${method}`,
    request,
    ...more,
  });

describe('a GRPC task', () => {
  it('calls a method with one message and gets one', async () => {
    const request = { someText: 'hello', big: '9007199254740993', mood: 'LOUD' };
    const more = { methodType: 'UNARY', headers: { 'X-Trace': 'abc' }, compressionCodec: 'gzip' };
    const { status, output } = await grpc('One', request, more);
    expect(status).toBe('COMPLETED');
    expect(output.response).toMatchObject({
      ...{ text: 'hello', big: '9007199254740993', mood: 'LOUD' },
      metadata: expect.objectContaining({ 'x-trace': 'abc', 'x-key': '***' }),
    });
  });

  it('calls methods that stream down, up and both ways', async () => {
    const down = await grpc('Down', { someText: 'n' }, { methodType: 'SERVER_STREAMING' });
    const texts = down.output.response.map(({ text }: { text: string }) => text);
    expect(texts).toEqual(['n 0', 'n 1', 'n 2']);
    const asks = [{ someText: 'a' }, { some_text: 'b' }];
    const up = await grpc('Up', asks, { methodType: 'CLIENT_STREAMING' });
    expect(up.output.response).toEqual({ text: 'a,b' });
    const both = await grpc('Both', asks, { methodType: 'BIDI_STREAMING' });
    expect(both.output.response).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  it('asks a server that is not registered for its types', async () => {
    const where = { host: '127.0.0.1', port: telling.port };
    const input = { ...where, method: `${echo}/One`, request: { someText: 'reflected' } };
    const { status, output } = await run('GRPC', { ...input, hedgingConfig: { maxAttempts: 2 } });
    expect([status, output.response.text]).toEqual(['COMPLETED', 'reflected']);
    const none = await run('GRPC', { ...input, port: silent.port });
    expect(none.reason).toMatch(/failed: UNIMPLEMENTED/);
  });

  it.each([
    ['an error of the server', 'One', { someText: 'refuse' }, {}, /NOT_FOUND: no such thing$/],
    ['an unknown field', 'One', { nope: 1 }, {}, /The request is no echo.v1.Ask: .*nope/],
    ['another type', 'One', {}, { methodType: 'SERVER_STREAMING' }, /is UNARY, not SERVER_STR/],
    ['a header that is none', 'One', {}, { headers: { 'grpc-timeout': '1' } }, /Not a header/],
  ])('fails with %s', async (_what, method, request, more, why) => {
    const outcome = await grpc(method, request, more);
    expect(outcome).toMatchObject({ status: 'FAILED', reason: expect.stringMatching(why) });
  });

  it('needs READ on the service that it names', async () => {
    const input = { service: 'registry_service_calls_echo', method: 'One', request: {} };
    const refused = await run('GRPC', input, starter);
    expect(refused.reason).toMatch(
      /has no READ access on the service registry_service_calls_echo$/,
    );
    await secured.grant(starter, 'SERVICE_REGISTRY', 'registry_service_calls_echo', ['READ']);
    expect((await run('GRPC', input, starter)).status).toBe('COMPLETED');
    expect((await run('GRPC', { ...input, service: 'none' })).reason).toMatch(/no remote service/);
  });
});

describe('the methods of a gRPC service', () => {
  const methodsOf = async (name: string): Promise<string[]> =>
    (await admin.get(`${base}/${name}`)).body.methods.map(
      (each: { methodName: string; methodType: string; inputType: string }) =>
        `${each.methodName} ${each.methodType} ${each.inputType}`,
    );
  const all = [
    `${echo}/One UNARY echo.v1.Ask`,
    `${echo}/Down SERVER_STREAMING echo.v1.Ask`,
    `${echo}/Up CLIENT_STREAMING echo.v1.Ask`,
    `${echo}/Both BIDIRECTIONAL_STREAMING echo.v1.Ask`,
  ];

  it('are added with its proto files, once all that they import are there', async () => {
    expect(await methodsOf('registry_service_calls_echo')).toEqual(all);
    await save('registry_service_calls_partial', 'gRPC', '127.0.0.1:1');
    await upload('registry_service_calls_partial', 'echo.proto', Buffer.from(echoProto));
    expect(await methodsOf('registry_service_calls_partial')).toEqual([]);
    await upload('registry_service_calls_partial', 'common.proto', Buffer.from(commonProto));
    expect(await methodsOf('registry_service_calls_partial')).toEqual(all);
  });

  it.each([
    ['a.proto', 'syntax = "proto3";\n\nmessage {\n', /a\.proto is no proto file .*line 3/],
    ['b.proto', Buffer.from([0, 255, 7]), /b\.proto is no proto file/],
    ['c.bin', Buffer.from('no descriptor set'), /c\.bin is no proto file/],
    ['e.bin', Buffer.from([0x4a, 2, 8, 1]), /e\.bin is no proto file .*no file descriptor/],
    ['f.bin', Buffer.alloc(0), /f\.bin is no proto file .*no file descriptor/],
    ['d.proto', `message M ${'{ message N '.repeat(50_000)}`, /d\.proto is no proto file/],
    ['g.bin', Buffer.from('bm8gZGVzY3JpcHRvciBzZXQ='), /g\.bin is no proto file/],
  ])('are not taken from what cannot be read: %s', async (filename, content, why) => {
    const name = `registry_service_calls_unread_${filename}`;
    await save(name, 'gRPC', '127.0.0.1:1');
    const answer = await send(name, filename, Buffer.from(content));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(why)]);
    expect((await admin.get(`${base}/protos/${name}`)).body).toEqual([]);
  });

  const wholeProto = `
    syntax = "proto3";
    message Word { string text = 1; }
    service Words { rpc Say (Word) returns (Word); }`;
  it.each([
    [
      'as the inside of a JSON string',
      'echo.proto',
      (): string => JSON.stringify(wholeProto).slice(1, -1),
    ],
    ['in base64', 'echo.bin', (): string => compiledProtos('included').toString('base64')],
  ])('are added from a file that the Python SDK sends %s', async (how, filename, sent) => {
    const name = `registry_service_calls_sent_${filename}`;
    await save(name, 'gRPC', '127.0.0.1:1');
    await upload(name, filename, Buffer.from(sent()));
    expect((await methodsOf(name)).length, how).toBeGreaterThan(0);
  });

  it.each(['included', 'left out'] as const)(
    'are added with a compiled file, imports of Google %s',
    async (imports) => {
      const service = `registry_service_calls_compiled-${imports}`;
      await save(service, 'gRPC', `127.0.0.1:${silent.port}`);
      await upload(service, 'compiled.bin', compiledProtos(imports));
      expect(await methodsOf(service)).toEqual(all);
      const request = { big: 1, at: '2026-01-02T03:04:05Z' };
      const called = await run('GRPC', { service, method: 'One', request });
      expect(called.output.response).toMatchObject({ big: '1' });
    },
  );

  it('are discovered from a server that tells them', async () => {
    await save('registry_service_calls_telling', 'gRPC', `127.0.0.1:${telling.port}`);
    const found = await admin.get(`${base}/registry_service_calls_telling/discover`);
    expect(found.body).toHaveLength(4);
    expect(await methodsOf('registry_service_calls_telling')).toEqual([]);
    await admin.get(`${base}/registry_service_calls_telling/discover?create=true`);
    expect((await methodsOf('registry_service_calls_telling')).sort()).toEqual([...all].sort());
    await save('registry_service_calls_untold', 'gRPC', `127.0.0.1:${silent.port}`);
    const refused = await admin.get(`${base}/registry_service_calls_untold/discover`);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringMatching(/does not describe itself/),
    ]);
  });
});

const quick = {
  ...{ slidingWindowSize: 4, minimumNumberOfCalls: 2, slowCallRateThreshold: 0 },
  waitDurationInOpenState: 300_000,
};
const breaking = { circuitBreakerEnabled: true, config: { circuitBreakerConfig: quick } };

describe('the circuit breaker of a service', () => {
  const stateOf = async (name: string): Promise<string> =>
    (await admin.get(`${base}/${name}/circuit-breaker/status`)).body.currentState;

  it('opens for HTTP tasks when calls fail, and lets none pass then', async () => {
    await save('registry_service_calls_web', 'HTTP', `${webUrl}/api`, {
      ...breaking,
      servers: [{ url: `${webUrl}/v1/`, type: 'USER_DEFINED' }],
      authMetadata: { key: 'X-Key', value: 'planted key' },
    });
    const call = (path: string): Promise<Ended> =>
      run('HTTP', {
        http_request: { service: 'registry_service_calls_web', uri: path, method: 'GET' },
      });
    expect(await stateOf('registry_service_calls_web')).toBe('NOT_FOUND');
    const good = await call('/good');
    expect(good.output.response.body).toEqual({ path: '/v1/good', key: '***' });
    expect(await stateOf('registry_service_calls_web')).toBe('CLOSED');
    await call('/bad');
    expect(await stateOf('registry_service_calls_web')).toBe('OPEN');
    const before = webCalls;
    const refused = await call('/good');
    expect(refused).toMatchObject({ status: 'FAILED', reason: expect.stringMatching(/is open$/) });
    expect(webCalls).toBe(before);
  });

  it('opens for GRPC tasks when the service fails, not when a caller is mistaken', async () => {
    await save('registry_service_calls_fragile', 'gRPC', `127.0.0.1:${silent.port}`, breaking);
    await upload('registry_service_calls_fragile', 'compiled.bin', compiledProtos());
    const call = (someText: string): Promise<Ended> =>
      run('GRPC', {
        service: 'registry_service_calls_fragile',
        method: 'One',
        request: { someText },
      });
    for (let i = 0; i < 3; i++) await call('refuse');
    expect(await stateOf('registry_service_calls_fragile')).toBe('CLOSED');
    for (let i = 0; i < 2; i++) expect((await call('fail')).reason).toMatch(/INTERNAL/);
    expect(await stateOf('registry_service_calls_fragile')).toBe('OPEN');
    const before = silent.calls;
    expect((await call('x')).reason).toMatch(
      /circuit breaker of the service registry_service_calls_fragile is open/,
    );
    expect(silent.calls).toBe(before);
  });

  it('is opened and closed by hand', async () => {
    const set = (verb: string): ReturnType<Session['post']> =>
      admin.post(`${base}/registry_service_calls_web/circuit-breaker/${verb}`);
    expect((await set('close')).body).toMatchObject({
      ...{ service: 'registry_service_calls_web', previousState: 'OPEN', currentState: 'CLOSED' },
      transitionTimestamp: expect.any(Number),
    });
    const input = {
      http_request: { service: 'registry_service_calls_web', uri: '/good', method: 'GET' },
    };
    expect((await run('HTTP', input)).status).toBe('COMPLETED');
    expect((await set('open')).body).toMatchObject({ currentState: 'OPEN' });
    expect((await run('HTTP', input)).reason).toMatch(/is open$/);
    expect((await admin.post(`${base}/none/circuit-breaker/open`)).status).toBe(404);
    expect(
      (await admin.post(`${base}/registry_service_calls_echo/circuit-breaker/open`)).status,
    ).toBe(404);
  });
});
