// Files of executions and payloads outside requests, with both kinds of object stores
// (contract-admin 18, contract-core 13), as the Java SDK uses them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedId } from '../../../src/engine/derived-id.js';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers, type ApiSchemas } from '../../../testkit/api-schemas.js';
import { unseenRefusals } from '../../support/declared-refusals.js';
import { unseenSuccesses } from '../../support/declared-successes.js';
import { S3Server } from '../../support/s3-server.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import type { JsonObject } from '../../../testkit/wire.js';

const kinds = ['folder', 's3'] as const;
type Kind = (typeof kinds)[number];

let s3: S3Server;
let forms: ApiSchemas;
const servers = {} as Record<Kind, RunningServer>;
const clients = {} as Record<Kind, ApiClient>;

beforeAll(async () => {
  s3 = await S3Server.start();
  servers.folder = await startServer({ args: ['--shards', '8'] });
  servers.s3 = await startServer({ args: ['--shards', '8', ...s3.args] });
  for (const kind of kinds) {
    const client = (clients[kind] = new ApiClient(servers[kind].url));
    forms = await checkAnswers(client);
    const task = { name: 'worked', taskReferenceName: 't', type: 'SIMPLE' };
    const sub = { name: 'sub', taskReferenceName: 'sub', type: 'SUB_WORKFLOW' };
    const inputParameters = { got: '${workflow.input.large}' };
    await client.registerWorkflows(
      { name: 'flow', version: 1, tasks: [{ ...task, inputParameters }] } as never,
      {
        ...{ name: 'parent', version: 1 },
        tasks: [{ ...sub, subWorkflowParam: { name: 'flow', version: 1 } }],
      } as never,
      {
        ...{ name: 'later', version: 1 },
        tasks: [
          { ...task, taskReferenceName: 'first' },
          { ...sub, subWorkflowParam: { name: 'flow', version: 1 } },
        ],
      } as never,
    );
  }
});
afterAll(async () => {
  for (const kind of kinds) {
    await clients[kind]?.close();
    await servers[kind]?.stop();
  }
  await s3?.stop();
});

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** As `fetch`; what the servers themselves answer is checked, and what S3 answers is not. */
async function fetched(url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, init);
  const server = kinds.map((kind) => servers[kind].url).find((each) => url.startsWith(each));
  if (server === undefined) return answer;
  const text = await answer.clone().text();
  const contentType = answer.headers.get('content-type') ?? '';
  forms.check(init.method ?? 'GET', url.slice(server.length), {
    ...{ status: answer.status, contentType, text },
  });
  return answer;
}

async function ask(kind: Kind, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetched(servers[kind].url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as JsonObject) };
}

/** Uploads a file; resolves with its id. */
async function uploaded(kind: Kind, workflowId: string, content: string): Promise<string> {
  const asked = { workflowId, fileName: 'a.txt', contentType: 'text/plain', taskId: 'x' };
  const created = await ask(kind, 'POST', '/api/files', asked);
  expect(created.status).toBe(201);
  const fileId = String(created.body['fileHandleId']).replace('conductor://file/', '');
  const put = await fetched(String(created.body['uploadUrl']), { method: 'PUT', body: content });
  expect(put.status).toBeLessThan(300);
  const path = `/api/files/${workflowId}/${fileId}/upload-complete`;
  expect(await ask(kind, 'POST', path)).toMatchObject({
    status: 200,
    body: { uploadStatus: 'UPLOADED', contentHash: expect.any(String) },
  });
  return fileId;
}

describe.each(kinds)('files in a store of kind %s', (kind) => {
  it('go up and down by signed URLs', async () => {
    const id = await clients[kind].start({ name: 'flow' });
    const fileId = await uploaded(kind, id, 'the content');
    expect(fileId).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,255}$/);
    const path = `/api/files/${id}/${fileId}`;
    expect(await ask(kind, 'GET', path)).toMatchObject({
      status: 200,
      body: {
        fileHandleId: `conductor://file/${fileId}`,
        ...{ fileName: 'a.txt', contentType: 'text/plain', fileSize: 11, taskId: 'x' },
        storageType: kind === 's3' ? 'S3' : 'CONDUCTOR',
        ...{ uploadStatus: 'UPLOADED', workflowId: id, createdAt: expect.any(Number) },
      },
    });
    const { body } = await ask(kind, 'GET', `${path}/download-url`);
    expect(body['expiresAt']).toBeGreaterThan(Date.now());
    expect(await (await fetched(String(body['downloadUrl']))).text()).toBe('the content');
    expect((await ask(kind, 'POST', `${path}/upload-complete`)).status).toBe(409);
  });

  it('are read by the family of their execution, and changed by it alone', async () => {
    const parent = await clients[kind].start({ name: 'parent' });
    const { subWorkflowId } = await clients[kind].untilTask(parent, 'sub', 'IN_PROGRESS');
    const stranger = await clients[kind].start({ name: 'flow' });
    const fileId = await uploaded(kind, String(subWorkflowId), 'of the child');
    const status = async (of: string, what: string): Promise<number> =>
      (await ask(kind, 'GET', `/api/files/${of}/${fileId}${what}`)).status;
    expect(await status(parent, '')).toBe(200);
    expect(await status(parent, '/download-url')).toBe(200);
    expect(await status(parent, '/upload-url')).toBe(403);
    expect(await status(stranger, '')).toBe(403);
    expect(await status(stranger, '/download-url')).toBe(403);
  });

  it('are not there before they have been uploaded', async () => {
    const id = await clients[kind].start({ name: 'flow' });
    const created = await ask(kind, 'POST', '/api/files', { workflowId: id });
    const fileId = String(created.body['fileHandleId']).replace('conductor://file/', '');
    const path = `/api/files/${id}/${fileId}`;
    expect((await ask(kind, 'GET', `${path}/download-url`)).status).toBe(400);
    expect((await ask(kind, 'POST', `${path}/upload-complete`)).status).toBe(400);
    expect((await ask(kind, 'GET', `${path}/upload-url`)).status).toBe(200);
    expect((await ask(kind, 'GET', `/api/files/${id}/${id}.none`)).status).toBe(404);
    expect((await ask(kind, 'POST', '/api/files', { workflowId: 'no execution' })).status).toBe(
      404,
    );
    expect((await ask(kind, 'POST', '/api/files', {})).status).toBe(400);
  });

  it('may be made for an execution that does not exist yet', async () => {
    const unknown = 'a-flow.of_mine';
    const fileId = await uploaded(kind, unknown, 'early content');
    const path = `/api/files/${unknown}/${fileId}`;
    expect(await ask(kind, 'GET', path)).toMatchObject({
      status: 200,
      body: { workflowId: unknown, fileSize: 13, uploadStatus: 'UPLOADED' },
    });
    const { body } = await ask(kind, 'GET', `${path}/download-url`);
    expect(await (await fetched(String(body['downloadUrl']))).text()).toBe('early content');
    const other = await clients[kind].start({ name: 'flow' });
    expect((await ask(kind, 'GET', `/api/files/${other}/${fileId}`)).status).toBe(403);
    for (const workflowId of ['no/id', 'x'.repeat(129), 'ü']) {
      expect((await ask(kind, 'POST', '/api/files', { workflowId })).status).toBe(404);
    }
  });

  it('become those of the execution that their maker starts under the id', async () => {
    const parent = await clients[kind].start({ name: 'later' });
    const child = derivedId(`${parent}|sub|2|0|0`);
    const fileId = await uploaded(kind, child, 'for the child');
    const task = await clients[kind].untilTask(parent, 'first', 'SCHEDULED');
    await clients[kind].ask('POST', '/api/tasks', {
      ...{ workflowInstanceId: parent, taskId: task.taskId, status: 'COMPLETED', outputData: {} },
    });
    const { subWorkflowId } = await clients[kind].untilTask(parent, 'sub', 'IN_PROGRESS');
    expect(subWorkflowId).toBe(child);
    // The family reads a file of an execution; one that is its maker's alone it would not.
    const path = `/api/files/${child}/${fileId}`;
    const { body } = await ask(kind, 'GET', `${path}/download-url`);
    expect(await (await fetched(String(body['downloadUrl']))).text()).toBe('for the child');
    const remove = `/api/workflow/${child}/remove?archiveWorkflow=false`;
    await clients[kind].ask('DELETE', remove);
    expect((await ask(kind, 'GET', path)).status).toBe(404);
    expect((await fetched(String(body['downloadUrl']))).status).toBe(404);
  });

  it('payloads go around requests: in as input and as output', async () => {
    const { uri, path } = await location(kind, 'workflow', 'WORKFLOW_INPUT', 'WRITE', 'in/');
    const put = await fetched(uri, {
      method: 'PUT',
      body: JSON.stringify({ large: 'from outside' }),
    });
    expect(put.status).toBe(200);
    const id = await clients[kind].start({
      ...{ name: 'flow', externalInputPayloadStoragePath: path },
    } as never);
    const [task] = await clients[kind]
      .poll('worked', { timeoutMs: 3000, count: 20 })
      .then((all) => all.filter(({ workflowInstanceId }) => workflowInstanceId === id));
    expect(task?.inputData).toEqual({ got: 'from outside' });
    const output = await location(kind, 'tasks', 'TASK_OUTPUT', 'WRITE', '');
    await fetched(output.uri, { method: 'PUT', body: '{"made":"outside"}' });
    await clients[kind].update({
      ...{ workflowInstanceId: id, taskId: task?.taskId, status: 'COMPLETED' },
      externalOutputPayloadStoragePath: output.path,
    } as never);
    const ended = await clients[kind].untilEnd(id);
    expect(ended).toMatchObject({
      ...{ status: 'COMPLETED', input: {}, externalInputPayloadStoragePath: path },
      output: { made: 'outside' },
      tasks: [{ outputData: {}, externalOutputPayloadStoragePath: output.path }],
    });
    const read = await location(kind, 'tasks', 'TASK_OUTPUT', 'READ', output.path);
    expect(read.path).toBe(output.path);
    expect(await (await fetched(read.uri)).json()).toEqual({ made: 'outside' });
  });

  it('a path that names nothing fit is refused by name', async () => {
    const start = async (path: string): Promise<Answer> =>
      await ask(kind, 'POST', '/api/workflow', {
        ...{ name: 'flow', externalInputPayloadStoragePath: path },
      });
    for (const path of ['none.json', '../x', 'a b']) {
      const { status, body } = await start(path);
      expect(status).toBe(400);
      expect(body['message']).toContain('externalInputPayloadStoragePath');
    }
    const { uri, path } = await location(kind, 'workflow', 'WORKFLOW_INPUT', 'WRITE', 'in/');
    await fetched(uri, { method: 'PUT', body: '[1]' });
    expect((await start(path)).body['message']).toContain('no JSON object');
  });
});

async function location(
  kind: Kind,
  resource: 'workflow' | 'tasks',
  payloadType: string,
  operation: 'READ' | 'WRITE',
  path: string,
): Promise<{ uri: string; path: string }> {
  const query = new URLSearchParams({ path, operation, payloadType });
  const asked = `/api/${resource}/externalstoragelocation?${query.toString()}`;
  return (await ask(kind, 'GET', asked)).body as { uri: string; path: string };
}

describe('URLs of the server itself', () => {
  it('are good for one object and one operation', async () => {
    const { uri, path } = await location('folder', 'tasks', 'TASK_OUTPUT', 'WRITE', '');
    const put = (url: string): Promise<Response> => fetched(url, { method: 'PUT', body: '{}' });
    const url = new URL(uri);
    url.searchParams.set('path', 'another.json');
    expect((await put(url.href)).status).toBe(403);
    url.searchParams.set('path', path);
    url.searchParams.set('exp', String(Date.now() + 1e9));
    expect((await put(url.href)).status).toBe(403);
    expect((await fetched(uri)).status).toBe(405);
    expect((await put(uri)).status).toBe(200);
    expect((await put(uri)).status).toBe(409);
    expect((await fetched(uri.replace(/\?.*/, ''))).status).toBe(400);
  });

  it('of a file are for their operation', async () => {
    const id = await clients.folder.start({ name: 'flow' });
    const created = await ask('folder', 'POST', '/api/files', { workflowId: id });
    const uploadUrl = String(created.body['uploadUrl']);
    const put = async (url: string): Promise<number> =>
      (await fetched(url, { method: 'PUT', body: 'content' })).status;
    expect((await fetched(uploadUrl)).status).toBe(405);
    expect(await put(uploadUrl.replace(/\?.*/, ''))).toBe(403);
    expect(await put(uploadUrl)).toBe(204);
    const fileId = String(created.body['fileHandleId']).replace('conductor://file/', '');
    const path = `/api/files/${id}/${fileId}`;
    expect((await ask('folder', 'POST', `${path}/upload-complete`)).status).toBe(200);
    expect(await put(uploadUrl)).toBe(409);
    const { body } = await ask('folder', 'GET', `${path}/download-url`);
    const downloadUrl = String(body['downloadUrl']);
    expect(await put(downloadUrl)).toBe(405);
    expect((await fetched(downloadUrl.replace(/\?.*/, ''))).status).toBe(403);
    await clients.folder.ask('DELETE', `/api/workflow/${id}/remove`);
    expect((await fetched(downloadUrl)).status).toBe(404);
    expect(await put(uploadUrl)).toBe(404);
  });

  it('of a payload that is not there answer so', async () => {
    const { uri } = await location('folder', 'tasks', 'TASK_OUTPUT', 'READ', 'none.json');
    expect((await fetched(uri)).status).toBe(404);
    expect((await fetched(uri, { method: 'PUT', body: '{}' })).status).toBe(405);
    expect((await fetched(uri.replace(/sig=[^&]*/, 'sig=x'))).status).toBe(403);
  });

  it('take no upload in parts', async () => {
    const id = await clients.folder.start({ name: 'flow' });
    const created = await ask('folder', 'POST', '/api/files', { workflowId: id });
    const fileId = String(created.body['fileHandleId']).replace('conductor://file/', '');
    const answer = await ask('folder', 'POST', `/api/files/${id}/${fileId}/multipart`);
    expect(answer).toMatchObject({ status: 400, body: { message: /parts/ } });
  });
});

it('a file goes to S3 in parts', async () => {
  const id = await clients.s3.start({ name: 'flow' });
  const created = await ask('s3', 'POST', '/api/files', { workflowId: id });
  const fileId = String(created.body['fileHandleId']).replace('conductor://file/', '');
  const path = `/api/files/${id}/${fileId}/multipart`;
  const uploadId = String((await ask('s3', 'POST', path)).body['uploadId']);
  const tags: string[] = [];
  for (const [i, body] of ['one ', 'two'].entries()) {
    const { body: part } = await ask('s3', 'GET', `${path}/${uploadId}/part/${i + 1}`);
    const put = await fetched(String(part['uploadUrl']), { method: 'PUT', body });
    tags.push(put.headers.get('etag') ?? '');
  }
  expect((await ask('s3', 'GET', `${path}/${uploadId}/part/0`)).status).toBe(400);
  const partOfNone = `/api/files/${id}/none/multipart/${uploadId}/part/1`;
  expect((await ask('s3', 'GET', partOfNone)).status).toBe(404);
  const complete = `${path}/${uploadId}/complete`;
  expect((await ask('s3', 'POST', complete, { partETags: ['x'] })).status).toBe(400);
  expect(await ask('s3', 'POST', complete, { partETags: tags })).toMatchObject({
    status: 200,
    body: { uploadStatus: 'UPLOADED' },
  });
  expect(await ask('s3', 'GET', `/api/files/${id}/${fileId}`)).toMatchObject({
    body: { fileSize: 7 },
  });
  expect((await ask('s3', 'DELETE', `${path}/${uploadId}`)).status).toBe(204);
  expect((await ask('s3', 'POST', complete, { partETags: tags })).status).toBe(409);
});

// Last, when all others have run.
it('every reply of these areas has been seen', () => {
  expect(unseenSuccesses('test/server/storage/files.test.ts', forms)).toEqual([]);
  expect(unseenRefusals('test/server/storage/files.test.ts', forms)).toEqual([]);
});
