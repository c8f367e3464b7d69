// A secret that an update keeps (`***`) stays with the fields that decide where it goes
// (docs/access.md, Kept secrets): who may change another's integration, remote service or webhook,
// and does not know its secret, cannot have it sent to an address of his own.
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedSecuredServer } from '../support/shared-server.js';
import type { Answer, Session } from '../../testkit/secured-server.js';

const canary = 'canary-key-of-the-administrator-51c9';
const integrations = '/api/integrations/provider';
const services = '/api/registry/service';

/** An address that notes every header that it is sent. */
class Listener {
  heard = '';
  /** Where the next requests are sent on to. */
  movedTo: string | undefined;
  readonly #web = http.createServer((request, response) => {
    this.heard += `${request.url} ${JSON.stringify(request.rawHeaders)}\n`;
    const { movedTo } = this;
    if (movedTo === undefined) response.writeHead(200).end('{}');
    else response.writeHead(307, { location: movedTo }).end();
  });
  readonly #grpc = http2.createServer().on('stream', (stream, headers) => {
    this.heard += `${JSON.stringify(headers)}\n`;
    const answer = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' };
    stream.respond(answer, { endStream: true });
  });

  async start(): Promise<void> {
    for (const server of [this.#web, this.#grpc]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
  }

  stop(): void {
    this.#web.closeAllConnections();
    this.#web.close();
    this.#grpc.close();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#web.address() as AddressInfo).port}`;
  }

  get grpcPort(): number {
    return (this.#grpc.address() as AddressInfo).port;
  }
}

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let bob: Session;
const own = new Listener();
const bobs = new Listener();

beforeAll(async () => {
  await own.start();
  await bobs.start();
  ({ admin } = server);
  bob = await server.user('kept_secrets_bob@x.org', ['USER']);
  await saved(`${integrations}/kept_secrets_ai`, {
    type: 'openai',
    configuration: { api_key: canary, endpoint: own.url },
  });
  await saved(`${integrations}/kept_secrets_ai/integration/m`, {});
  await server.grant(bob, 'INTEGRATION_PROVIDER', 'kept_secrets_ai', ['READ', 'UPDATE']);
});
afterAll(async () => {
  own.stop();
  bobs.stop();
});

beforeEach(() => {
  own.heard = '';
  bobs.heard = '';
});

async function saved(path: string, body: unknown): Promise<void> {
  const { status, text } = await admin.post(path, body);
  expect(status, text).toBe(200);
}

let names = 0;

/** Runs one task as Bob, to its end; why it failed. */
async function run(type: string, inputParameters: object): Promise<string> {
  const name = `kept_secrets_bobs_${++names}`;
  const task = { name, taskReferenceName: 'one', type, inputParameters };
  const def = { name, version: 1, ownerEmail: 'a@x.org', tasks: [task] };
  expect(await bob.status('PUT', '/api/metadata/workflow', [def])).toBe(200);
  const started = await bob.post(`/api/workflow/execute/${name}/1`, { name, version: 1 });
  const { tasks } = (await bob.get(`/api/workflow/${started.body.workflowId}`)).body;
  return String(tasks[0].reasonForIncompletion);
}

const ask = (model = 'm'): Promise<string> =>
  run('LLM_CHAT_COMPLETE', {
    llmProvider: 'kept_secrets_ai',
    model,
    messages: [{ role: 'user', message: 'hello' }],
  });

/** The answer refuses, and names each of these. */
function expectRefusal({ status, text }: Answer, ...named: readonly string[]): void {
  expect([status, text]).toEqual([400, expect.stringContaining('must be sent again')]);
  for (const name of named) expect(text).toContain(name);
}

describe('the kept secret of an integration', () => {
  const change = (configuration: object, more: object = {}): Promise<Answer> =>
    bob.post(`${integrations}/kept_secrets_ai`, { configuration, ...more });
  const kept = { api_key: '***' };

  it('is not sent to an address that somebody else puts in', async () => {
    const changed = await change({ ...kept, endpoint: bobs.url });
    await ask();
    expect(bobs.heard).not.toContain(canary);
    expectRefusal(changed, 'configuration.api_key', 'configuration.endpoint');
    await ask();
    expect(own.heard).toContain(canary);
  });

  it.each([
    ['another organization', { organizationId: 'o' }, 'configuration.organizationId'],
    ['a header of its own', { header: 'x-forward-to: bob' }, 'configuration.header'],
    ['a field that nobody knows', { proxyUrl: 'http://bob' }, 'configuration.proxyUrl'],
    ['a setting under another name', { tls: false }, 'configuration.tls'],
  ])('does not go with %s', async (_what, more, named) => {
    const changed = await change({ ...kept, endpoint: own.url, ...more });
    expectRefusal(changed, 'configuration.api_key', named);
  });

  it('does not stay without the address, or under another category', async () => {
    expectRefusal(await change(kept), 'configuration.endpoint');
    const moved = { category: 'EMAIL' };
    expectRefusal(await change({ ...kept, endpoint: own.url }, moved), 'category');
    expectRefusal(
      await bob.post(`${integrations}/kept_secrets_ai`, moved),
      'configuration.api_key',
      'category',
    );
    const list = [{ name: 'kept_secrets_ai', configuration: { ...kept, endpoint: bobs.url } }];
    expectRefusal(await bob.post('/api/integrations', list), 'configuration.endpoint');
  });

  it('stays with a change of what does not decide where it goes', async () => {
    const configuration = { ...kept, endpoint: own.url, description: 'd', header: '' };
    const { status, text } = await change(configuration, { description: 'ours', enabled: true });
    expect(status, text).toBe(200);
    await ask();
    expect(own.heard).toContain(canary);
  });

  it('does not go where a model of the provider says', async () => {
    const model = `${integrations}/kept_secrets_ai/integration/evil`;
    const made = await bob.post(model, { configuration: { endpoint: bobs.url } });
    await ask('evil');
    expect(bobs.heard).not.toContain(canary);
    const why = /configuration\.api_key of the provider .* evil says by configuration\.endpoint/;
    expect([made.status, made.text]).toEqual([400, expect.stringMatching(why)]);
    const configuration = { endpoint: bobs.url, api_key: 'key of bob' };
    expect(await bob.status('POST', model, { configuration })).toBe(200);
    await ask('evil');
    expect(bobs.heard).toContain('key of bob');
    const keyless = { configuration: { endpoint: bobs.url } };
    const refused = await bob.post(model, keyless);
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(why)]);
  });

  it('of a model does not go where its provider is moved to', async () => {
    const key = `${canary}-of-a-model`;
    const model = `${integrations}/kept_secrets_ai/integration/own`;
    await saved(model, { configuration: { api_key: key } });
    const moved = await change({ endpoint: bobs.url, api_key: 'key of bob' });
    await ask('own');
    expect(bobs.heard).not.toContain(key);
    expectRefusal(moved, 'configuration.endpoint', 'own: configuration.api_key');
    expect(await admin.status('DELETE', model)).toBe(200);
  });

  it('does not go to a model that had an address before the provider had the secret', async () => {
    await saved(`${integrations}/kept_secrets_late`, {
      type: 'ollama',
      configuration: { endpoint: own.url },
    });
    await server.grant(bob, 'INTEGRATION_PROVIDER', 'kept_secrets_late', ['READ', 'UPDATE']);
    const model = `${integrations}/kept_secrets_late/integration/early`;
    expect(await bob.status('POST', model, { configuration: { endpoint: bobs.url } })).toBe(200);
    const configuration = { endpoint: own.url, api_key: canary };
    const refused = await admin.post(`${integrations}/kept_secrets_late`, { configuration });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('early')]);
    expect(refused.text).toContain('configuration.api_key');
    expect(await admin.status('DELETE', model)).toBe(200);
    await saved(`${integrations}/kept_secrets_late`, { configuration });
  });

  it('moves once it is sent again, whoever sends it', async () => {
    const configuration = { api_key: 'key of bob', endpoint: bobs.url };
    expect((await change(configuration)).status).toBe(200);
    await ask();
    expect(bobs.heard).toContain('key of bob');
    expect(bobs.heard).not.toContain(canary);
  });
});

describe('the kept secret of a remote service', () => {
  const auth = { key: 'X-Key', value: canary };
  const masked = { key: 'X-Key', value: '***' };
  const service = (more: object = {}): object => ({
    ...{ name: 'kept_secrets_web', type: 'HTTP', serviceURI: `${own.url}/api.json` },
    servers: [{ url: own.url, type: 'USER_DEFINED' }],
    ...more,
  });
  const http = (input: object): Promise<string> =>
    run('HTTP', { http_request: { service: 'kept_secrets_web', method: 'GET', ...input } });

  beforeAll(async () => {
    await saved(services, service({ authMetadata: auth }));
    const grpc = {
      name: 'kept_secrets_calls',
      type: 'gRPC',
      serviceURI: `127.0.0.1:${own.grpcPort}`,
    };
    await saved(services, { ...grpc, authMetadata: auth });
    await server.grant(bob, 'SERVICE_REGISTRY', 'kept_secrets_web', ['READ', 'UPDATE']);
    await server.grant(bob, 'SERVICE_REGISTRY', 'kept_secrets_calls', ['READ']);
  });

  it.each([
    ['the address', { serviceURI: 'http://bob.test/api.json' }, 'serviceURI'],
    ['a server', { servers: [{ url: 'http://bob.test' }] }, 'servers'],
    ['the type', { type: 'MCP_REMOTE' }, 'type'],
    ['the certificate that is trusted', { trustCert: true }, 'trustCert'],
    ['its header', { authMetadata: { key: 'Host', value: '***' } }, 'authMetadata.key'],
  ])('does not stay when %s changes', async (_what, more, named) => {
    const withMask = await bob.post(services, service({ authMetadata: masked, ...more }));
    expectRefusal(withMask, 'authMetadata.value', named);
    if ('authMetadata' in more) return;
    expectRefusal(await bob.post(services, service(more)), 'authMetadata.value', named);
  });

  it('stays with a change of other fields, as the service is shown', async () => {
    const shown = (await bob.get(`${services}/kept_secrets_web`)).body;
    const { status, text } = await bob.post(services, { ...shown, circuitBreakerEnabled: true });
    expect(status, text).toBe(200);
    await http({ uri: '/a' });
    expect(own.heard).toContain(canary);
  });

  it('is sent to no other server, whatever address a task names', async () => {
    const reason = await http({ uri: `${bobs.url}/x` });
    expect(bobs.heard).not.toContain(canary);
    expect(reason).toContain('the service kept_secrets_web');
    await http({ uri: `${own.url}/absolute` });
    expect(own.heard).toMatch(new RegExp(`/absolute.*${canary}`));
  });

  it('is not taken along by a redirect', async () => {
    own.movedTo = `${bobs.url}/moved`;
    await http({ uri: '/a', followRedirects: true });
    own.movedTo = undefined;
    expect(bobs.heard).toContain('/moved');
    expect(bobs.heard).not.toContain(canary);
  });

  it('goes to no other gRPC server, and over no other connection, than its own', async () => {
    const call = { service: 'kept_secrets_calls', method: 'a.B/C', request: {} };
    const reason = await run('GRPC', { ...call, host: '127.0.0.1', port: bobs.grpcPort });
    expect(bobs.heard).not.toContain(canary);
    expect(reason).toContain('the service kept_secrets_calls');
    expect(await run('GRPC', { ...call, trustCert: true })).toContain(
      'the service kept_secrets_calls',
    );
    await run('GRPC', { ...call, host: '127.0.0.1', port: own.grpcPort });
    expect(own.heard).toContain(canary);
  });

  it('is copied by who may change the service', async () => {
    const copy = `${services}/kept_secrets_calls/clone?newName=kept_secrets_copied`;
    const refused = await bob.post(copy);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('UPDATE')]);
    await server.grant(bob, 'SERVICE_REGISTRY', 'kept_secrets_calls', ['UPDATE']);
    expect((await bob.post(copy)).status).toBe(200);
    const moved = {
      name: 'kept_secrets_copied',
      type: 'gRPC',
      serviceURI: `127.0.0.1:${bobs.grpcPort}`,
    };
    expectRefusal(await bob.post(services, moved), 'authMetadata.value', 'serviceURI');
  });
});

describe('the kept secret of a webhook', () => {
  const base = '/api/metadata/webhook';
  const hook = (more: object = {}): object => ({
    ...{
      id: 'kept_secrets_kept',
      name: 'kept_secrets_kept',
      sourcePlatform: 'Custom',
      verifier: 'HMAC_BASED',
    },
    ...{ headerKey: 'x-signature', secretValue: canary, workflowsToStart: {} },
    ...more,
  });

  it('stays with how calls are verified', async () => {
    await saved(base, hook());
    await server.grant(bob, 'WEBHOOK', 'kept_secrets_kept', ['READ', 'UPDATE']);
    const change = (more: object): Promise<Answer> =>
      bob.put(`${base}/kept_secrets_kept`, hook({ secretValue: '***', ...more }));
    expect((await change({ sourcePlatform: 'Other', name: 'kept_secrets_renamed' })).status).toBe(
      200,
    );
    expectRefusal(await change({ verifier: 'TWITTER' }), 'secretValue', 'verifier');
    expectRefusal(await change({ headerKey: 'x-other' }), 'secretValue', 'headerKey');
    expect((await change({ headerKey: 'x-other', secretValue: 'of bob' })).status).toBe(200);
  });

  // The Go SDK changes the headerKey of such a webhook and sends back what it was shown.
  it('stays where a header changes that its verifier does not read', async () => {
    const slack = { id: 'kept_secrets_slack', name: 'kept_secrets_slack', verifier: 'SLACK_BASED' };
    await saved(base, hook({ ...slack, headerKey: 'X-GitHub-Event' }));
    const shown = (await admin.get(`${base}/kept_secrets_slack`)).body;
    const moved = { ...shown, headerKey: 'X-Gitlab-Event' };
    const answer = await admin.put(`${base}/kept_secrets_slack`, moved);
    expect(answer).toMatchObject({ status: 200, body: { headerKey: 'X-Gitlab-Event' } });
    expectRefusal(
      await admin.put(`${base}/kept_secrets_slack`, { ...moved, verifier: 'HMAC_BASED' }),
      ...['secretValue', 'verifier'],
    );
  });
});

describe('the kept secrets of an outgoing webhook', () => {
  const base = '/api/metadata/outgoing-webhook';
  const told = (more: object = {}): object => ({
    ...{ name: 'kept_secrets_told', url: `${own.url}/a`, events: ['WORKFLOW_COMPLETED'] },
    headers: { authorization: canary, 'x-tenant': 'a tenant' },
    ...more,
  });
  const kept = { authorization: '***', 'x-tenant': '***' };

  it('stay with the whole address', async () => {
    const { id } = (await admin.post(base, told())).body;
    await server.grant(bob, 'WEBHOOK', id, ['READ', 'UPDATE']);
    const change = (more: object): Promise<Answer> => bob.put(`${base}/${id}`, told(more));
    expect((await change({ headers: kept, name: 'kept_secrets_renamed' })).status).toBe(200);
    const path = { url: `${own.url}/b` };
    expectRefusal(
      await change({ headers: kept, ...path }),
      ...['headers.authorization', 'headers.x-tenant', 'secretValue', 'url'],
    );
    const headers = { authorization: 'of bob' };
    expectRefusal(await change({ headers, ...path }), 'secretValue', 'url');
    const routed = { ...kept, 'x-route-to': 'bob' };
    expectRefusal(await change({ headers: routed }), 'headers.authorization', 'headers.x-route-to');
    const rotated = { ...kept, authorization: 'a new token' };
    expect((await change({ headers: rotated })).status).toBe(200);
    const secretValue = 'a secret of sixteen bytes';
    expect((await change({ headers, secretValue, ...path })).status).toBe(200);
  });
});
