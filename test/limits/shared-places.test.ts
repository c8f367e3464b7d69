// What the server does itself for executions, beside one caller who asks for more of it than a node
// does at once: calls of servers that never answer, jobs in processes of their own, and events of
// webhooks whose script takes its time. Others get their turn.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let server: SecuredServer;
let flooder: Session;
let neighbour: Session;
let folder: string;
/** Answers `/quick` and nothing else. */
let callee: Server;
let calleeUrl: string;
let calls = 0;

beforeAll(async () => {
  folder = createFolder();
  new sqlite.Database(path.join(folder, 'shop.db')).close();
  callee = createServer((request, response) => {
    if (request.url === '/quick') response.end('{}');
    else calls += 1;
  });
  await new Promise<void>((resolve) => callee.listen(0, '127.0.0.1', resolve));
  calleeUrl = `http://127.0.0.1:${(callee.address() as AddressInfo).port}`;
  server = await SecuredServer.start({
    args: [
      ...['--outbound-allow-inside', `--document-folders=${folder}`],
      ...['--system-tasks-at-once-max=20', '--isolated-job-processes-max=2'],
      '--isolated-job-time-ms-max=4000',
    ],
  });
  flooder = await server.user('flooder@x.org', ['USER']);
  neighbour = await server.user('neighbour@x.org', ['USER']);
  const configuration = { datasourceURL: `jdbc:sqlite:${path.join(folder, 'shop.db')}` };
  const shop = { type: 'relational_db', category: 'RELATIONAL_DB', configuration };
  await server.admin.post('/api/integrations/provider/shop', shop);
  for (const session of [flooder, neighbour]) {
    await server.grant(session, 'INTEGRATION_PROVIDER', 'shop', ['READ']);
  }
});
afterAll(async () => {
  await server?.stop();
  callee.closeAllConnections();
  callee.close();
  removeFolder(folder);
});

/** The id of an execution of one task. */
async function start(by: Session, type: string, inputParameters: object): Promise<string> {
  const task = { name: 't', taskReferenceName: 't', type, inputParameters, retryCount: 0 };
  const name = `shared_${type.toLowerCase()}`;
  const answer = await by.post('/api/workflow', { name, workflowDef: { name, tasks: [task] } });
  expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/^[\w-]+$/)]);
  return answer.text;
}

const statusOf = async (id: string): Promise<string> =>
  (await server.admin.get(`/api/workflow/${id}?includeTasks=false`)).body.status as string;

async function completed(id: string): Promise<void> {
  await until('the end of what the neighbour started', async () => {
    const status = await statusOf(id);
    expect(['RUNNING', 'COMPLETED']).toContain(status);
    return status === 'COMPLETED';
  });
}

describe('beside one caller who asks for all of it', () => {
  it('calls of others go out, although those of the caller are never answered', async () => {
    const http = (page: string): object => ({
      http_request: { uri: `${calleeUrl}/${page}`, method: 'GET', readTimeOut: 600_000 },
    });
    const held: string[] = [];
    for (let i = 0; i < 40; i += 1) held.push(await start(flooder, 'HTTP', http('never')));
    await until('as many calls as one caller may have', () => Promise.resolve(calls >= 10));
    await completed(await start(neighbour, 'HTTP', http('quick')));
    expect(calls).toBe(10);
    for (const id of held) await flooder.delete(`/api/workflow/${id}`);
  });

  it('jobs in processes of their own are done for others', async () => {
    const sql = (statement: string): object => ({ integrationName: 'shop', statement });
    const endless =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const held: string[] = [];
    for (let i = 0; i < 12; i += 1) held.push(await start(flooder, 'JDBC', sql(endless)));
    await completed(await start(neighbour, 'JDBC', sql('SELECT 1')));
    const statuses = await Promise.all(held.map(statusOf));
    // Not after those that were there first.
    expect(statuses.filter((status) => status === 'RUNNING').length).toBeGreaterThan(6);
    for (const id of held) await flooder.delete(`/api/workflow/${id}`);
  });

  it('webhooks of others start what they say', async () => {
    const spin = '(function () { while (true) { $.body.x = 1; } })()';
    const hook = { sourcePlatform: 'Custom', verifier: 'HEADER_BASED', headers: { 'X-Key': 'k' } };
    const make = async (by: Session, more: object): Promise<string> =>
      (await by.post('/api/metadata/webhook', { ...hook, ...more })).body.id as string;
    const spinning = await make(flooder, { name: 'spinning', expression: spin });
    const name = 'started_by_webhook';
    const task = { name: 'n', taskReferenceName: 'n', type: 'NOOP' };
    await neighbour.post('/api/metadata/workflow', { name, version: 1, tasks: [task] });
    const quick = await make(neighbour, { name: 'quick', workflowsToStart: { [name]: 1 } });
    const call = (id: string, i: number): Promise<unknown> =>
      server.nobody.request('POST', `/webhook/${id}`, { i }, { 'x-key': 'k' });
    for (let i = 0; i < 200; i += 1) await call(spinning, i);
    await call(quick, 0);
    await until('what the webhook starts', async () => {
      const { body } = await neighbour.get(`/api/workflow/search?query=workflowType=${name}`);
      return (body.totalHits as number) === 1;
    });
  });

  it('the node stops in time, and what waits is dealt with after its start', async () => {
    const name = 'started_by_webhook';
    const answers = await neighbour.get('/api/metadata/webhook');
    const hooks = answers.body as { name: string; id: string }[];
    const quick = hooks.find((hook) => hook.name === 'quick')?.id ?? '';
    const spinning = hooks.find((hook) => hook.name === 'spinning')?.id ?? '';
    const headers = { 'x-key': 'k' };
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        server.nobody.request('POST', `/webhook/${spinning}`, { i }, headers),
      ),
    );
    await server.nobody.request('POST', `/webhook/${quick}`, { last: true }, headers);
    // A slow bulk job and a handler with such a condition are there too.
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) ids.push(await start(flooder, 'WAIT', { duration: '1 hours' }));
    const plan = { action: 'pause', ids, canary: 30, ratePerSecond: 1, stopAfterFailures: 0 };
    const { jobId } = (await flooder.post('/api/bulk-jobs', plan)).body;
    expect(await flooder.status('POST', `/api/bulk-jobs/${jobId}/start`)).toBe(200);
    const condition = '(function () { while (true) { $.x = 1; } })()';
    const handler = { name: 'spins', event: 'conductor:spins', active: true };
    const actions = [{ action: 'start_workflow', start_workflow: { name: 'started_by_webhook' } }];
    const script = { condition, evaluatorType: 'javascript' };
    const saved = await server.admin.post('/api/event', [{ ...handler, ...script, actions }]);
    expect([saved.status, saved.text]).toEqual([200, expect.anything()]);
    for (let i = 0; i < 40; i += 1) {
      expect(
        await server.admin.status('POST', '/api/event/handleIncomingEvent', {
          event: handler.event,
        }),
      ).toBe(200);
    }
    expect(await server.server.kill('SIGTERM')).toBe(0);
    await server.server.restart();
    await until(
      'what the webhook was told before the stop',
      async () => {
        const { body } = await neighbour.get(`/api/workflow/search?query=workflowType=${name}`);
        return (body.totalHits as number) === 2;
      },
      { timeoutMs: 90_000 },
    );
  }, 150_000);
});
