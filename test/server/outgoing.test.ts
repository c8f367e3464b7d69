// Outgoing webhooks and status listeners over the API: what is told, signed, repeated, given up and
// sent anew.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../testkit/api-client.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { DeliveryReceiver, expectedSignature } from '../support/delivery-receiver.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import type { JsonObject } from '../../testkit/wire.js';

const base = '/api/metadata/outgoing-webhook';
let server: RunningServer;
let api: ApiClient;
let forms: ApiSchemas;
let receiver: DeliveryReceiver;
let names = 0;

beforeAll(async () => {
  receiver = new DeliveryReceiver();
  await receiver.start();
  server = await startServer({
    args: ['--outbound-allow-inside=true', '--task-status-listener-sink=conductor:tasks'],
  });
  api = new ApiClient(server.url);
  forms = new ApiSchemas((await api.request('GET', '/api-docs.json')).body as ApiDescription);
  await api.registerTasks({ name: 'out_work', retryCount: 0, responseTimeoutSeconds: 60 });
});
afterAll(async () => {
  await api.close();
  await server.stop();
  await receiver.stop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.status = 200;
});

async function ask(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<ApiAnswer> {
  const answer = await api.request(method, path, body);
  forms.check(method, path, answer);
  return answer;
}

interface Created extends JsonObject {
  readonly id: string;
  readonly secretValue: string;
}

/** A webhook that is told of a workflow of its own. */
async function create(fields: JsonObject): Promise<Created> {
  const answer = await ask('POST', base, { name: 'told', url: receiver.url, ...fields });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Created;
}

const task = { name: 'out_work', taskReferenceName: 'work', type: 'SIMPLE' };

async function register(more: JsonObject = {}): Promise<string> {
  const name = `out_flow_${++names}`;
  await api.registerWorkflows({ name, version: 1, tasks: [task], ...more } as never);
  return name;
}

interface Log {
  readonly waiting: number;
  readonly attempts: readonly { outcome: string; status: number; attempt: number }[];
}

async function logOf(id: string): Promise<Log> {
  return (await ask('GET', `${base}/${id}/deliveries`)).body as Log;
}

describe('an outgoing webhook', () => {
  it('is told of the executions of its definition, signed over the raw body', async () => {
    const name = await register({ maskedFields: ['card'] });
    const other = await register();
    const { secretValue } = await create({
      events: ['WORKFLOW_STARTED', 'WORKFLOW_TERMINATED'],
      workflowNames: [name],
      headers: { 'X-From': 'downbeat' },
    });
    expect(secretValue).toMatch(/^whsec_/);
    await api.start({ name: other, version: 1 });
    const workflowId = await api.start({ name, version: 1, input: { card: '4711', n: 1 } });
    await api.terminate(workflowId);
    const end = await receiver.next('the end', ({ type }) => type === 'WORKFLOW_TERMINATED');
    expect(end.data).toMatchObject({ workflowId, workflowType: name, status: 'TERMINATED' });
    expect(end.data.input).toBe('{"card":"***","n":1}');
    const first = await receiver.next('the start', ({ type }) => type === 'WORKFLOW_STARTED');
    expect(first.headers).toMatchObject({
      'x-from': 'downbeat',
      'content-type': 'application/json',
      'webhook-signature': expectedSignature(secretValue, first),
    });
    const age = Date.now() / 1000 - Number(first.headers['webhook-timestamp']);
    expect(Math.abs(age)).toBeLessThan(60);
    expect(new Set(receiver.received.map(({ data }) => data.workflowType))).toEqual(
      new Set([name]),
    );
  });

  it('is told of tasks by name, and of definitions by tag', async () => {
    const name = await register();
    await ask('PUT', `/api/metadata/workflow/${name}/tags`, [{ key: 'team', value: 'out' }]);
    await create({
      events: ['TASK_SCHEDULED', 'TASK_IN_PROGRESS', 'TASK_COMPLETED'],
      workflowTags: [{ key: 'team', value: 'out' }],
      taskNames: ['out_work'],
    });
    const workflowId = await until('a task that is told', async () => {
      const id = await api.start({ name, version: 1, taskToDomain: { '*': 'out' } });
      await api.terminate(id);
      return receiver.received.length > 0 && id;
    });
    expect(workflowId).toBeTruthy();
    receiver.received.length = 0;
    const told = await api.start({ name, version: 1, taskToDomain: { '*': 'out2' } });
    const [polled] = await api.poll('out_work', { domain: 'out2', timeoutMs: 2000 });
    const result = { taskId: polled?.taskId, workflowInstanceId: told, status: 'COMPLETED' };
    await api.ask('POST', '/api/tasks', result);
    const isOfTold = ({ data }: { data: { workflowId: string } }): boolean =>
      data.workflowId === told;
    for (const type of ['TASK_SCHEDULED', 'TASK_IN_PROGRESS', 'TASK_COMPLETED']) {
      const { data } = await receiver.next(type, (each) => each.type === type && isOfTold(each));
      expect(data).toMatchObject({ referenceTaskName: 'work', taskId: polled?.taskId });
    }
  });

  it('tells of human tasks with their assignee', async () => {
    const name = `out_human_${++names}`;
    await create({ events: ['HUMAN_TASK_ASSIGNED'], workflowNames: [name] });
    const assignee = { userType: 'EXTERNAL_USER', user: 'ann@x.org' };
    const definition = { assignments: [{ assignee, slaMinutes: 0 }] };
    const inputParameters = { __humanTaskDefinition: definition };
    const human = { name: 'ask', taskReferenceName: 'ask', type: 'HUMAN', inputParameters };
    const workflowId = await api.start({ name, workflowDef: { name, tasks: [human] } } as never);
    const { data } = await receiver.next('the assignment', () => true);
    expect(data).toMatchObject({ workflowId, taskRefName: 'ask', assignee });
  });

  it('is told again until it answers 2xx, under the same id', async () => {
    const name = await register();
    receiver.status = 500;
    const { id } = await create({
      ...{ events: ['WORKFLOW_STARTED'], workflowNames: [name] },
      ...{ retryDelayMs: 100, attemptsMax: 30 },
    });
    await api.start({ name, version: 1 });
    await until('two attempts', () => receiver.received.length >= 2);
    receiver.status = 204;
    const log = await until('the delivery', async () => {
      const found = await logOf(id);
      return found.waiting === 0 && found.attempts.length > 2 && found;
    });
    expect(log.attempts[0]).toMatchObject({ outcome: 'DELIVERED', status: 204 });
    expect(log.attempts.at(-1)).toMatchObject({ outcome: 'RETRY', status: 500, attempt: 1 });
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('gives up after its attempts, and is told anew when asked to', async () => {
    const name = await register();
    receiver.status = 410;
    const { id } = await create({
      ...{ events: ['WORKFLOW_STARTED'], workflowNames: [name] },
      ...{ retryDelayMs: 100, attemptsMax: 2 },
    });
    await api.start({ name, version: 1 });
    const letters = `${base}/${id}/dead-letters`;
    const dead = async (): Promise<JsonObject[]> =>
      (await ask('GET', letters)).body as JsonObject[];
    const [letter] = await until('a dead letter', async () => {
      const found = await dead();
      return found.length > 0 && found;
    });
    expect(letter).toMatchObject({ attempts: 2, lastError: 'The address answered 410' });
    expect(receiver.received).toHaveLength(2);
    expect((await ask('POST', `${letters}/redeliver?deliveryId=none`)).status).toBe(404);
    // None of these may count as the request without a parameter, which is for all of them.
    for (const query of ['deliveryId=', 'deliveryId=,', 'deliveryid=none', 'id=none']) {
      const [sent, removed] = [
        await ask('POST', `${letters}/redeliver?${query}`),
        await ask('DELETE', `${letters}?${query}`),
      ];
      expect([query, sent.status, removed.status]).toEqual([query, 400, 400]);
      expect(removed.text).toMatch(
        /'deliveryId' must name|There is no parameter '(deliveryid|id)'/,
      );
    }
    expect(await dead()).toHaveLength(1);
    receiver.status = 200;
    const answer = await ask('POST', `${letters}/redeliver`);
    expect(answer.body).toEqual({ redelivered: 1 });
    await until('the delivery', async () => (await logOf(id)).attempts[0]?.outcome === 'DELIVERED');
    expect(await dead()).toEqual([]);
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(letter?.['deliveryId']);
  });

  it('shows nothing of its secrets, keeps them through an update, and is told no more once gone', async () => {
    const name = await register();
    const fields = { name: 'kept', url: receiver.url, events: ['WORKFLOW_STARTED'] };
    const secretValue = 'a secret of some length';
    const headers = { Authorization: 'Bearer hidden' };
    const { id } = await create({ ...fields, workflowNames: [name], secretValue, headers });
    const shown = await ask('GET', `${base}/${id}`);
    expect(shown.text).not.toMatch(/hidden|some length/);
    expect(shown.body).toMatchObject({ secretValue: '***', headers: { Authorization: '***' } });
    await ask('PUT', `${base}/${id}`, { ...(shown.body as JsonObject), name: 'renamed' });
    expect((await ask('GET', base)).text).not.toMatch(/hidden|some length/);
    await api.start({ name, version: 1 });
    const told = await receiver.next('the start', () => true);
    expect(told.headers['webhook-signature']).toBe(expectedSignature(secretValue, told));
    expect(told.headers.authorization).toBe('Bearer hidden');
    expect((await ask('DELETE', `${base}/${id}`)).status).toBe(200);
    expect((await ask('GET', `${base}/${id}`)).status).toBe(404);
    expect((await ask('GET', `${base}/${id}/deliveries`)).status).toBe(404);
  });

  it('is told after the death of the server what it was not told before', async () => {
    const name = await register();
    receiver.status = 500;
    const { id } = await create({
      ...{ events: ['WORKFLOW_STARTED', 'WORKFLOW_TERMINATED'], workflowNames: [name] },
      ...{ retryDelayMs: 100, attemptsMax: 30 },
    });
    const workflowId = await api.start({ name, version: 1 });
    await until('a first attempt', () => receiver.received.length > 0);
    await api.terminate(workflowId);
    await server.kill('SIGKILL');
    receiver.received.length = 0;
    receiver.status = 200;
    await server.restart();
    for (const type of ['WORKFLOW_STARTED', 'WORKFLOW_TERMINATED']) {
      await receiver.next(
        type,
        (each) => each.type === type && each.data.workflowId === workflowId,
      );
    }
    await until('the end of all', async () => (await logOf(id)).waiting === 0);
  }, 120_000);

  it.each<[string, JsonObject, RegExp]>([
    ['no name', { name: '' }, /name/],
    ['no address', { url: 'x' }, /url/],
    ['another kind of address', { url: 'ftp://x.org' }, /url/],
    ['a password in its address', { url: 'http://a:b@x.org' }, /url/],
    ['no event', { events: [] }, /events/],
    ['an unknown event', { events: ['WORKFLOW_GONE'] }, /events/],
    ['too many attempts', { attemptsMax: 31 }, /attemptsMax/],
    ['too short a pause', { retryDelayMs: 1 }, /retryDelayMs/],
    ['too short a secret', { secretValue: 'short' }, /secretValue/],
    ['a header of the server', { headers: { 'Webhook-Id': 'x' } }, /headers\.Webhook-Id/],
    ['a header over two lines', { headers: { 'X-A': 'a\r\nb' } }, /headers\.X-A/],
  ])('is refused with %s', async (_what, fields, field) => {
    const whole = { name: 'refused', url: receiver.url, events: ['WORKFLOW_STARTED'], ...fields };
    const answer = await ask('POST', base, whole);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(field)]);
  });
});

describe('status listeners', () => {
  it('publish on the sinks of a definition and of the settings, to which event handlers listen', async () => {
    const told = await register();
    const name = await register({
      workflowStatusListenerEnabled: true,
      workflowStatusListenerSink: 'conductor:changes',
    });
    const handler = (queue: string, field: string): JsonObject => ({
      ...{ name: `${name}_${field}`, event: `conductor:${name}:${queue}`, active: true },
      actions: [
        {
          action: 'start_workflow',
          start_workflow: { name: told, version: 1, correlationId: `\${${field}}` },
        },
      ],
    });
    await ask('POST', '/api/event', handler('changes', 'workflowId'));
    await ask('POST', '/api/event', handler('tasks', 'taskId'));
    const workflowId = await api.start({ name, version: 1, taskToDomain: { '*': 'nobody' } });
    const [first] = (await api.workflow(workflowId)).tasks ?? [];
    for (const correlationId of [workflowId, first?.taskId]) {
      await until(`an execution started by ${correlationId}`, async () => {
        const path = `/api/workflow/${told}/correlated/${correlationId}`;
        return ((await api.ask('GET', path)).body as unknown[]).length > 0;
      });
    }
  });
});
