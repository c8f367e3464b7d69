// Every way out of a server that may not call inside (invariants S1): a target inside is met by its
// address, by a name that resolves there, and by a redirect of a host that is allowed. Nothing must
// ever connect to it.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import type { JsonObject, WireTask } from '../../testkit/wire.js';

let server: RunningServer;
let api: ApiClient;
/** What must not be reached. */
let connections = 0;
const inside = net.createServer((socket) => {
  connections += 1;
  socket.destroy();
});
/** An allowed host that sends everybody inside. */
let redirects = 0;
const door = http.createServer((request, response) => {
  redirects += 1;
  const { host } = new URL(`http://${request.headers.host}`);
  const name = host.startsWith('127') ? '127.0.0.1' : 'localhost';
  response.writeHead(307, { Location: `http://${name}:${portOf(inside)}/` }).end();
});

const portOf = (listener: net.Server): number => (listener.address() as AddressInfo).port;

beforeAll(async () => {
  for (const each of [inside, door]) {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
  }
  server = await startServer({
    args: [`--outbound-allowed-hosts=127.0.0.1:${portOf(door)},localhost:${portOf(door)}`],
  });
  api = new ApiClient(server.url);
});
afterAll(async () => {
  await api.close();
  await server.stop();
  door.closeAllConnections();
  for (const each of [inside, door]) await new Promise((resolve) => each.close(resolve));
});

/** `host:port` of the target, and of the door that leads to it. */
const targets: readonly (readonly [string, () => string])[] = [
  ['its address', () => `127.0.0.1:${portOf(inside)}`],
  ['an old spelling of its address', () => `0x7f.1:${portOf(inside)}`],
  ['a name', () => `localhost:${portOf(inside)}`],
  ['a redirect to its address', () => `127.0.0.1:${portOf(door)}`],
  ['a redirect to a name', () => `localhost:${portOf(door)}`],
];

let providers = 0;
async function provider(type: string, category: string, config: JsonObject): Promise<string> {
  const name = `p${++providers}`;
  const path = `/api/integrations/provider/${name}`;
  await api.ask('POST', path, { type, category, configuration: { api_key: 'k', ...config } });
  await api.ask('POST', `${path}/integration/m`, {});
  return name;
}

type Input = (host: string) => JsonObject | Promise<JsonObject>;

/** Input of a task that asks a model of a provider at that address. */
function model(more: JsonObject): Input {
  return async (host) => ({
    llmProvider: await provider('openai', 'AI_MODEL', { endpoint: `http://${host}/v1` }),
    model: 'm',
    ...more,
  });
}

function database(scheme: string): Input {
  return async (host) => ({
    integrationName: await provider('relational_db', 'RELATIONAL_DB', {
      datasourceURL: `jdbc:${scheme}://${host}/d`,
      user: 'u',
      password: 'p',
    }),
    statement: 'SELECT 1',
    type: 'SELECT',
  });
}

const space = { vectorDB: 'kept', index: 'i' };
const tasks: readonly (readonly [string, Input])[] = [
  ['HTTP', (host) => ({ http_request: { uri: `http://${host}/`, method: 'GET' } })],
  ['GET_DOCUMENT', (host) => ({ url: `http://${host}/a.txt` })],
  ['PARSE_DOCUMENT', (host) => ({ url: `http://${host}/a.pdf` })],
  ['BUSINESS_RULE', (host) => ({ ruleFileLocation: `http://${host}/a.csv`, inputColumns: {} })],
  ['LLM_CHAT_COMPLETE', model({ userInput: 'hello' })],
  ['LLM_TEXT_COMPLETE', model({ prompt: 'hello' })],
  ['LLM_GENERATE_EMBEDDINGS', model({ text: 'hello' })],
  ['GENERATE_IMAGE', model({ prompt: 'a cat' })],
  ['GENERATE_AUDIO', model({ text: 'hello' })],
  ['GENERATE_VIDEO', model({ prompt: 'a cat' })],
  [
    'LLM_INDEX_TEXT',
    async (host) => ({
      ...space,
      ...{ docId: 'd', text: 'hello', embeddingModel: 'm' },
      embeddingModelProvider: await provider('openai', 'AI_MODEL', {
        endpoint: `http://${host}/v1`,
      }),
    }),
  ],
  [
    'LLM_INDEX_DOCUMENT',
    async (host) => ({
      ...space,
      ...{ url: `http://${host}/a.txt`, embeddingModel: 'm' },
      embeddingModelProvider: await provider('openai', 'AI_MODEL', { endpoint: 'http://a.test' }),
    }),
  ],
  ['LIST_MCP_TOOLS', (host) => ({ mcpServer: `http://${host}/mcp` })],
  [
    'CALL_MCP_TOOL',
    async (host) => ({
      mcpServer: await provider('mcp', 'MCP', { endpoint: `http://${host}/mcp` }),
      method: 'tool',
    }),
  ],
  [
    'SENDGRID',
    async (host) => ({
      ...{ from: 'a@b.c', to: ['d@e.f'], subject: 's', content: 'c' },
      sendgridConfiguration: await provider('sendgrid', 'EMAIL', { endpoint: `http://${host}` }),
    }),
  ],
  ['JDBC', database('postgresql')],
  ['JDBC', database('mysql')],
  [
    'KAFKA_PUBLISH',
    (host) => ({ kafka_request: { bootStrapServers: host, topic: 't', value: 'v' } }),
  ],
  [
    'GRPC',
    (host) => {
      const [name, port] = host.split(':');
      return { host: name, port: Number(port), method: 's.S/M', useSSL: false };
    },
  ],
];

/** Know no redirects. */
const speaksNoHttp = new Set(['JDBC', 'KAFKA_PUBLISH', 'GRPC']);

async function end(type: string, inputParameters: JsonObject): Promise<WireTask | undefined> {
  const task = { name: 't', taskReferenceName: 't', type, inputParameters };
  const name = 'guarded';
  const workflowDef = { name, version: 1, schemaVersion: 2, tasks: [task] };
  const id = await api.start({ name, workflowDef });
  const ended = await api.untilWorkflow(id, ({ status }) => status !== 'RUNNING');
  return ended.tasks.at(-1);
}

describe('a target inside, met by', () => {
  beforeAll(async () => {
    await api.ask('POST', '/api/integrations/provider/kept', { type: 'redis' });
  });

  it.each(targets)('%s, is reached by no task', async (_how, hostOf) => {
    const host = hostOf();
    const isDirect = Number(host.split(':')[1]) === portOf(inside);
    const met = tasks.filter(([type]) => isDirect || !speaksNoHttp.has(type));
    const ends = met.map(async ([type, input]) => [type, await end(type, await input(host))]);
    for (const [type, task] of await Promise.all(ends)) {
      const { status, reasonForIncompletion } = task as WireTask;
      expect.soft(status, String(type)).toMatch(/FAILED/);
      if (isDirect) expect.soft(reasonForIncompletion, String(type)).toMatch(/inside the server/);
    }
    expect(connections).toBe(0);
  });

  it.each(targets)('%s, is reached by no discovery of a service', async (_how, hostOf) => {
    const services = [
      { name: 'web', type: 'HTTP', serviceURI: `http://${hostOf()}/api` },
      { name: 'rpc', type: 'gRPC', serviceURI: hostOf() },
    ];
    for (const service of services) {
      await api.ask('POST', '/api/registry/service', service);
      const path = `/api/registry/service/${service.name}/discover?create=true`;
      const { status, text } = await api.request('GET', path);
      expect(status, text).toBe(400);
    }
    expect(connections).toBe(0);
  });

  it.each(targets)('%s, is reached by no outgoing webhook', async (_how, hostOf) => {
    const path = '/api/metadata/outgoing-webhook';
    const url = `http://${hostOf()}/`;
    const told = { events: ['WORKFLOW_STARTED'], workflowNames: ['guarded_hook'] };
    const { body, text } = await api.request('POST', path, { name: 'w', url, ...told });
    const { id } = body as { id?: string };
    if (id === undefined) throw new Error(text);
    const task = { name: 't', taskReferenceName: 't', type: 'NOOP' };
    const workflowDef = { name: 'guarded_hook', version: 1, schemaVersion: 2, tasks: [task] };
    await api.start({ name: 'guarded_hook', workflowDef });
    await until('an attempt', async () => {
      const log = (await api.request('GET', `${path}/${id}/deliveries`)).body;
      return (log as { attempts: object[] }).attempts.length > 0;
    });
    await api.request('DELETE', `${path}/${id}`);
    expect(connections).toBe(0);
  });

  it('a redirect was met indeed', () => {
    expect(redirects).toBeGreaterThan(0);
  });
});
