// A replica takes over that had not received the newest changes of records and definitions. They
// are gone, at all nodes alike; what is acknowledged from then on shows at each node, though its
// revisions are ones that the former primary has given already.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisProcess } from '../../cluster/redis-process.js';
import { TcpProxy } from '../../cluster/tcp-proxy.js';
import { ApiClient } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort } from '../../testkit/process.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const folder = createFolder();
let primary: RedisProcess;
let replica: RedisProcess;
/** The server that the nodes reach. */
let reached: RedisProcess;
/** Between the two servers, and in front of the one that the nodes reach. */
const link = new TcpProxy(() => ({ host: '127.0.0.1', port: primary.port }));
const front = new TcpProxy(() => ({ host: '127.0.0.1', port: reached.port }));
const servers: RunningServer[] = [];
let clients: ApiClient[] = [];

beforeAll(async () => {
  primary = reached = await startRedis('primary');
  replica = await startRedis('replica', [`replicaof 127.0.0.1 ${await link.listen()}`]);
  await until('the replica', () => replica.ask('INFO', 'replication').includes('status:up'));
  const redisUrl = `redis://127.0.0.1:${await front.listen()}`;
  for (let i = 0; i < 2; i++) servers.push(await startServer({ redisUrl }));
  clients = servers.map(({ url }) => new ApiClient(url));
}, 60_000);
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all([front.close(), link.close()]);
  await Promise.all([primary.stop(), replica.stop()]);
  removeFolder(folder);
});

async function startRedis(name: string, config: readonly string[] = []): Promise<RedisProcess> {
  const place = { name, port: await freePort(), folder: `${folder}/${name}` };
  const server = new RedisProcess({ ...place, args: [], config });
  await server.start();
  return server;
}

/** How much of the primary's writes a server has. */
function offsetOf(server: RedisProcess, role: 'master' | 'slave'): number {
  const info = server.ask('INFO', 'replication');
  return Number(new RegExp(`^${role}_repl_offset:(\\d+)`, 'm').exec(info)?.[1]);
}

async function failOver(): Promise<void> {
  replica.ask('REPLICAOF', 'NO', 'ONE');
  reached = replica;
  await primary.stop();
  for (const server of servers) await server.healthy();
}

const variables = async (client: ApiClient): Promise<unknown> =>
  Object.fromEntries(
    ((await client.ask('GET', '/api/environment')).body as { name: string; value: string }[]).map(
      ({ name, value }) => [name, value],
    ),
  );
const versions = async (client: ApiClient): Promise<unknown> =>
  ((await client.ask('GET', '/api/metadata/workflow')).body as { version: number }[])
    .map(({ version }) => version)
    .sort();

/** Repeats a change while the store is away. */
async function acknowledged(client: ApiClient, path: string, body: unknown): Promise<void> {
  const change = async (): Promise<boolean> => {
    const { status, text } = await client.request('PUT', path, body);
    if (status !== 200) expect(status, text).toBe(503);
    return status === 200;
  };
  await until(`the change of ${path}`, change);
}

/** Resolves once every node shows this; rejects with what one shows otherwise. */
async function untilAllShow(
  show: (client: ApiClient) => Promise<unknown>,
  wanted: unknown,
): Promise<void> {
  for (const client of clients) {
    let shown: unknown;
    const isSo = async (): Promise<boolean> => {
      shown = await show(client);
      return JSON.stringify(shown) === JSON.stringify(wanted);
    };
    await until('the same at all nodes', isSo).catch(() => expect(shown).toEqual(wanted));
  }
}

it('shows at each node what is acknowledged after it, and nothing that it undid', async () => {
  const [one, other] = clients as [ApiClient, ApiClient];
  const save = (client: ApiClient, name: string, value: string): Promise<unknown> =>
    acknowledged(client, `/api/environment/${name}`, value);
  const register = (client: ApiClient, version: number): Promise<unknown> => {
    const tasks = [{ name: 'w', taskReferenceName: 'w', type: 'WAIT' }];
    return acknowledged(client, '/api/metadata/workflow', [
      { name: 'failed_over', version, ownerEmail: 'a@example.com', tasks },
    ]);
  };
  await save(one, 'kept', '1');
  await register(one, 1);
  await untilAllShow(variables, { kept: '1' });
  const written = offsetOf(primary, 'master');
  await until('all that was written', () => offsetOf(replica, 'slave') >= written);
  link.cut();
  await save(one, 'kept', '2');
  await save(one, 'lost', '2');
  for (const version of [2, 3]) await register(one, version);
  await untilAllShow(variables, { kept: '2', lost: '2' });
  await failOver();
  const saved = async (): Promise<boolean> =>
    (await other.request('PUT', '/api/environment/new', '3')).status === 200;
  await until('writes to go on', saved);
  await register(other, 4);
  await save(one, 'kept', '4');
  await untilAllShow(variables, { kept: '4', new: '3' });
  await untilAllShow(versions, [1, 4]);
});
