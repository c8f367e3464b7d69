// The proto files of one remote service are read together, so they have a size together.
import { expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer } from '../../testkit/server.js';

it('proto files of a service beyond serviceProtoBytesMax are refused, a smaller one in place is not', async () => {
  const server = await startServer({ args: ['--service-proto-bytes-max', '120'] });
  const client = new ApiClient(server.url);
  const send = async (
    filename: string,
    text: string,
  ): Promise<{ status: number; text: string }> => {
    const path = `/api/registry/service/protos/bytes/${filename}`;
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: text,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const proto = (name: string): string => `syntax = "proto3"; message ${name} { string a = 1; }`;
  try {
    const service = { name: 'bytes', type: 'gRPC', serviceURI: '127.0.0.1:1' };
    await client.ask('POST', '/api/registry/service', service);
    expect(await send('a.proto', proto('A'))).toMatchObject({ status: 200 });
    expect(await send('b.proto', proto('B'))).toMatchObject({ status: 200 });
    expect(await send('c.proto', proto('C'))).toMatchObject({
      status: 409,
      text: expect.stringContaining('may have 120 (serviceProtoBytesMax)') as string,
    });
    expect(await send('b.proto', proto('D'))).toMatchObject({ status: 200 });
  } finally {
    await client.close();
    await server.stop();
  }
});
