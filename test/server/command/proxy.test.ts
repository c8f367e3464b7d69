// `downbeat proxy`: two servers behind one address. Workers and callers know the proxy only.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { TaskManager, createConductorClient, noopLogger } from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { PackedCommand } from '../../support/command.js';
import { signalProcess, type Program } from '../../../testkit/process.js';
import { SecuredServer } from '../../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';

let old: RunningServer;
let server: RunningServer;
let oldApi: ApiClient;
let newApi: ApiClient;
let api: ApiClient;
let downbeat: PackedCommand;
const proxies: Program[] = [];

const kept = '5bafbbb4-e523-4b93-b72d-ee69a9194990';
const nowhere = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  [old, server] = await Promise.all([startServer(), startServer()]);
  [oldApi, newApi] = [new ApiClient(old.url), new ApiClient(server.url)];
  downbeat = new PackedCommand(server.url);
  for (const each of [oldApi, newApi]) {
    await each.registerWorkflows({
      name: 'order',
      version: 1,
      tasks: [
        { name: 'reserve', taskReferenceName: 'reserve', type: 'SIMPLE' },
        { name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' },
      ],
    });
  }
  const history = path.join(downbeat.folder, 'history');
  fs.mkdirSync(path.join(history, kept.slice(0, 2)), { recursive: true });
  fs.writeFileSync(
    path.join(history, kept.slice(0, 2), `${kept}.json.gz`),
    gzipSync(JSON.stringify({ workflowId: kept, status: 'COMPLETED' })),
  );
  api = new ApiClient(
    await proxyUrl('--old', old.url, '--new', `${server.url}/api`, '--history', history),
  );
}, 180_000);
afterAll(async () => {
  for (const proxy of proxies) {
    signalProcess(proxy.pid, 'SIGINT');
    await proxy.ended;
  }
  downbeat.remove();
  await Promise.all([api, oldApi, newApi].map((each) => each.close()));
  await Promise.all([old.stop(), server.stop()]);
});

async function proxyUrl(...args: string[]): Promise<string> {
  return await proxyWith({}, ...args);
}

async function proxyWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const program = downbeat.start(['proxy', '--port', '0', ...args], env);
  proxies.push(program);
  return await until(
    'the address of the proxy',
    () => /^(http:\/\/127\.0\.0\.1:\d+)$/m.exec(program.output())?.[1],
  );
}

/** What the proxy answers to these bytes; it, or the first whole answer, ends the connection. */
function rawAnswer(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (/}(?:\r\n0\r\n\r\n)?$/.test(text)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text.replace(/\r\n0\r\n\r\n$/, '')));
  });
}

describe('the proxy', () => {
  it('starts executions on the new server, and finds those of both', async () => {
    const there = await oldApi.start({ name: 'order', correlationId: 'c' });
    const here = await api.start({ name: 'order', correlationId: 'c' });
    expect((await newApi.workflow(here)).status).toBe('RUNNING');
    expect((await oldApi.request('GET', `/api/workflow/${here}`)).status).toBe(404);
    for (const id of [there, here]) {
      expect((await api.workflow(id)).workflowId).toBe(id);
    }
    const query = new URLSearchParams({ query: 'workflowType=order', start: '0', size: '10' });
    const { body } = await api.ask('GET', `/api/workflow/search?${query}`);
    const page = body as { totalHits: number; results: { workflowId: string }[] };
    expect(page.totalHits).toBe(2);
    expect(page.results.map(({ workflowId }) => workflowId)).toEqual([here, there]);
    query.set('start', '1');
    query.set('size', '1');
    const second = await api.ask('GET', `/api/workflow/search?${query}`);
    expect(second.body).toMatchObject({ totalHits: 2, results: [{ workflowId: there }] });
    const running = (await api.ask('GET', '/api/workflow/running/order')).body as string[];
    expect(running.sort()).toEqual([there, here].sort());
    const correlated = await api.ask('GET', '/api/workflow/order/correlated/c');
    expect(correlated.body).toHaveLength(2);
    const sizes = await api.ask('GET', '/api/tasks/queue/sizes?taskType=reserve');
    expect(sizes.body).toEqual({ reserve: 2 });
  });

  it('polls both for no more than was asked, and reports where a task came from', async () => {
    const [first] = await api.poll('reserve', { count: 1, timeoutMs: 2000 });
    const rest = await api.poll('reserve', { count: 5, timeoutMs: 2000 });
    const tasks = [...(first === undefined ? [] : [first]), ...rest];
    expect(tasks).toHaveLength(2);
    for (const { taskId, workflowInstanceId } of tasks) {
      await api.update({ taskId, workflowInstanceId, status: 'COMPLETED', outputData: { a: 1 } });
    }
    for (const { workflowInstanceId } of tasks) {
      const seen = await api.workflow(workflowInstanceId);
      expect(seen.tasks?.[0]).toMatchObject({ status: 'COMPLETED', outputData: { a: 1 } });
    }
    expect(await (await fetch(`${api.url}/proxy/status`)).json()).toEqual({
      handedOut: { old: 1, new: 1 },
      reports: { old: 1, new: 1 },
      starts: { old: 0, new: 1 },
    });
  });

  it('hands out the next task with a report, and takes logs and single polls', async () => {
    const single = await api.ask('GET', '/api/tasks/poll/pack?workerid=w');
    expect(single.status).toBe(200);
    const { taskId, workflowInstanceId } = single.body as {
      taskId: string;
      workflowInstanceId: string;
    };
    await api.ask('POST', `/api/tasks/${taskId}/log`, 'noted');
    expect((await api.ask('GET', `/api/tasks/${taskId}/log`)).body).toMatchObject([{ taskId }]);
    const report = { taskId, workflowInstanceId, status: 'COMPLETED', outputData: {} };
    await api.ask('POST', '/api/tasks/update-v2', report);
    expect((await api.workflow(workflowInstanceId)).status).toBe('COMPLETED');
    await until('the task of the other server', async () => {
      const [task] = await api.poll('pack', { timeoutMs: 500 });
      if (task === undefined) return false;
      const at = `/api/tasks/${task.workflowInstanceId}/pack/COMPLETED`;
      await api.ask('POST', at, {});
      return (await api.workflow(task.workflowInstanceId)).status === 'COMPLETED';
    });
    expect((await api.request('GET', '/api/tasks/poll/pack')).status).toBe(204);
  });

  it('a second proxy finds what the first has handed out', async () => {
    const id = await oldApi.start({ name: 'order' });
    const [task] = await api.poll('reserve', { timeoutMs: 2000 });
    const other = new ApiClient(await proxyUrl('--old', old.url, '--new', server.url));
    const { taskId = '', workflowInstanceId = '' } = task ?? {};
    expect(workflowInstanceId).toBe(id);
    await other.update({ taskId, workflowInstanceId, status: 'COMPLETED', outputData: {} });
    expect((await oldApi.workflow(id)).tasks?.[0]).toMatchObject({ status: 'COMPLETED' });
    await other.close();
  });

  it('never gives more than was asked for', async () => {
    for (const each of [oldApi, newApi]) {
      for (let i = 0; i < 3; i++) await each.start({ name: 'order' });
    }
    const found: string[] = [];
    await until('all six', async () => {
      const tasks = await api.poll('reserve', { count: 2, timeoutMs: 2000 });
      expect(tasks.length).toBeLessThanOrEqual(2);
      found.push(...tasks.map(({ workflowInstanceId }) => workflowInstanceId));
      return found.length >= 6;
    });
    await api.ask('POST', '/api/workflow/bulk/terminate', found);
  });

  it('workers of an SDK finish executions of both servers', async () => {
    const config = { serverUrl: `${api.url}/api`, useEnvVars: false, logger: noopLogger };
    const client = await createConductorClient(config);
    const ids = [
      ...(await Promise.all([1, 2, 3].map(() => oldApi.start({ name: 'order' })))),
      ...(await Promise.all([1, 2, 3].map(() => api.start({ name: 'order' })))),
    ];
    const done = { status: 'COMPLETED', outputData: {} } as const;
    const workers = ['reserve', 'pack'].map((taskDefName) => ({
      taskDefName,
      execute: () => Promise.resolve(done),
    }));
    const manager = new TaskManager(client, workers, { logger: noopLogger });
    manager.startPolling();
    try {
      for (const id of ids) {
        await until('its end', async () => (await api.workflow(id)).status === 'COMPLETED', {
          timeoutMs: 30_000,
        });
      }
    } finally {
      await manager.stopPolling();
    }
  });

  it('splits bulk calls, and answers outcomes as one', async () => {
    const ids = [await oldApi.start({ name: 'order' }), await newApi.start({ name: 'order' })];
    const ended = await api.ask('POST', '/api/workflow/bulk/terminate', [...ids, nowhere]);
    const outcomes = ended.body as { bulkSuccessfulResults: string[]; bulkErrorResults: object };
    expect(outcomes.bulkSuccessfulResults.sort()).toEqual([...ids].sort());
    expect(Object.keys(outcomes.bulkErrorResults)).toEqual([nowhere]);
  });

  it('reads finished executions from files, and nothing else of them', async () => {
    expect((await api.ask('GET', `/api/workflow/${kept}`)).body).toEqual({
      workflowId: kept,
      status: 'COMPLETED',
    });
    expect((await api.request('POST', `/api/workflow/${kept}/retry`)).status).toBe(404);
    expect((await api.request('GET', `/api/workflow/${nowhere}`)).status).toBe(404);
  });

  it('refuses what it cannot merge', async () => {
    const far = await api.request('GET', '/api/workflow/search?start=4990&size=100');
    expect(far).toMatchObject({ status: 400 });
    expect(far.text).toMatch(/shows 5000 rows: start and size are 4990 and 100/);
  });

  it('says 503, not 404, of what a server that is away may have; polls go on', async () => {
    const away = new ApiClient(
      await proxyUrl('--old', 'http://127.0.0.1:1', '--new', server.url, '--starts', 'new'),
    );
    const id = await away.start({ name: 'order' });
    expect((await away.workflow(id)).status).toBe('RUNNING');
    expect(await away.request('GET', `/api/workflow/${nowhere}`)).toMatchObject({ status: 503 });
    const report = { taskId: nowhere, workflowInstanceId: nowhere, status: 'COMPLETED' };
    const refused = await away.request('POST', '/api/tasks', report);
    expect(refused.body).toMatchObject({ status: 503, retryable: true });
    expect(await away.poll('reserve', { timeoutMs: 2000 })).toHaveLength(1);
    await away.close();
  });

  it('with a key of its own asks the new server who calls', async () => {
    const [guarded, guardedOld] = await Promise.all([SecuredServer.start(), SecuredServer.start()]);
    const url = await proxyWith(
      { CONDUCTOR_OLD_AUTH_SECRET: guardedOld.key.keySecret },
      ...['--old', guardedOld.url, '--new', guarded.url, '--old-key', guardedOld.key.keyId],
    );
    await guardedOld.admin.put('/api/metadata/workflow', [
      { name: 'w', version: 1, tasks: [{ name: 't', taskReferenceName: 't', type: 'SIMPLE' }] },
    ]);
    const id = (await guardedOld.admin.post('/api/workflow/w', {})).text;
    const token = guarded.admin.headers['x-authorization'] ?? '';
    const ask = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}/api/workflow/${id}`, { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ 'x-authorization': 'wrong' })).status).toBe(401);
    expect((await fetch(`${url}/api/tasks/poll/batch/t`)).status).toBe(401);
    expect((await ask({ 'x-authorization': token })).status).toBe(200);
    const polled = await fetch(`${url}/api/tasks/poll/batch/t?timeout=1000`, {
      headers: { 'x-authorization': token },
    });
    expect(await polled.json()).toMatchObject([{ workflowInstanceId: id }]);
    // Who may not see executions of the new server still finds those of the old one.
    const weak = await guarded.application('weak', ['WORKER']);
    const seen = await fetch(`${url}/api/workflow/${id}`, { headers: weak.headers });
    expect(seen.status).toBe(200);
    await Promise.all([guarded.stop(), guardedOld.stop()]);
  });

  it.each([
    ['GET //', 400, /path that begins with one slash, not '\/\/'/],
    ['GET //other/api/workflow/x', 400, /path that begins with one slash/],
    ['GET http://other/api/version', 400, /path that begins with one slash/],
    ['OPTIONS *', 400, /path that begins with one slash, not '\*'/],
    ['GET /api/workflow/%E0%A4', 400, /has a % that begins no character/],
    ['GET /api/tasks/poll/batch/reserve?count=many', 400, /'count' must be a whole number/],
    ['GET /api/tasks/poll/batch/reserve?timeout=-1', 400, /'timeout' must be a whole number/],
    ['GET /api/workflow/search?start=1.5', 400, /'start' must be a whole number.*'1.5'/],
    ['GET /api/workflow/search?size=4999&start=2', 400, /shows 5000 rows/],
    ['GET /api/tasks/queue/sizes?a=b c', 400, /This is no HTTP request/],
    ['nonsense', 400, /This is no HTTP request/],
    [`GET /${'x'.repeat(20_000)}`, 431, /The headers are too large/],
    ['PUT /api/workflow/bulk/pause', 400, /names 1000 executions at most, not 1001/],
    ['POST /api/tasks', 413, /at most 33554432 bytes/],
  ])('answers %.60s with %i and a sentence', async (line, status, sentence) => {
    const ids = JSON.stringify(Array.from({ length: 1001 }, () => nowhere));
    const sent = line.includes('bulk') ? ids : 'x'.repeat(10);
    const length = line === 'POST /api/tasks' ? 33_554_433 : sent.length;
    const hasBody = /^(?:PUT|POST)/.test(line);
    const body = hasBody ? `content-length: ${length}\r\n\r\n${sent}` : '\r\n';
    const answer = await rawAnswer(`${line} HTTP/1.1\r\nhost: proxy\r\n${body}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const { status: told, message } = JSON.parse(answer.slice(answer.indexOf('{'))) as {
      status: number;
      message: string;
    };
    expect(told).toBe(status);
    expect(message).toMatch(sentence);
    // It goes on.
    expect((await fetch(`${api.url}/proxy/status`)).status).toBe(200);
  });

  it.each([
    [[], /Name both servers/],
    [['--old', 'http://a:1', '--new', 'a:1/api'], /are the same server/],
    [['--old', 'a:1', '--new', 'b:1', '--starts', 'both'], /--starts is old or new, not 'both'/],
    [['--old', 'a:1', '--new', 'b:1', '--port', 'x'], /--port must be a whole number/],
    [['--old', 'a:1', '--new', 'b:1', '--old-key', 'k'], /Set CONDUCTOR_OLD_AUTH_SECRET/],
    [['--old', 'a:1', '--new', 'b:1', '--history', 'nope'], /--history: there is no folder nope/],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const ran = await downbeat.run(['proxy', ...args]);
    expect(ran.stderr).toMatch(sentence);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
  });
});
