// The examples of deploy/proxies in front of two nodes: what clients of Downbeat need from a proxy
// comes through. Each proxy is tried where it is found.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EventStreamReader } from '../support/event-stream.js';
import { tell } from '../support/figures.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, signalProcess, startProgram } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { adminCommand, Session, type Key } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const examples = path.join(projectRoot, 'deploy', 'proxies');
const largeBytes = 3_000_000;

interface Proxy {
  readonly name: string;
  /** The first one is what it is started with. */
  readonly files: readonly [string, ...string[]];
  readonly command: (file: string, folder: string) => readonly [string, ...string[]];
  /** Ends it at once, whatever is still open. */
  readonly signal: NodeJS.Signals;
}

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    files: ['nginx.conf'],
    signal: 'SIGTERM',
    command: (file, folder) => {
      const inFolder = `daemon off; pid ${folder}/pid; error_log stderr;`;
      return ['nginx', '-p', folder, '-c', file, '-g', inFolder];
    },
  },
  {
    name: 'caddy',
    files: ['Caddyfile'],
    signal: 'SIGQUIT',
    command: (file) => ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
  },
  {
    name: 'traefik',
    files: ['traefik.yaml', 'traefik-nodes.yaml'],
    signal: 'SIGKILL',
    command: (file) => ['traefik', `--configFile=${file}`],
  },
];

const isHere = (name: string): boolean =>
  spawnSync(name, [name === 'nginx' ? '-v' : 'version']).error === undefined;

let redis: RunningRedis;
const nodes: RunningServer[] = [];
let key: Key;
const folder = createFolder();
const cleanUps: (() => unknown)[] = [];

beforeAll(async () => {
  redis = await startLocalRedis();
  const args = ['--auth', '--trusted-proxies', '127.0.0.1'];
  const settings = { redisUrl: redis.url, args };
  nodes.push(...(await Promise.all([startServer(settings), startServer(settings)])));
  const made = await adminCommand(node(0), ['create-key', '--redis-url', redis.url]);
  key = JSON.parse(made) as Key;
}, 60_000);

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

afterAll(async () => {
  await Promise.all(nodes.map((each) => each.stop()));
  await redis?.stop();
  removeFolder(folder);
});

function node(index: number): RunningServer {
  const found = nodes[index];
  if (found === undefined) throw new Error(`there is no node ${index}`);
  return found;
}

/** The example with the addresses of this test, running; its address. */
async function startProxy({ files, command, signal }: Proxy): Promise<string> {
  const port = await freePort();
  for (const file of files) {
    const text = fs
      .readFileSync(path.join(examples, file), 'utf8')
      .replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${node(0).port}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${node(1).port}`)
      .replaceAll('deploy/proxies/', `${folder}/`);
    fs.writeFileSync(path.join(folder, file), text);
  }
  const [name, ...args] = command(path.join(folder, files[0]), folder);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const program = startProgram(name, args, { env });
  cleanUps.push(async () => {
    signalProcess(program.pid, signal);
    await program.ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(`an answer through ${name}; it wrote:\n${program.output()}`, () => isUp(url));
  return url;
}

async function isUp(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    // Not listening yet.
    return false;
  }
}

async function administrator(url: string): Promise<Session> {
  const session = await until('the key', async () => {
    const { status, body } = await new Session(url).post('/api/token', key);
    return status === 200 ? new Session(url, { 'x-authorization': body.token }) : undefined;
  });
  return session;
}

describe.each(proxies)('$name in front of two nodes', (proxy) => {
  it('passes on what clients need', { timeout: 90_000 }, async ({ skip }) => {
    if (!isHere(proxy.name)) {
      tell(`skipped: ${proxy.name} is not installed`);
      return skip(`${proxy.name} is not installed`);
    }
    const url = await startProxy(proxy);
    const admin = await administrator(url);
    const name = `behind_${proxy.name}`;
    const work = { name, taskReferenceName: 'work', type: 'SIMPLE' };
    const payload = 'x'.repeat(largeBytes);
    await admin.put('/api/metadata/workflow', [{ name, version: 1, tasks: [work] }]);

    // Live events come while the stream is open, a poll that waits is answered by a later start,
    // and a body beyond what proxies take by default gets through, in both directions.
    const stream = await EventStreamReader.open(
      `${url}/api/stream?topics=executions`,
      admin.headers,
    );
    const poll = admin.get(`/api/tasks/poll/batch/${name}?workerid=w&timeout=5000`);
    const started = await admin.post(`/api/workflow/${name}`, { payload });
    expect(started.status).toBe(200);
    await stream.next('the start', ({ data }) => JSON.stringify(data).includes(started.text));
    stream.close();
    const [task] = (await poll).body as { workflowInstanceId: string }[];
    expect(task?.workflowInstanceId).toBe(started.text);
    const shown = await admin.get(`/api/workflow/${started.text}`);
    expect((shown.body as { input: { payload: string } }).input.payload).toBe(payload);
    expect((await admin.get('/api/definitions/none')).status).toBe(404);
  });

  it(
    'has a node left while they are restarted one after the other',
    { timeout: 90_000 },
    async ({ skip }) => {
      if (!isHere(proxy.name)) return skip(`${proxy.name} is not installed`);
      const url = await startProxy(proxy);
      const admin = await administrator(url);
      const statuses: number[] = [];
      for (const each of nodes) {
        await each.kill('SIGTERM');
        for (let n = 0; n < 20; n++) {
          statuses.push((await admin.get('/api/metadata/workflow')).status);
        }
        await each.restart();
        const { details } = (await (await fetch(`${each.url}/health`)).json()) as Health;
        // The next one goes when the proxy asks this one again; by nginx's default that took 10 s.
        const isBack = async (): Promise<boolean> => {
          const { body } = await admin.get('/api/workflow/none');
          return (body as { instance: string }).instance === details.node;
        };
        await until('an answer of the node that came back', isBack, { timeoutMs: 7_000 });
      }
      expect([...new Set(statuses)]).toEqual([200]);
    },
  );

  it(
    'tells the address of the client, not what the client says',
    { timeout: 60_000 },
    async ({ skip }) => {
      if (!isHere(proxy.name)) return skip(`${proxy.name} is not installed`);
      const url = await startProxy(proxy);
      const email = `liar-${proxy.name}@x.org`;
      expect(await signInFrom('127.0.0.2', url, email)).toBe(401);
      const admin = await administrator(url);
      const entry = await until('the entry of the refused sign-in', async () => {
        const { body } = await admin.get('/api/admin/audit?size=100');
        return (body as { objects: string[]; address: string }[]).find(({ objects }) =>
          objects.includes(email),
        );
      });
      expect(entry.address).toBe('127.0.0.2');
    },
  );
});

interface Health {
  readonly details: { readonly node: string };
}

/** Status of a sign-in from an address of this machine, by a client that claims another one. */
async function signInFrom(localAddress: string, url: string, email: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7' };
  const request = http.request(`${url}/api/token`, { method: 'POST', localAddress, headers });
  request.end(JSON.stringify({ email, password: 'none' }));
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}
