// An execution that ends every node which loads it: three die, the fourth sets it aside and serves
// all others, until an administrator releases it.
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { checkAnswers } from '../../testkit/api-schemas.js';
import { buildTools } from '../support/build.js';
import { unseenSuccesses } from '../support/declared-successes.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const program = [path.join(projectRoot, 'test', 'torture', 'planted-executions.mjs')];
const task = { name: 'one', taskReferenceName: 'one', type: 'SIMPLE', inputParameters: {} };
const dataDir = createFolder();
let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  buildTools();
  server = await startServer({ program, dataDir });
  api = new ApiClient(server.url);
}, 180_000);

afterAll(async () => {
  await api?.close();
  await server?.stop();
  removeFolder(dataDir);
});

/** The suspect is loaded soon after the start, perhaps before the server is healthy. */
async function startsAndDies(): Promise<void> {
  await server.restart().catch(() => undefined);
  expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' });
}

async function complete(id: string): Promise<void> {
  const polled = await until('its task', async () => {
    const tasks = await api.poll('one', { timeoutMs: 500 });
    return tasks.find(({ workflowInstanceId }) => workflowInstanceId === id);
  });
  const { taskId } = polled;
  await api.update({ workflowInstanceId: id, taskId, status: 'COMPLETED', outputData: {} });
  expect((await api.untilEnd(id)).status).toBe('COMPLETED');
}

it('is set aside after three deaths, and loaded again when it is released', async () => {
  await api.registerTasks({ name: 'one' });
  await api.registerWorkflows(
    { name: 'kills_its_node', version: 1, tasks: [task] },
    { name: 'harmless', version: 1, tasks: [task] },
  );
  const bad = await api.start({ name: 'kills_its_node', version: 1 });
  const good = await api.start({ name: 'harmless', version: 1 });
  await server.kill();
  await server.restart();
  // A command loads it at its owner; a read may be answered from what is stored, unmarked.
  await expect(api.terminate(bad)).rejects.toThrow();
  await server.ended;
  await startsAndDies();
  await startsAndDies();

  await server.restart();
  const says = { status: 503, body: { message: expect.stringContaining(bad) as string } };
  expect(await api.request('GET', `/api/workflow/${bad}`)).toMatchObject(says);
  expect(await api.request('GET', `/api/workflow/${bad}/why`)).toMatchObject(says);
  expect(await api.request('DELETE', `/api/workflow/${bad}`)).toMatchObject(says);
  const list = { executions: [{ workflowId: bad, deaths: 3 }] };
  expect((await api.ask('GET', '/api/admin/quarantine')).body).toEqual(list);
  const health = (await api.ask('GET', '/health')).body;
  expect(health).toMatchObject({ details: { quarantinedExecutions: 1 } });
  expect((await api.ask('GET', '/metrics')).text).toContain('downbeat_quarantined_executions 1');
  const found = await api.ask('GET', '/api/workflow/search?query=status%3DRUNNING');
  expect(found.body).toMatchObject({ totalHits: 2 });
  await complete(good);

  // It is repaired, say by another version of the server.
  await server.stop();
  server = await startServer({ port: server.port, dataDir });
  expect(await api.request('GET', `/api/workflow/${bad}`)).toMatchObject(says);
  const forms = await checkAnswers(api);
  await api.ask('POST', `/api/admin/quarantine/${bad}/release`);
  expect(unseenSuccesses('test/torture/quarantine.test.ts', forms)).toEqual([]);
  expect((await api.workflow(bad)).status).toBe('RUNNING');
  expect((await api.ask('GET', '/api/admin/quarantine')).body).toEqual({ executions: [] });
  await complete(bad);
});
