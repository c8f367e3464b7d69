// Of several nodes one takes the messages of a broker; when it is killed, another one goes on, and
// every message is dealt with.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { startBroker, type RunningBroker } from '../../support/brokers/broker.js';
import { redisProgram } from '../../support/brokers/programs.js';
import { startRedis, type RunningRedis } from '../../../testkit/redis.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';

let redis: RunningRedis;
let broker: RunningBroker;
const servers: RunningServer[] = [];
const clients: ApiClient[] = [];
const longMs = { timeoutMs: 40_000 };
const event = 'redis_stream:streams:orders';
const handler = 'takes_orders';

beforeAll(async () => {
  [redis, broker] = await Promise.all([startRedis(), startBroker(redisProgram)]);
  const key = Buffer.alloc(32, 1).toString('base64');
  const args = ['--outbound-allow-inside=true', `--secrets-key=${key}`];
  const settings = { redisUrl: redis.url, args };
  for (let i = 0; i < 2; i++) {
    const server = await startServer(settings);
    servers.push(server);
    clients.push(new ApiClient(server.url));
  }
});
afterAll(async () => {
  for (const client of clients) await client.close();
  for (const server of servers) await server.stop();
  await broker.stop();
  await redis.stop();
});

/** Nodes that take messages now, as any node tells. */
async function takers(api: ApiClient): Promise<string[]> {
  const { body } = await api.ask('GET', '/api/event/queue/source');
  const sources = body as { node: string; status: string }[];
  return sources.filter(({ status }) => status === 'CONNECTED').map(({ node }) => node);
}

async function publish(api: ApiClient, n: number): Promise<void> {
  const task = { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink: event };
  const workflowDef = { name: 'publishes', tasks: [{ ...task, inputParameters: { n } }] };
  const ended = await api.untilEnd(await api.start({ name: 'publishes', workflowDef } as never));
  expect(ended.status).toBe('COMPLETED');
}

it('are taken by one node, and by another one after its end', async () => {
  const [first, second] = clients as [ApiClient, ApiClient];
  const set = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
  await first.registerWorkflows({ name: 'started', tasks: [set] } as never);
  const provider = { type: 'redis_stream', category: 'MESSAGE_BROKER' };
  const { configuration } = broker;
  await first.ask('POST', '/api/integrations/provider/streams', { ...provider, configuration });
  const start = { name: 'started', version: 1, input: { n: '${n}' }, correlationId: 'orders' };
  const actions = [{ action: 'start_workflow', start_workflow: start }];
  await first.ask('POST', '/api/event', { name: handler, event, active: true, actions });
  const [taker] = await until(
    'a node that takes messages',
    async () => {
      const nodes = await takers(second);
      return nodes.length === 1 ? nodes : undefined;
    },
    longMs,
  );
  for (const n of [1, 2, 3]) await publish(first, n);
  const names = await Promise.all(
    clients.map(async (api) => {
      const { body } = await api.ask('GET', '/health');
      return (body as { details: { node: string } }).details.node;
    }),
  );
  const killed = names.indexOf(taker as string);
  const left = clients[1 - killed] as ApiClient;
  await servers[killed]?.kill('SIGKILL');
  await until(
    'the other node to take messages',
    async () => (await takers(left)).join() === names[1 - killed],
    longMs,
  );
  for (const n of [4, 5])
    await until('an EVENT task', () => publish(left, n).then(() => true), longMs);
  const path = '/api/workflow/started/correlated/orders?includeClosed=true&includeTasks=false';
  const started = await until(
    'five executions',
    async () => {
      const { body } = await left.ask('GET', path);
      return (body as unknown[]).length >= 5 ? (body as { input: { n: number } }[]) : undefined;
    },
    longMs,
  );
  expect(started.map(({ input }) => input.n).sort()).toEqual([1, 2, 3, 4, 5]);
});
