// Remote services over the API (contract-admin 15).
import { ServiceRegistryClient } from '@io-orkes/conductor-javascript';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../testkit/secured-server.js';
import { sharedSecuredServer } from '../../support/shared-server.js';
import { clientOf, type Client } from './registry-server.js';

const base = '/api/registry/service';
const service = {
  name: 'registry_remote_services_s',
  type: 'HTTP',
  serviceURI: 'http://a.test/api',
};

const description = {
  openapi: '3.0.0',
  servers: [{ url: 'http://pets.test' }],
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getPet',
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/registry_remote_services_Pet' },
              },
            },
          },
        },
      },
      put: {
        requestBody: {
          content: { 'text/x': { schema: { $ref: '#/c/registry_remote_services_Pet' } } },
        },
      },
    },
  },
  components: {
    schemas: {
      registry_remote_services_Pet: {
        type: 'object',
        properties: { owner: { $ref: '#/components/schemas/registry_remote_services_Owner' } },
      },
      registry_remote_services_Owner: { type: 'object', required: ['name'] },
      registry_remote_services_Taken: { type: 'string' },
      registry_remote_services_Broken: { type: 'no type' },
      registry_remote_services_Torn: { $ref: '#/components/schemas/Nowhere' },
    },
  },
};

const secured = sharedSecuredServer(import.meta.url);
let sdk: Client;
let admin: Session;
let described: Server;
let address: string;
beforeAll(async () => {
  described = createServer((request, response) => {
    response.end(request.url === '/api' ? JSON.stringify(description) : '<html>');
  });
  await new Promise<void>((resolve) => described.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(described.address() as AddressInfo).port}`;
  sdk = await clientOf(secured);
  ({ admin } = secured);
});
afterAll(() => {
  described.close();
  sdk?.stopBackgroundRefresh();
});

describe('remote services', () => {
  it('answer the calls of the JavaScript SDK', async () => {
    const client = new ServiceRegistryClient(sdk);
    await client.addOrUpdateService({ ...service, name: 'registry_remote_services_js' } as never);
    const stored = await client.getService('registry_remote_services_js');
    expect(stored).toMatchObject({
      name: 'registry_remote_services_js',
      type: 'HTTP',
      methods: [],
      requestParams: [],
    });
    expect((stored as unknown as { config: unknown }).config).toEqual({
      circuitBreakerConfig: {
        failureRateThreshold: 50,
        slidingWindowSize: 100,
        minimumNumberOfCalls: 100,
        waitDurationInOpenState: 1000,
        permittedNumberOfCallsInHalfOpenState: 100,
        slowCallRateThreshold: 50,
        slowCallDurationThreshold: 100,
        automaticTransitionFromOpenToHalfOpenEnabled: true,
        maxWaitDurationInHalfOpenState: 1,
      },
    });
    const method = { operationName: 'op', methodName: '/x', methodType: 'GET' };
    await client.addOrUpdateServiceMethod('registry_remote_services_js', method as never);
    await client.addOrUpdateServiceMethod('registry_remote_services_js', {
      ...method,
      description: 'd',
    } as never);
    expect((await client.getService('registry_remote_services_js'))?.methods).toMatchObject([
      { id: 1, description: 'd' },
    ]);
    await client.addOrUpdateService({
      ...service,
      name: 'registry_remote_services_js',
      type: 'MCP_REMOTE',
    } as never);
    expect((await client.getService('registry_remote_services_js'))?.methods).toHaveLength(1);
    await client.removeMethod('registry_remote_services_js', 'op', '/y', 'GET');
    expect((await client.getService('registry_remote_services_js'))?.methods).toEqual([]);
    const proto = Buffer.from('syntax = "proto3"; message M { string a = 1; }');
    await client.setProtoData('registry_remote_services_js', 'a.proto', new Blob([proto]));
    const bytes = await (
      await client.getProtoData('registry_remote_services_js', 'a.proto')
    ).arrayBuffer();
    expect(Buffer.from(bytes)).toEqual(proto);
    const data = proto.toString('base64');
    expect(await client.getAllProtos('registry_remote_services_js')).toEqual([
      { serviceName: 'registry_remote_services_js', filename: 'a.proto', data },
    ]);
    await client.deleteProto('registry_remote_services_js', 'a.proto');
    expect(await client.getAllProtos('registry_remote_services_js')).toEqual([]);
    const breaker = await client.getCircuitBreakerStatus('registry_remote_services_js');
    expect(breaker).toMatchObject({
      service: 'registry_remote_services_js',
      currentState: 'NOT_FOUND',
    });
    await expect(client.openCircuitBreaker('registry_remote_services_js')).rejects.toThrow();
    await expect(client.closeCircuitBreaker('registry_remote_services_js')).rejects.toThrow();
    const registered = async (): Promise<unknown[]> =>
      (await client.getRegisteredServices()).map(({ name }) => name);
    expect(await registered()).toContain('registry_remote_services_js');
    await client.removeService('registry_remote_services_js');
    expect(await registered()).not.toContain('registry_remote_services_js');
    const gone = await admin.get(`${base}/registry_remote_services_js`);
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([200, '', null]);
  });

  it('are discovered from their description', async () => {
    await admin.post(base, {
      ...service,
      name: 'registry_remote_services_pets',
      serviceURI: `${address}/api`,
    });
    const found = (await admin.get(`${base}/registry_remote_services_pets/discover`)).body;
    expect(found).toMatchObject([
      {
        ...{ operationName: 'getPet', methodName: '/pets/{id}', methodType: 'GET' },
        ...{ outputType: 'registry_remote_services_Pet', responseContentType: 'application/json' },
        requestParams: [{ name: 'id', type: 'path', required: true, schema: { type: 'integer' } }],
      },
      {
        operationName: 'put /pets/{id}',
        inputType: 'registry_remote_services_Pet',
        requestContentType: 'text/x',
      },
    ]);
    expect((await admin.get(`${base}/registry_remote_services_pets`)).body.methods).toEqual([]);
    await admin.get(`${base}/registry_remote_services_pets/discover?create=true`);
    expect((await admin.get(`${base}/registry_remote_services_pets`)).body).toMatchObject({
      methods: found,
      servers: [{ url: 'http://pets.test', type: 'OPENAPI_SPEC' }],
    });
    await admin.post(base, {
      ...service,
      name: 'registry_remote_services_pets',
      serviceURI: `${address}/page`,
    });
    const page = await admin.get(`${base}/registry_remote_services_pets/discover`);
    expect([page.status, page.text]).toEqual([400, expect.stringMatching(/no JSON document/)]);
    await admin.post(base, {
      ...service,
      name: 'registry_remote_services_pets',
      serviceURI: 'http://127.0.0.1:1/',
    });
    expect(await admin.status('GET', `${base}/registry_remote_services_pets/discover`)).toBe(400);
    expect(await admin.status('GET', `${base}/none/discover`)).toBe(404);
    await admin.delete(`${base}/registry_remote_services_pets`);
  });

  it('register the schemas of their description, which stand alone', async () => {
    const taken = {
      name: 'registry_remote_services_Taken',
      type: 'JSON',
      data: { type: 'integer' },
    };
    await admin.post('/api/schema', taken);
    await admin.post(base, {
      ...service,
      name: 'registry_remote_services_typed',
      serviceURI: `${address}/api`,
    });
    await admin.get(`${base}/registry_remote_services_typed/discover`);
    expect((await admin.get('/api/schema/registry_remote_services_Pet')).body).toMatchObject({
      ...{ name: 'registry_remote_services_Pet', version: 1, type: 'JSON' },
      data: {
        properties: { owner: { $ref: '#/$defs/registry_remote_services_Owner' } },
        $defs: { registry_remote_services_Owner: { required: ['name'] } },
      },
    });
    expect((await admin.get('/api/schema/registry_remote_services_Taken')).body).toMatchObject(
      taken,
    );
    for (const name of ['registry_remote_services_Broken', 'registry_remote_services_Torn']) {
      expect(await admin.status('GET', `/api/schema/${name}`)).toBe(404);
    }
    // The reference inside the registered schema is followed when it is enforced.
    await admin.post('/api/metadata/workflow', {
      name: 'registry_remote_services_typed',
      tasks: [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }],
      inputSchema: { name: 'registry_remote_services_Pet', type: 'JSON' },
    });
    const start = (owner: object) =>
      admin.status('POST', '/api/workflow/registry_remote_services_typed', { owner });
    expect([await start({}), await start({ name: 'x' })]).toEqual([400, 200]);
    await admin.delete(`${base}/registry_remote_services_typed`);
  });

  it('have a window that holds the calls they wait for', async () => {
    const save = async (circuitBreakerConfig: object) =>
      await admin.post(base, {
        ...service,
        name: 'registry_remote_services_w',
        config: { circuitBreakerConfig },
      });
    await save({ slidingWindowSize: 7.9 });
    expect(
      (await admin.get(`${base}/registry_remote_services_w`)).body.config.circuitBreakerConfig,
    ).toMatchObject({
      ...{ slidingWindowSize: 7, minimumNumberOfCalls: 7 },
    });
    const answer = await save({ slidingWindowSize: 5, minimumNumberOfCalls: 6 });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('minimumNumberOfCalls may not be more than slidingWindowSize'),
    ]);
    await admin.delete(`${base}/registry_remote_services_w`);
  });

  it('are cloned with their secret, which nobody sees', async () => {
    const authMetadata = { key: 'X-Key', value: 'canary-51' };
    await admin.post(base, { ...service, name: 'registry_remote_services_a', authMetadata });
    const copy = await admin.post(
      `${base}/registry_remote_services_a/clone?newName=registry_remote_services_b`,
    );
    expect(copy.body).toMatchObject({
      name: 'registry_remote_services_b',
      authMetadata: { key: 'X-Key', value: '***' },
    });
    expect((await admin.get(base)).text).not.toContain('canary-51');
    expect(
      await admin.status(
        'POST',
        `${base}/registry_remote_services_a/clone?newName=registry_remote_services_b`,
      ),
    ).toBe(409);
    expect(await admin.status('POST', `${base}/registry_remote_services_a/clone`)).toBe(400);
    expect(await admin.status('POST', `${base}/none/clone?newName=c`)).toBe(404);
    for (const name of ['registry_remote_services_a', 'registry_remote_services_b'])
      await admin.delete(`${base}/${name}`);
  });

  it.each([
    [{ ...service, name: '' }, /name is required/],
    [{ ...service, type: 'http' }, /type must be one of HTTP, gRPC, MCP_REMOTE/],
    [{ ...service, serviceURI: undefined }, /serviceURI is required/],
    [{ ...service, methods: [{ methodType: 'GET' }] }, /methods\[0\]\.operationName is required/],
    [
      { ...service, config: { circuitBreakerConfig: { slidingWindowSize: 0 } } },
      /config\.circuitBreakerConfig\.slidingWindowSize must be a number from 1 to 1000/,
    ],
  ])('are refused: %j', async (body, message) => {
    const answer = await admin.post(base, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(message)]);
  });

  it('belong to who creates them', async () => {
    const maker = await secured.application('registry_remote_services_maker', ['USER']);
    const other = await secured.application('registry_remote_services_other', ['USER']);
    const own = { ...service, name: 'registry_remote_services_own' };
    expect(await secured.nobody.status('GET', base)).toBe(401);
    expect(await maker.status('POST', base, own)).toBe(200);
    expect(
      await maker.status(
        'POST',
        `${base}/protos/registry_remote_services_own/f.proto`,
        'message M {}',
      ),
    ).toBe(200);
    expect(await maker.status('POST', `${base}/protos/none/f`, 'x')).toBe(403);
    expect(await admin.status('POST', `${base}/protos/none/f`, 'x')).toBe(404);
    for (const [method, route] of [
      ...[
        ['GET', '/registry_remote_services_own'] as const,
        ['DELETE', '/registry_remote_services_own'] as const,
      ],
      ...[
        ['POST', '/registry_remote_services_own/clone?newName=x'] as const,
        ['GET', '/protos/registry_remote_services_own/f.proto'] as const,
      ],
      ...[
        ['GET', '/registry_remote_services_own/discover'] as const,
        ['POST', '/registry_remote_services_own/methods'] as const,
      ],
    ]) {
      expect([route, await other.status(method, base + route)]).toEqual([route, 403]);
    }
    expect(await other.status('POST', base, own)).toBe(403);
    expect((await other.get(base)).body).toEqual([]);
    expect(await maker.status('DELETE', `${base}/registry_remote_services_own`)).toBe(200);
    expect((await admin.get(`${base}/protos/registry_remote_services_own`)).body).toEqual([]);
  });
});
