// `fetch` under the rules of the outbound client.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/std/clock.js';
import {
  defaultOutboundSettings,
  OutboundClient,
  type OutboundSettings,
} from '../../src/system-task/outbound-client.js';
import type { Fetch } from '../../src/system-task/outbound-request.js';

let base: string;
const clients: OutboundClient[] = [];
const server = http.createServer((request, response) => {
  if (request.url === '/moved') response.writeHead(302, { Location: '/' }).end();
  else response.end(`${request.method} ${String(request.headers['x-a'])} and more`);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  await new Promise((resolve) => server.close(resolve));
});

function fetchWith(settings: Partial<OutboundSettings>, signal?: AbortSignal): Fetch {
  const client = new OutboundClient({ ...defaultOutboundSettings, ...settings }, systemClock);
  clients.push(client);
  return client.fetchFor(signal ?? new AbortController().signal);
}

describe('the fetch of the outbound client', () => {
  it('sends what it is given and hands the answer on', async () => {
    const send = fetchWith({ allowInside: true });
    const response = await send(base, { method: 'POST', headers: new Headers({ 'X-A': 'b' }) });
    expect([response.status, await response.text()]).toEqual([200, 'POST b and more']);
  });

  it('follows no redirect', async () => {
    const response = await fetchWith({ allowInside: true })(new URL('/moved', base));
    expect(response.status).toBe(302);
  });

  it('refuses addresses inside', async () => {
    await expect(fetchWith({})(base)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('ends an answer that is too long', async () => {
    const response = await fetchWith({ allowInside: true, responseBytesMax: 5 })(base);
    await expect(response.text()).rejects.toThrow(/longer than 5 bytes/);
  });

  it('ends with its signal', async () => {
    const ended = AbortSignal.abort();
    await expect(fetchWith({ allowInside: true }, ended)(base)).rejects.toThrow();
  });
});
