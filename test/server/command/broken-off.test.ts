// `downbeat import` and `apply` that are killed again and again, and a server that is killed once:
// the same command goes on, and ends in the state of one that nothing disturbed.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../support/api-client.js';
import { PackedCommand } from '../../support/command.js';
import type { Program } from '../../support/process.js';
import { projectRoot } from '../../support/project.js';
import { startServer, type RunningServer } from '../../support/server.js';

const inputs = path.join(projectRoot, '..', 'shared', 'inputs');
/** More runs than a command that gets on needs. */
const runsMax = 40;

let source: RunningServer;
let calm: RunningServer;
let shaken: RunningServer;
let downbeat: PackedCommand;
let door: Door;

beforeAll(async () => {
  [source, calm, shaken] = await Promise.all([startServer(), startServer(), startServer()]);
  downbeat = new PackedCommand(calm.url);
  door = await Door.before(shaken.url);
  await fill(source);
}, 180_000);
afterAll(async () => {
  downbeat.remove();
  await door.close();
  await Promise.all([source.stop(), calm.stop(), shaken.stop()]);
});

/** Stands before a server, and acts after a request was done there and before its caller hears. */
class Door {
  readonly #http: http.Server;
  after: (method: string, route: string) => Promise<void> = () => Promise.resolve();

  private constructor(readonly server: string) {
    this.#http = http.createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async before(server: string): Promise<Door> {
    const door = new Door(server);
    await new Promise<void>((resolve) => door.#http.listen(0, '127.0.0.1', resolve));
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = Buffer.concat(await request.toArray());
    const answer = await fetch(this.server + url, {
      method,
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(body.length === 0 ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.ok) await this.after(method, url);
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
    response.end(bytes);
  }
}

/** Definitions of others, and what an import stores in two steps. */
async function fill(server: RunningServer): Promise<void> {
  const api = new ApiClient(server.url);
  const definitions = fs
    .readdirSync(inputs)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(fs.readFileSync(path.join(inputs, name), 'utf8')) as object);
  expect(definitions.length).toBeGreaterThan(20);
  const requests: [method: 'POST' | 'PUT', route: string, body: unknown][] = [
    ['PUT', '/api/metadata/workflow', definitions],
    ['POST', '/api/metadata/taskdefs', [{ name: 'pack' }, { name: 'send' }]],
    ...['nightly', 'weekly'].map((name): ['POST', string, unknown] => [
      ...(['POST', '/api/scheduler/schedules'] as const),
      {
        ...{ name, cronExpression: '0 0 3 1 1 *' },
        startWorkflowRequest: { name: 'quickstart_workflow', version: 1 },
      },
    ]),
    [
      ...(['POST', '/api/event'] as const),
      {
        ...{ name: 'paid', event: 'conductor:paid', active: true },
        actions: [{ action: 'start_workflow', start_workflow: { name: 'quickstart_workflow' } }],
      },
    ],
  ];
  for (const [method, route, body] of requests) {
    const answer = await api.request(method, route, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }
  await api.close();
}

/** What was sent may have been done: the caller or the server dies before the answer. */
interface Deaths {
  readonly callers: number;
  readonly servers: number;
}

/**
 * Runs the command until one of its runs ends by itself. Its process is killed after each write of
 * a route that was not seen before, and the server after the fifth write of all.
 */
async function disturbed(args: readonly string[]): Promise<Deaths> {
  const seen = new Set<string>();
  let [callers, servers, writes] = [0, 0, 0];
  for (let run = 0; run < runsMax; run++) {
    const program: Program = downbeat.start(args, { CONDUCTOR_SERVER_URL: `${door.url}/api` });
    let isKilled = false;
    door.after = async (method, route) => {
      if (method === 'GET' || route.includes('validate') || isKilled) return;
      writes++;
      if (writes === 5) {
        servers++;
        await shaken.kill('SIGKILL');
        await shaken.restart();
        throw new Error('The answer is lost with the server.');
      }
      if (seen.has(`${method} ${route}`) && writes % 7 !== 0) return;
      seen.add(`${method} ${route}`);
      isKilled = true;
      callers++;
      program.child.kill('SIGKILL');
    };
    const { code } = await program.ended;
    if (isKilled) continue;
    expect(code, program.output()).toBe(0);
    return { callers, servers };
  }
  throw new Error(`${args.join(' ')} did not end in ${runsMax} runs.`);
}

const stateRoutes = [
  '/api/metadata/workflow',
  '/api/metadata/taskdefs',
  '/api/event',
  '/api/scheduler/schedules',
  '/api/scheduler/schedules/nightly/tags',
  '/api/scheduler/schedules/weekly/tags',
  '/api/event/paid/tags',
  '/api/metadata/task/pack/tags',
  '/api/metadata/task/applied_1/tags',
];

/** All that a command stores, without when, by whom last, and in which order. */
async function stateOf(server: RunningServer): Promise<unknown> {
  const api = new ApiClient(server.url);
  const state: Record<string, string[]> = {};
  for (const route of stateRoutes) {
    const { body } = await api.request('GET', route);
    const rows = Array.isArray(body) ? (body as object[]) : [];
    state[route] = rows.map((row) => JSON.stringify(row, withoutStamps)).sort();
  }
  await api.close();
  return state;
}

function withoutStamps(key: string, value: unknown): unknown {
  return /^(?:createTime|updateTime|updatedTime|updatedBy|nextRunTime)$/.test(key)
    ? undefined
    : value;
}

describe('a command that is killed, or loses its server, again and again', () => {
  it('import ends in the state of an undisturbed one', async () => {
    const args = ['import', '--from', source.url];
    const undisturbed = await downbeat.run(args);
    expect(undisturbed.code, undisturbed.stderr).toBe(0);
    const deaths = await disturbed(args);
    expect(deaths.callers).toBeGreaterThan(5);
    expect(deaths.servers).toBe(1);
    expect(await stateOf(shaken)).toEqual(await stateOf(calm));
    const api = new ApiClient(shaken.url);
    const tags = await api.request('GET', '/api/scheduler/schedules/nightly/tags');
    expect(tags.body).toMatchObject([{ key: 'downbeat', value: 'awaits-hand-over' }]);
    await api.close();
  }, 120_000);

  it('apply ends in the state of an undisturbed one, with the label on all of it', async () => {
    const folder = path.join(downbeat.folder, 'applied');
    fs.mkdirSync(path.join(folder, 'tasks'), { recursive: true });
    for (let n = 0; n < 20; n++) {
      const text = JSON.stringify({ name: `applied_${n}`, retryCount: n });
      fs.writeFileSync(path.join(folder, 'tasks', `${n}.json`), text);
    }
    const args = ['apply', folder, '--label', 'team=a'];
    const undisturbed = await downbeat.run(args);
    expect(undisturbed.code, undisturbed.stderr).toBe(0);
    const deaths = await disturbed(args);
    expect(deaths.callers).toBeGreaterThan(5);
    expect(deaths.servers).toBe(1);
    expect(await stateOf(shaken)).toEqual(await stateOf(calm));
    const diff = await downbeat.run(['diff', folder, '--label', 'team=a'], {
      env: { CONDUCTOR_SERVER_URL: shaken.url },
    });
    expect(diff.stdout).toMatch(/ 20 unchanged\n$/);
  }, 120_000);
});
