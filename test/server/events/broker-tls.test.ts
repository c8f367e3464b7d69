// Brokers behind TLS and a login: handlers and EVENT tasks use them where the server trusts the
// certificate and the login is right, and say why they do not otherwise.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../../src/model/json.js';
import { ApiClient } from '../../../testkit/api-client.js';
import { missingProgram, startBroker, type RunningBroker } from '../../support/brokers/broker.js';
import { createCertificate, natsOverTls, redisOverTls } from '../../support/brokers/tls.js';
import { createFolder, removeFolder } from '../../../testkit/folder.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';

const longMs = { timeoutMs: 40_000 };
const certificates = createFolder();
let server: RunningServer;
let api: ApiClient;

const missing = missingProgram('openssl');

beforeAll(async () => {
  if (missing !== undefined) return;
  const { cert } = await createCertificate(certificates);
  const env = { NODE_EXTRA_CA_CERTS: cert };
  server = await startServer({ args: ['--outbound-allow-inside=true'], env });
  api = new ApiClient(server.url);
  const noop = { name: 'n', taskReferenceName: 'n', type: 'NOOP' };
  await api.registerWorkflows({ name: 'started', tasks: [noop] } as never);
});
afterAll(async () => {
  await api?.close();
  await server?.stop();
  removeFolder(certificates);
});

async function connect(name: string, type: string, configuration: JsonMap): Promise<void> {
  const provider = { type, category: 'MESSAGE_BROKER', enabled: true, configuration };
  await api.ask('POST', `/api/integrations/provider/${name}`, provider);
}

async function handle(event: string): Promise<string> {
  const name = `on_${event.replaceAll(':', '_')}`;
  const start = { name: 'started', version: 1, input: { n: '${n}' } };
  const actions = [{ action: 'start_workflow', start_workflow: start }];
  await api.ask('POST', '/api/event', { name, event, active: true, actions });
  return name;
}

async function reasonOf(handler: string): Promise<string> {
  return await until(
    `${handler} to be unreachable`,
    async () => {
      const { body } = await api.ask('GET', '/api/event/queue/source');
      const sources = body as { handlers: string[]; status: string; reason?: string }[];
      const source = sources.find(({ handlers }) => handlers.includes(handler));
      return source?.status === 'UNREACHABLE' ? source.reason : undefined;
    },
    longMs,
  );
}

const kinds = [
  { kind: 'redis_stream', program: redisOverTls },
  { kind: 'nats', program: natsOverTls },
] as const;

describe.each(kinds)('$kind over TLS', ({ kind, program }) => {
  const lacks = missing ?? missingProgram(program({ cert: '', key: '' }).command);

  it.skipIf(lacks !== undefined)(
    'is used, and refused where it is not what it should be',
    async () => {
      const [cert, key] = [`${certificates}/cert.pem`, `${certificates}/key.pem`];
      const broker: RunningBroker = await startBroker(program({ cert, key }));
      try {
        const { configuration } = broker;
        await connect(`${kind}_good`, kind, configuration);
        const event = `${kind}:${kind}_good:topic`;
        const handler = await handle(event);
        const task = { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink: event };
        const tasks = [{ ...task, inputParameters: { n: 7 } }];
        const workflowDef = { name: 'publishes', tasks };
        const published = await api.untilEnd(
          await api.start({ name: 'publishes', workflowDef } as never),
        );
        expect([published.status, published.reasonForIncompletion ?? '']).toEqual([
          'COMPLETED',
          '',
        ]);
        const done = await until(
          'the record of the handler',
          async () => {
            const { body } = await api.ask('GET', `/api/event/execution/${handler}`);
            return (body as { status: string }[])[0];
          },
          longMs,
        );
        expect(done.status).toBe('COMPLETED');

        const port = String(configuration['endpoint']).split(':').at(-1);
        const wrong = {
          plain: { ...configuration, tls: 'false' },
          name: { ...configuration, endpoint: `localhost:${port}` },
          login: { ...configuration, password: 'not the secret' },
        };
        for (const [name, settings] of Object.entries(wrong)) {
          await connect(`${kind}_${name}`, kind, settings);
          const reason = await reasonOf(await handle(`${kind}:${kind}_${name}:topic`));
          expect(reason).toContain(`${kind} (integration ${kind}_${name}): `);
          expect(reason).not.toContain('not the secret');
        }
      } finally {
        await broker.stop();
      }
    },
  );
});
