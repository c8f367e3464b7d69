// What could never do what it says is refused when it is stored, by the name of the field: an
// acceptance that is ignored would be found out when the money is due (docs/contract-admin.md).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { sharedServer } from '../support/shared-server.js';
import type { JsonObject } from '../../testkit/wire.js';

const server = sharedServer(import.meta.url);
let api: ApiClient;

const worker = { name: 'work', taskReferenceName: 'a', type: 'SIMPLE' };

beforeAll(async () => {
  api = new ApiClient(server.url);
  await api.registerWorkflows({ name: 'stored_definitions_started', tasks: [worker] });
});
afterAll(async () => {
  await api.close();
});

type Method = 'POST' | 'PUT';

async function refusal(method: Method, path: string, body: unknown): Promise<string> {
  const answer = await api.request(method, path, body);
  expect(answer.status).toBe(400);
  return answer.text;
}

describe('a webhook', () => {
  const webhook = (version: unknown): JsonObject => ({
    ...{ name: 'hook', sourcePlatform: 'Custom', verifier: 'HEADER_BASED', headers: { k: 'v' } },
    workflowsToStart: {
      stored_definitions_started: version,
      idempotencyKey: 'k',
      idempotencyStrategy: 'FAIL',
    },
  });

  it.each([null, 'newest', '', ' ', 1.5, '1.5', -1, true, {}, [1], '1e3'])(
    'starts no version %j',
    async (version) => {
      const rule = 'workflowsToStart.stored_definitions_started must be the number of a version';
      expect(await refusal('POST', '/api/metadata/webhook', webhook(version))).toContain(rule);
    },
  );

  it.each([1, '1', 0])('starts version %j', async (version) => {
    const created = await api.ask('POST', '/api/metadata/webhook', webhook(version));
    const { id } = created.body as { id: string };
    const body = webhook('none');
    expect(await refusal('PUT', `/api/metadata/webhook/${id}`, body)).toContain('workflowsToStart');
    await api.ask('DELETE', `/api/metadata/webhook/${id}`);
  });
});

describe('a schedule', () => {
  const schedule = (tasks: unknown): JsonObject => ({
    ...{ name: 'nightly', cronExpression: '0 0 0 * * *' },
    startWorkflowRequest: { name: 'inline', workflowDef: { name: 'inline', version: 1, tasks } },
  });

  it('has no inline definition without tasks, or with tasks that no registration takes', async () => {
    const path = '/api/scheduler/schedules';
    const field = 'startWorkflowRequest.workflowDef';
    expect(await refusal('POST', path, schedule([]))).toContain(`${field}.tasks`);
    expect(await refusal('POST', path, schedule([worker, worker]))).toContain(field);
    expect((await api.request('GET', `${path}/nightly`)).status).toBe(404);
    await api.ask('POST', path, schedule([worker]));
    await api.ask('DELETE', `${path}/nightly`);
  });
});

describe('a prompt', () => {
  it.each<Method>(['POST', 'PUT'])('needs a description (%s)', async (method) => {
    const answer = await api.request(method, '/api/prompts/greeting', 'Say hello');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('description');
  });
});

describe('a HUMAN task', () => {
  const user = { userType: 'EXTERNAL_USER', user: 'ann' };
  const withDefinition = (definition: JsonObject): JsonObject => ({
    ...{ name: 'asked', taskReferenceName: 'ask', type: 'HUMAN' },
    inputParameters: { __humanTaskDefinition: definition },
  });

  it.each([undefined, null, 0, '0'])(
    'has nobody behind an assignee without limit (slaMinutes %j)',
    async (slaMinutes) => {
      const assignments = [
        { assignee: user, slaMinutes: 5 },
        { assignee: user, slaMinutes },
        { assignee: user, slaMinutes: 5 },
      ];
      const tasks = [withDefinition({ assignments })];
      const text = await refusal('POST', '/api/metadata/workflow', { name: 'chain', tasks });
      expect(text).toContain('assignments[2] is never reached: assignments[1] has no limit');
    },
  );

  it('keeps chains that expressions make, and empty users', async () => {
    const assignments = [
      { assignee: user, slaMinutes: '${workflow.input.minutes}' },
      { assignee: { user: '', userType: 'EXTERNAL_USER' } },
      { assignee: user },
    ];
    const tasks = [withDefinition({ assignments })];
    await api.ask('POST', '/api/metadata/workflow', { name: 'stored_definitions_computed', tasks });
  });

  it('is not reassigned to a chain that ends before its last entry', async () => {
    const taskId = await begin(withDefinition({ assignments: [{ assignee: user }] }));
    const body = [{ assignee: user }, { assignee: user, slaMinutes: 1 }];
    const text = await refusal('POST', `/api/human/tasks/${taskId}/reassign`, body);
    expect(text).toContain('[1] is never reached: [0] has no limit');
  });

  it('takes no values for a form that nobody has saved, and goes on once it is saved', async () => {
    const template = { name: 'stored_definitions_late_form', version: 0 };
    const taskId = await begin(withDefinition({ userFormTemplate: template }));
    await api.ask('POST', `/api/human/tasks/${taskId}/claim`);
    const update = `/api/human/tasks/${taskId}/update?complete=true`;
    const text = await refusal('POST', update, { any: 'thing' });
    expect(text).toContain('userFormTemplate: no user form stored_definitions_late_form is saved');
    const jsonSchema = { type: 'object', required: ['name'] };
    await api.ask('POST', '/api/human/template', {
      name: 'stored_definitions_late_form',
      jsonSchema,
      templateUI: {},
    });
    expect(await refusal('POST', update, { any: 'thing' })).toContain('name');
    await api.ask('POST', update, { name: 'Ann' });
    const { body } = await api.ask('GET', `/api/human/tasks/${taskId}`);
    expect(body).toMatchObject({ state: 'COMPLETED' });
  });

  async function begin(task: JsonObject): Promise<string> {
    await api.ask('POST', '/api/metadata/workflow?overwrite=true', {
      name: 'stored_definitions_one',
      tasks: [task],
    });
    const id = await api.start({ name: 'stored_definitions_one', version: 1, input: {} });
    const { body } = await api.ask('GET', `/api/workflow/${id}`);
    return (body as { tasks: { taskId: string }[] }).tasks[0]?.taskId ?? '';
  }
});
