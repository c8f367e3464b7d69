// The requests of a sign-in to an identity provider (invariants S1): the provider may stand inside,
// because a setting names it; what its discovery document names beside it may not.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oidcRoutes, type OidcParts } from '../../../src/areas/identity/provider/oidc.js';
import type { RouteRequest } from '../../../src/api/route.js';
import { systemClock } from '../../../src/std/clock.js';
import {
  defaultOutboundSettings,
  OutboundClient,
} from '../../../src/system-task/outbound-client.js';

const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;
let connections = 0;
const inside = net.createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let asked = 0;
const provider = http.createServer((_request, response) => {
  asked += 1;
  const issuer = `http://localhost:${portOf(provider)}`;
  const document = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `http://127.0.0.1:${portOf(inside)}/token`,
    jwks_uri: `http://127.0.0.1:${portOf(inside)}/keys`,
  };
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(document));
});
const clients: OutboundClient[] = [];
beforeAll(async () => {
  for (const each of [inside, provider]) {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
  }
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  for (const each of [inside, provider]) await new Promise((resolve) => each.close(resolve));
});

/** What the two routes answer: to the provider, and back from it. */
function routes(allowedHosts: readonly string[]): readonly ReturnType<typeof oidcRoutes>[number][] {
  const client = new OutboundClient({ ...defaultOutboundSettings, allowedHosts }, systemClock);
  clients.push(client);
  const settings = {
    issuer: `http://localhost:${portOf(provider)}`,
    ...{ clientId: 'downbeat', clientSecret: 's', scope: 'openid' },
    redirectUrl: 'http://127.0.0.1:1/api/sign-in/oidc/callback',
  };
  const fetch = client.fetchFor(new AbortController().signal);
  const note = (): Promise<void> => Promise.resolve();
  const parts = { settings, fetch, clientOf: () => '', note, secureCookies: false };
  return oidcRoutes(parts as unknown as OidcParts);
}

it('a provider inside is asked only when its host is allowed', async () => {
  const [begin] = routes([]);
  await expect(begin?.handle({} as RouteRequest)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(asked).toBe(0);
});

it('another host inside is not, whatever the discovery document says', async () => {
  const [begin, finish] = routes(['localhost']);
  const answer = await begin?.handle({} as RouteRequest);
  const { Location = '', 'Set-Cookie': cookie = '' } = answer?.headers ?? {};
  const state = new URL(Location).searchParams.get('state') ?? '';
  const given: Readonly<Record<string, string>> = { code: 'c', state };
  const request = {
    query: (name: string) => given[name],
    header: () => cookie.split(';')[0],
  } as unknown as RouteRequest;
  await expect(finish?.handle(request)).rejects.toMatchObject({ kind: 'unauthenticated' });
  expect(asked).toBe(1);
  expect(connections).toBe(0);
});
