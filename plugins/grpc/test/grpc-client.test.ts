// The way out over gRPC: addresses are checked like those of HTTP (invariants S1), and a call ends
// with its time limit or when its result is no longer wanted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GrpcClient, type GrpcCall } from '../src/grpc-client.js';
import { grpcAddress } from '../src/reflection.js';
import { AccessRules, type OutboundAccess } from '../../../src/system-task/outbound-access.js';
import { startGrpcServer, type RunningGrpcServer } from '../../../test/support/grpc-server.js';

let server: RunningGrpcServer;
beforeAll(async () => {
  server = await startGrpcServer(false);
});
afterAll(() => server.stop());

/** Field 1 with the text `hang`, which the server does not answer. */
const hang = Buffer.from('\n\u0004hang');

const call = (host: string, more: Partial<GrpcCall> = {}): GrpcCall => ({
  server: { host, port: String(server.port), useSSL: false, trustCert: false },
  ...{ path: '/echo.v1.Echo/One', type: 'UNARY', messages: [Buffer.alloc(0)] },
  ...{ headers: new Map(), compressed: false, timeoutMs: 10_000 },
  signal: new AbortController().signal,
  ...more,
});
const limits = { allowInside: true, allowedHosts: [], responseBytesMax: 1024 };

function clientWith({
  responseBytesMax,
  ...access
}: OutboundAccess & { readonly responseBytesMax: number }): GrpcClient {
  return new GrpcClient({ guard: new AccessRules(access), responseBytesMax });
}

describe('a call over gRPC', () => {
  it.each(['127.0.0.1', 'localhost', '::1', '169.254.169.254'])(
    'does not reach %s unless that is allowed',
    async (host) => {
      const client = clientWith({ ...limits, allowInside: false });
      await expect(client.call(call(host))).rejects.toThrow(/inside the server's own network/);
      expect(server.calls).toBe(0);
    },
  );

  it('reaches an allowed host', async () => {
    const client = clientWith({ ...limits, allowInside: false, allowedHosts: ['127.0.0.1'] });
    expect(await client.call(call('127.0.0.1'))).toHaveLength(1);
  });

  it('ends with its time limit, and when nobody wants it any more', async () => {
    const client = clientWith(limits);
    const late = call('127.0.0.1', { messages: [hang], timeoutMs: 50 });
    await expect(client.call(late)).rejects.toMatchObject({ status: 'DEADLINE_EXCEEDED' });
    const unwanted = call('127.0.0.1', { messages: [hang], signal: AbortSignal.timeout(50) });
    await expect(client.call(unwanted)).rejects.toMatchObject({ status: 'CANCELLED' });
  });

  it('takes no answer beyond the limit', async () => {
    const client = clientWith({ ...limits, responseBytesMax: 10 });
    const headers = new Map([['x-long', 'x'.repeat(100)]]);
    const long = client.call(call('127.0.0.1', { headers }));
    await expect(long).rejects.toMatchObject({ status: 'RESOURCE_EXHAUSTED' });
    const streamed = { path: '/echo.v1.Echo/Down', type: 'SERVER_STREAMING' } as const;
    const many = client.call(call('127.0.0.1', streamed));
    await expect(many).rejects.toMatchObject({ status: 'RESOURCE_EXHAUSTED' });
  });

  it('needs TLS where it is asked for', async () => {
    const client = clientWith(limits);
    const secure = call('127.0.0.1', { timeoutMs: 2000 });
    const failing = client.call({ ...secure, server: { ...secure.server, useSSL: true } });
    await expect(failing).rejects.toMatchObject({ name: 'GrpcError' });
  });
});

it('reads the address of a server', () => {
  expect(grpcAddress('a.test:443')).toEqual({ host: 'a.test', port: '443' });
  expect(grpcAddress('grpc://[::1]:50051/')).toEqual({ host: '::1', port: '50051' });
  expect([grpcAddress('a.test'), grpcAddress('http://a:1/x')]).toEqual([undefined, undefined]);
});
