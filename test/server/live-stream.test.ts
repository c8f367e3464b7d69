// The live stream against started servers: events of every topic, coming back, access, limits.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { EventStreamReader } from '../support/event-stream.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const secured = sharedSecuredServer(import.meta.url);
const readers: EventStreamReader[] = [];

async function open(
  url: string,
  topics: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStreamReader> {
  const address = `${url}/api/stream?topics=${encodeURIComponent(topics)}`;
  const reader = await EventStreamReader.open(address, headers);
  readers.push(reader);
  return reader;
}

afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

const task = { name: 'live_stream_work', taskReferenceName: 'work', type: 'SIMPLE' };

describe('a stream', () => {
  let server: RunningServer;
  let api: ApiClient;

  beforeAll(async () => {
    server = await startServer({ args: ['--streams-max=3'] });
    api = new ApiClient(server.url);
    await api.registerTasks({
      name: 'live_stream_work',
      retryCount: 0,
      responseTimeoutSeconds: 60,
    });
    await api.registerWorkflows({ name: 'live_flow', version: 1, tasks: [task] });
  });
  afterAll(async () => {
    await api.close();
    await server.stop();
  });

  it('tells of executions that start and end', async () => {
    const reader = await open(server.url, 'executions');
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream');
    const workflowId = await api.start({ name: 'live_flow', version: 1 });
    const started = await reader.next('the start', ({ event }) => event === 'executions');
    expect(started.data.changes).toMatchObject([
      { workflowId, workflowName: 'live_flow', workflowVersion: 1, status: 'RUNNING' },
    ]);
    await api.terminate(workflowId);
    await reader.next('the end', ({ data }) => data.changes?.[0]?.status === 'TERMINATED');
    await api.ask('DELETE', `/api/workflow/${workflowId}/remove`);
    await reader.next('the removal', ({ data }) => data.changes?.[0]?.removed === true);
  });

  it('tells what changes in one execution, as rows of its outline', async () => {
    const workflowId = await api.start({ name: 'live_flow', version: 1 });
    const reader = await open(server.url, `execution:${workflowId}`);
    const [polled] = await api.poll('live_stream_work', { timeoutMs: 2000 });
    const done = { taskId: polled?.taskId, workflowInstanceId: workflowId, status: 'COMPLETED' };
    await api.ask('POST', '/api/tasks', done);
    const last = await reader.next('the end', ({ data }) => data.head?.status === 'COMPLETED');
    expect(last.data.topic).toBe(`execution:${workflowId}`);
    const outline = (await api.ask('GET', `/api/workflow/${workflowId}/outline`)).body as {
      readonly revision: number;
      readonly head: object;
      readonly tasks: { readonly rows: readonly unknown[][] };
    };
    expect(last.data).toMatchObject({ revision: outline.revision, head: outline.head });
    expect(last.data.rows).toEqual(outline.tasks.rows);
  });

  it('shows queues and the overview as their operations do', async () => {
    const reader = await open(server.url, 'queues,overview:1d');
    await api.start({ name: 'live_flow', version: 1, taskToDomain: { '*': 'live_domain' } });
    const queues = await reader.next('a queue', ({ event, data }) => {
      if (event !== 'queues') return false;
      const state = data.state as readonly { domain: string; waiting: number }[];
      return state.some(({ domain, waiting }) => domain === 'live_domain' && waiting === 1);
    });
    expect(queues.data.topic).toBe('queues');
    const overview = await reader.next(
      'an overview',
      ({ data }) => data.state?.counts?.RUNNING > 0,
    );
    expect(overview).toMatchObject({ event: 'overview', data: { topic: 'overview:1d' } });
  });

  it('tells an inbox of a human task', async () => {
    const reader = await open(server.url, 'inbox');
    const human = {
      name: 'live_ask',
      taskReferenceName: 'ask',
      type: 'HUMAN',
      inputParameters: {},
    };
    const workflowDef = { name: 'live_human', tasks: [human] };
    const workflowId = await api.start({ name: 'live_human', workflowDef } as never);
    const { data } = await reader.next('a human task', ({ event }) => event === 'inbox');
    expect(data.tasks).toMatchObject([{ workflowId, taskRefName: 'ask' }]);
  });

  it('follows a bulk job to its end', async () => {
    await api.start({ name: 'live_flow', version: 1 });
    const asked = { action: 'terminate', query: 'workflowType = live_flow AND status = RUNNING' };
    const created = await api.request('POST', '/api/bulk-jobs', asked);
    const { jobId } = created.body as { readonly jobId: string };
    const reader = await open(server.url, `job:${jobId}`);
    await reader.next('the preview', ({ data }) => data.state?.state === 'PREVIEW');
    await api.request('POST', `/api/bulk-jobs/${jobId}/start`);
    const last = await reader.next('the end', ({ data }) => data.state?.state === 'COMPLETED');
    expect(last).toMatchObject({ event: 'job', data: { topic: `job:${jobId}` } });
    expect(last.data.state).toEqual((await api.request('GET', `/api/bulk-jobs/${jobId}`)).body);
    expect((await api.request('GET', '/api/stream?topics=job:nothing')).status).toBe(404);
  });

  it('sends a reader that comes back what it has missed', async () => {
    const before = await open(server.url, 'executions');
    const { lastId } = before;
    before.close();
    const workflowId = await api.start({ name: 'live_flow', version: 1 });
    const after = await open(server.url, 'executions', { 'last-event-id': lastId });
    const isOf = ({ data }: { data: { changes?: { workflowId: string }[] } }): boolean =>
      data.changes?.some((each) => each.workflowId === workflowId) === true;
    await after.next('the missed start', isOf);
    expect(after.events.map(({ event }) => event)).not.toContain('reset');
  });

  it('is refused for what is no topic and for an unknown execution', async () => {
    const ask = (topics: string): Promise<{ status: number; text: string }> =>
      api.request('GET', `/api/stream?topics=${topics}`);
    expect((await api.request('GET', '/api/stream')).status).toBe(400);
    const wrong = await ask('nothing');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('topics')]);
    expect((await ask('execution:nothing')).status).toBe(404);
  });

  it('is refused beyond the limit of the node', async () => {
    const opened: Response[] = [];
    const answer = await until('a refusal', async () => {
      const next = await fetch(`${server.url}/api/stream?topics=inbox`);
      if (next.status !== 200) return next;
      opened.push(next);
      return undefined;
    });
    expect(opened.length).toBeLessThanOrEqual(3);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.text()).toMatch(/streamsMax/);
    for (const each of opened) await each.body?.cancel();
  });
});

describe('with authentication', () => {
  beforeAll(async () => {
    const def = { version: 1, ownerEmail: 'a@x.org', tasks: [task] };
    await secured.admin.post('/api/metadata/taskdefs', [{ name: 'live_stream_work' }]);
    const defs = ['live_stream_secret', 'live_stream_shared'].map((name) => ({ ...def, name }));
    await secured.admin.put('/api/metadata/workflow', defs);
  });

  it('a caller hears only of what it may read, and the stream ends when identities change', async () => {
    const { admin, url } = secured;
    const reader = await secured.user('live_stream_one@x.org', ['USER']);
    const grant = {
      subject: { type: 'USER', id: 'live_stream_one@x.org' },
      target: { type: 'WORKFLOW_DEF', id: 'live_stream_shared' },
      access: ['READ'],
    };
    expect(await admin.status('POST', '/api/auth/authorization', grant)).toBe(200);
    const stream = await open(url, 'executions', reader.headers);
    const secret = await admin.post('/api/workflow', { name: 'live_stream_secret', version: 1 });
    await admin.post('/api/workflow', { name: 'live_stream_shared', version: 1 });
    await stream.next('the shared one', ({ event }) => event === 'executions');
    expect(JSON.stringify(stream.events)).not.toContain('live_stream_secret');
    expect(await reader.status('GET', `/api/stream?topics=execution:${secret.text}`)).toBe(403);
    await secured.user('live_stream_another@x.org', ['USER']);
    await until('the end of the stream', () => stream.isOver);
  });

  it.each<[string, (path: string, key: string) => Promise<unknown>]>([
    ['key', (path, key) => secured.admin.delete(`${path}/accessKeys/${key}`)],
    ['role', (path) => secured.admin.delete(`${path}/roles/ADMIN`)],
  ])('a caller hears nothing more once the %s is taken away', async (what, end) => {
    const { admin, url } = secured;
    const reader = await secured.application(`live_stream_${what}`, ['ADMIN']);
    const stream = await open(url, 'executions', reader.headers);
    await admin.post('/api/workflow', { name: 'live_stream_secret', version: 1 });
    await stream.next('an execution', ({ event }) => event === 'executions');
    await end(`/api/applications/${reader.subject.slice(4)}`, reader.key.keyId);
    const { text: id } = await admin.post('/api/workflow', {
      ...{ name: 'live_stream_secret', version: 1 },
    });
    await until('the end of the stream', () => stream.isOver);
    expect(JSON.stringify(stream.events)).not.toContain(id);
  });
});
