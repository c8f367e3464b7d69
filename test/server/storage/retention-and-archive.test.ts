// Retention by status and definition, and the archive: what has been removed from Redis is still
// read and found by its id, and a kill loses nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { S3Server } from '../../support/s3-server.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';
import type { JsonObject } from '../../../testkit/wire.js';

let s3: S3Server;
let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  s3 = await S3Server.start();
  const kept = ['--retention-seconds', '3600', '--retention-by-status', 'FAILED=1'];
  const named = ['--retention-by-definition', 'short=1,short/FAILED=3600'];
  const args = [...kept, ...named, '--shards', '8', '--archive', ...s3.args];
  server = await startServer({ args });
  api = new ApiClient(server.url);
  await checkAnswers(api);
  await define('long', {});
  await define('short', {});
  await define('own', { retentionSeconds: { FAILED: 3600, COMPLETED: 1 } });
});
afterAll(async () => {
  await api.close();
  await server.stop();
  await s3.stop();
});

const isIn = (id: string): boolean =>
  s3.objects.has(`/bucket/db/archive/${id.slice(0, 4)}/${id}.json.gz`);

async function define(name: string, metadata: JsonObject): Promise<void> {
  const endAs = (terminationStatus: string): JsonObject => ({
    ...{ name: 'end', taskReferenceName: `end_${terminationStatus}`, type: 'TERMINATE' },
    inputParameters: { terminationStatus, workflowOutput: { seen: '${workflow.input.seen}' } },
  });
  const tasks = [
    {
      ...{ name: 'how', taskReferenceName: 'how', type: 'SWITCH' },
      ...{ evaluatorType: 'value-param', expression: 'status' },
      inputParameters: { status: '${workflow.input.status}' },
      decisionCases: { FAILED: [endAs('FAILED')] },
      defaultCase: [endAs('COMPLETED')],
    },
  ];
  await api.registerWorkflows({ name, version: 1, tasks, metadata } as never);
}

async function ended(name: string, status: string): Promise<string> {
  const input = { status, seen: `${name} ${status}` };
  const id = await api.start({ name, input, correlationId: 'c' } as never);
  await api.untilEnd(id);
  return id;
}

async function found(query: string, route = 'search'): Promise<JsonObject> {
  const path = `/api/workflow/${route}?query=${encodeURIComponent(query)}`;
  return (await api.ask('GET', path)).body as JsonObject;
}

describe('retention', () => {
  it('goes by status and definition, and archives what it removes', async () => {
    const kept = [
      await ended('long', 'COMPLETED'),
      await ended('short', 'FAILED'),
      await ended('own', 'FAILED'),
    ];
    const gone = [
      await ended('long', 'FAILED'),
      await ended('short', 'COMPLETED'),
      await ended('own', 'COMPLETED'),
    ];
    await until('the archive', async () => gone.every(isIn), { timeoutMs: 30_000 });
    await until('the removal', async () => (await found('correlationId = c'))['totalHits'] === 3);
    expect(kept.some(isIn)).toBe(false);
    const [id = ''] = gone;
    expect(await api.workflow(id)).toMatchObject({
      ...{ workflowId: id, status: 'FAILED', correlationId: 'c' },
      tasks: [{ taskType: 'SWITCH' }, { taskType: 'TERMINATE' }],
      output: { seen: 'long FAILED' },
    });
    expect((await api.workflow(id, { includeTasks: false })).tasks).toEqual([]);
    const status = await api.ask('GET', `/api/workflow/${id}/status?includeOutput=true`);
    expect(status.body).toMatchObject({ status: 'FAILED', output: { seen: 'long FAILED' } });
    expect(await found(`workflowId = '${id}' AND status = FAILED`)).toMatchObject({
      totalHits: 1,
      results: [{ workflowId: id, workflowType: 'long', status: 'FAILED' }],
    });
    expect(await found(`workflowId IN (${gone.join(',')})`, 'search-v2')).toMatchObject({
      totalHits: 3,
      results: expect.arrayContaining([expect.objectContaining({ workflowId: id })]),
    });
    expect(await found(`workflowId = '${id}' AND status = COMPLETED`)).toMatchObject({
      totalHits: 0,
    });
    const tasks = await api.ask('GET', `/api/workflow/${id}/tasks?status=COMPLETED&count=1`);
    expect(tasks.body).toMatchObject({
      ...{ totalHits: 2, summary: { COMPLETED: 2 }, results: [{ taskType: 'SWITCH' }] },
    });
    const task = { name: 'g', taskReferenceName: 'g', type: 'GET_WORKFLOW' };
    const asking = { ...task, inputParameters: { id, includeTasks: false } };
    const workflowDef = { name: 'asks', version: 1, schemaVersion: 2, tasks: [asking] };
    const asked = await api.untilEnd(await api.start({ name: 'asks', workflowDef } as never));
    expect(asked).toMatchObject({ status: 'COMPLETED', output: { workflowId: id } });
    // It cannot be changed any more, but removed.
    for (const [method, route] of [
      ...[['POST', 'retry'] as const, ['POST', 'restart'] as const, ['POST', 'rerun'] as const],
      ...[['PUT', 'pause'] as const, ['DELETE', ''] as const, ['PUT', 'skiptask/x'] as const],
      ['POST', 'retry?retryIfRetriedByParent=false'] as const,
    ]) {
      const answer = await api.request(method, `/api/workflow/${id}/${route}`, {});
      const told = expect.stringContaining('is archived');
      expect([route, answer.status, answer.text]).toEqual([route, 409, told]);
    }
    expect((await api.request('DELETE', `/api/workflow/${id}/remove`)).status).toBe(200);
    expect((await api.request('GET', `/api/workflow/${id}`)).status).toBe(404);
    expect(isIn(id)).toBe(false);
  });

  it('is refused where a definition says nonsense', async () => {
    for (const retentionSeconds of [0, 1.5, '7', { RUNNING: 5 }, { FAILED: -1 }, []]) {
      await expect(define('bad', { retentionSeconds } as JsonObject)).rejects.toThrow(
        /metadata.*retentionSeconds/s,
      );
    }
  });

  it('tells what counts', async () => {
    const { body } = await api.ask('GET', '/api/admin/retention');
    expect(body).toMatchObject({
      retentionSeconds: 3600,
      byStatus: { FAILED: 1 },
      byDefinition: { short: 1, 'short/FAILED': 3600, own: { FAILED: 3600, COMPLETED: 1 } },
      ...{ archive: true, objectStore: 's3' },
    });
  });
});

describe('the archive', () => {
  it('takes what is removed by a call, unless the call says no', async () => {
    const archived = await ended('long', 'COMPLETED');
    const dropped = await ended('long', 'COMPLETED');
    await api.request('DELETE', `/api/workflow/${archived}/remove`);
    await api.request('DELETE', `/api/workflow/${dropped}/remove?archiveWorkflow=false`);
    expect((await api.workflow(archived)).status).toBe('COMPLETED');
    expect((await api.request('GET', `/api/workflow/${dropped}`)).status).toBe(404);
  });

  it('takes the files of an execution away with it', async () => {
    const id = await ended('long', 'COMPLETED');
    const created = await api.request('POST', '/api/files', { workflowId: id });
    const { uploadUrl } = created.body as { uploadUrl: string };
    await fetch(uploadUrl, { method: 'PUT', body: 'x' });
    const ofFiles = (): string[] =>
      [...s3.objects.keys()].filter((key) => key.startsWith(`/bucket/db/files/${id}/`));
    expect(ofFiles()).toHaveLength(1);
    await api.request('DELETE', `/api/workflow/${id}/remove`);
    expect(ofFiles()).toEqual([]);
  });

  it('loses nothing when it fails, or the server is killed meanwhile', async () => {
    s3.failures = Number.MAX_SAFE_INTEGER;
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await ended('short', 'COMPLETED'));
    // More requests than one turn repeats: it has tried, and could not.
    await until('attempts', async () => s3.failures < Number.MAX_SAFE_INTEGER - 3, {
      timeoutMs: 30_000,
    });
    for (const id of ids) expect((await api.workflow(id)).status).toBe('COMPLETED');
    await server.kill('SIGKILL');
    s3.failures = 2;
    await server.restart();
    await until('the archive', async () => ids.every(isIn), { timeoutMs: 30_000 });
    for (const id of ids) expect((await api.workflow(id)).status).toBe('COMPLETED');
  });
});
