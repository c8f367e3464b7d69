// Refusals that need a state of their own: something that is not there although the rest of the
// request is right, an execution or a job that has ended, a table that is full, a key that is in
// use, a caller who is not who they say. test/server/declared-errors.test.ts sends all others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unseenRefusals, type DeclaredRefusal } from '../support/declared-refusals.js';
import { answerJson, ModelServer } from '../support/model-server.js';
import { SecuredServer, Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';
import { get, post, put, Steps, type Call } from './refusals/steps.js';

/** The tests fill these tables. */
const small = ['integrations', 'outgoing-webhooks', 'prompts', 'remote-services', 'schedules'];
const smallToo = ['bulk-jobs', 'proto-files', 'schemas', 'user-forms'];

let models: ModelServer;
let secured: SecuredServer;
let steps: Steps;

beforeAll(async () => {
  models = new ModelServer();
  await models.start();
  const full = [...small, ...smallToo].map((name) => `--${name}-max=1`);
  const args = ['--outbound-allow-inside=true', '--object-store=folder', '--archive=true', ...full];
  secured = await SecuredServer.start({ args });
  steps = new Steps(secured);
});
afterAll(async () => {
  await secured?.stop();
  await models.stop();
});

type Refusals = readonly (readonly [DeclaredRefusal, Call])[];

const task = { name: 'step', taskReferenceName: 'a', type: 'NOOP' };
const flow = { name: 'flow', version: 1, ownerEmail: 'a@b.co', tasks: [task] };
const handler = { name: 'on_told', event: 'conductor:told', active: true, actions: [] };
const webhook = {
  ...{ name: 'orders', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
  ...{ headers: { 'X-Key': 'k1' }, workflowsToStart: { flow: 1 } },
};
const outgoing = { name: 'ends', url: 'http://127.0.0.1:9', events: ['WORKFLOW_TERMINATED'] };
const provider = { type: 'openai', category: 'AI_MODEL' };
const prompt = (name: string, more: object = {}): object => ({ name, template: 'Hello', ...more });
const ofNobody = { integrations: ['nobody:m'] };
const shape = { name: 'shape', version: 1, type: 'JSON', data: { type: 'object' } };
const service = { name: 'shop', type: 'HTTP', serviceURI: 'http://127.0.0.1:9' };
const form = (name: string): object => ({
  ...{ name, jsonSchema: { type: 'object' } },
  templateUI: { type: 'VerticalLayout', elements: [] },
});
const schedule = (name: string): object => ({
  ...{ name, cronExpression: '0 0 * * * *', paused: true },
  startWorkflowRequest: { name: 'flow', version: 1 },
});
const trial = { llmProvider: 'ai', model: 'm', prompt: 'Hi', promptVariables: {} };

describe('refused because it is not there is', () => {
  const absent: Refusals = [
    ['checkUserPermissions 404', get('/api/users/no@x.org/checkPermissions?type=PROMPT&id=a')],
    ['putUser 404', put('/api/users/a@x.org', { name: 'A', groups: ['none'] })],
    ['saveIntegrationProvider 404', post('/api/integrations/provider/a', { type: 'none' })],
    ['saveIntegrations 404', post('/api/integrations', [{ name: 'a', type: 'none' }])],
    ['savePrompt 404', post('/api/prompts/a?description=d&models=nobody:m', 'Hello')],
    ['savePrompts 404', post('/api/prompts', [prompt('a', ofNobody)])],
    [
      'saveServiceMethod 404',
      post('/api/registry/service/none/methods', {
        ...{ operationName: 'a', methodType: 'GET' },
      }),
    ],
    [
      'setTokenLimit 404',
      post('/api/integrations/llm/none/token', {
        ...{ api: 'm', maxTokens: 1, tokenLimitPeriod: 'DAY' },
      }),
    ],
    ['streamChanges 404', get('/api/stream?topics=execution:none')],
    ['testPrompt 404', post('/api/prompts/test', { ...trial, llmProvider: 'none' })],
    ['updateApplication 404', put('/api/applications/none', { name: 'a' })],
    ['updateEventHandler 404', put('/api/event', { ...handler, name: 'none' })],
    ['updateOutgoingWebhook 404', put('/api/metadata/outgoing-webhook/none', outgoing)],
    ['updatePrompt 404', put('/api/prompts/a?description=d&models=nobody:m', 'Hello')],
    ['updateTaskDef 404', put('/api/metadata/taskdefs', { name: 'none', ownerEmail: 'a@b.co' })],
    ['updateWebhook 404', put('/api/metadata/webhook/none', webhook)],
    ['updateWebhookOfBody 404', put('/api/metadata/webhook', { ...webhook, id: 'none' })],
  ];
  it.each(absent)('%s', (refusal, call) => steps.refused(refusal, call));
});

describe('refused because it is there already is', () => {
  const twice: Refusals = [
    ['addEventHandlers 409', post('/api/event', [handler])],
    ['createRole 409', post('/api/roles', { name: 'reader', permissions: ['READ_TASK_DEF'] })],
    ['createWebhook 409', post('/api/metadata/webhook', { ...webhook, id: 'orders' })],
    ['registerWorkflowDef 409', post('/api/metadata/workflow', flow)],
  ];
  it.each(twice)('%s', async (refusal, call) => {
    await steps.done(call);
    await steps.refused(refusal, call);
  });
});

describe('refused because there is no room is', () => {
  const model = '/api/integrations/provider/ai/integration';
  const configuration = (): object => ({ api_key: 'key', endpoint: models.endpoint });
  const rooms: readonly (readonly [string, () => Call, Refusals])[] = [
    [
      'another provider',
      () => post('/api/integrations/provider/ai', { ...provider, configuration: configuration() }),
      [
        ['saveIntegrationProvider 409', post('/api/integrations/provider/other', provider)],
        ['saveIntegrations 409', post('/api/integrations', [{ name: 'other', ...provider }])],
      ],
    ],
    [
      'another model',
      () => post(`${model}/m`, {}),
      [['saveIntegrationApi 409', post(`${model}/other`, {})]],
    ],
    [
      'another prompt',
      () => post('/api/prompts/greeting?description=d', 'Hello'),
      [
        ['savePrompt 409', post('/api/prompts/other?description=d', 'Hello')],
        ['savePrompts 409', post('/api/prompts', [prompt('other')])],
        ['updatePrompt 409', put('/api/prompts/greeting?description=d&version=2', 'Hello')],
      ],
    ],
    [
      'another schema',
      () => post('/api/schema', [shape]),
      [
        ['saveSchemas 409', post('/api/schema', [{ ...shape, version: 2 }])],
        ['saveGlobalSchemas 409', post('/api/global_schema', [{ ...shape, name: 'other' }])],
      ],
    ],
    [
      'another remote service',
      () => post('/api/registry/service', service),
      [
        ['saveRemoteService 409', post('/api/registry/service', { ...service, name: 'other' })],
        ['cloneRemoteService 409', post('/api/registry/service/shop/clone?newName=other')],
      ],
    ],
    [
      'another proto file',
      () => post('/api/registry/service/protos/shop/a.proto', 'syntax = "proto3";'),
      [
        [
          'saveProtoFile 409',
          post('/api/registry/service/protos/shop/b.proto', 'syntax = "proto3";'),
        ],
      ],
    ],
    [
      'another schedule',
      () => post('/api/scheduler/schedules', schedule('hourly')),
      [['saveSchedule 409', post('/api/scheduler/schedules', schedule('other'))]],
    ],
    [
      'another user form',
      () => post('/api/human/template', form('enquiry')),
      [
        ['saveUserForm 409', post('/api/human/template', form('other'))],
        ['saveUserForms 409', post('/api/human/template/bulk', [form('other')])],
      ],
    ],
    [
      'another webhook that goes out',
      () => post('/api/metadata/outgoing-webhook', outgoing),
      [['createOutgoingWebhook 409', post('/api/metadata/outgoing-webhook', outgoing)]],
    ],
  ];
  it.each(rooms)('%s', async (_what, last, refusals) => {
    await steps.done(last());
    for (const [refusal, call] of refusals) await steps.refused(refusal, call);
  });
});

describe('refused because of its state is', () => {
  it('a bulk job that is over, and another one while one runs', async () => {
    const jobs = '/api/bulk-jobs';
    const pause = (ids: readonly string[], more: object = {}): Call =>
      post(jobs, { action: 'pause', ids, reason: 'of a test', ...more });
    const started = async (call: Call): Promise<string> => {
      const { jobId } = await steps.done(call);
      await steps.done(post(`${jobs}/${jobId}/start`));
      return jobId as string;
    };
    const over = await started(pause([await steps.started('HUMAN')]));
    await until('the job to be over', async () => {
      const { state } = await steps.done(get(`${jobs}/${over}`));
      return state === 'COMPLETED';
    });
    await steps.refused('startBulkJob 409', post(`${jobs}/${over}/start`));
    const ids = await Promise.all(['HUMAN', 'WAIT', 'HUMAN'].map((type) => steps.started(type)));
    // The canary is looked at for a minute before the rest follows: the job runs all the while.
    const running = await started(pause(ids, { canary: 1, canarySeconds: 60 }));
    await steps.refused('createBulkJob 409', pause(ids));
    await steps.done(post(`${jobs}/${running}/stop`));
  });

  it('an execution that has ended, or is in the archive', async () => {
    const id = await steps.started('NOOP');
    await steps.done(put('/api/metadata/workflow', [flow]));
    const upgrade = { name: 'flow', version: 1 };
    await steps.refused('upgradeWorkflow 409', post(`/api/workflow/${id}/upgrade`, upgrade));
    const state = { variables: { a: 1 } };
    await steps.refused('updateWorkflowState 409', post(`/api/workflow/${id}/state`, state));
    const { tasks } = await steps.done(get(`/api/workflow/${id}`));
    const [{ taskId }] = tasks as [{ taskId: string }];
    const report = { workflowInstanceId: id, taskId, status: 'COMPLETED' };
    await steps.refused('updateTask 409', post('/api/tasks?onlyIfOpen=true', report));
    await steps.done({ method: 'DELETE', route: `/api/workflow/${id}/remove` });
    await steps.refused('decideWorkflow 409', put(`/api/workflow/decide/${id}`));
  });

  it('a start whose key is in use', async () => {
    await steps.done(put('/api/metadata/workflow', [flow]));
    const headers = { 'X-Idempotency-key': 'used', 'X-on-conflict': 'FAIL' };
    const key = { idempotencyKey: 'used', idempotencyStrategy: 'FAIL' };
    const started: Call = { ...post('/api/workflow/flow', {}), headers };
    await steps.done(started);
    await steps.refused('startWorkflowByName 409', started);
    const starts: Refusals = [
      ['startWorkflowVersion 409', post('/api/workflow/start/flow/1', {})],
      ['executeWorkflowByName 409', post('/api/workflow/execute/flow', {})],
      ['executeWorkflowWithoutInput 409', get('/api/workflow/execute/flow')],
    ];
    for (const [refusal, call] of starts) await steps.refused(refusal, { ...call, headers });
    const execute = post('/api/workflow/execute/flow/1', { name: 'flow', version: 1, ...key });
    await steps.refused('executeWorkflow 409', execute);
  });

  it('a check of the store while another one runs', async () => {
    const checks = [get('/api/admin/fsck?seconds=5'), post('/api/admin/fsck?seconds=5')];
    const wanted: readonly DeclaredRefusal[] = ['checkStore 409', 'repairStore 409'];
    // A check of a small store is soon over: perhaps before the others have come.
    await until('both to be refused', async () => {
      await Promise.all([...checks, ...checks].map((check) => steps.send(check)));
      return wanted.every((refusal) => secured.forms.seen.has(refusal));
    });
  });

  it('a prompt while the provider fails', async () => {
    models.next.push(answerJson({ error: { message: 'down' } }, 500));
    await steps.refused('testPrompt 502', post('/api/prompts/test', trial));
  });
});

describe('refused because of who calls is', () => {
  it('a sign-in with a wrong password or key', async () => {
    const by = secured.nobody;
    const credentials = { email: 'a@x.org', password: 'a wrong password' };
    await steps.refused('signIn 401', { ...post('/api/sign-in', credentials), by });
    const key = { keyId: secured.key.keyId, keySecret: 'wrong' };
    await steps.refused('createToken 401', { ...post('/api/token', key), by });
  });

  it('a sign-out by nobody, or from another site', async () => {
    const out: Call = { method: 'DELETE', route: '/api/sign-in' };
    await steps.refused('signOut 401', { ...out, by: secured.nobody });
    await secured.userWithPassword('ann@x.org', []);
    const credentials = { email: 'ann@x.org', password: 'password of ann@x.org' };
    const { headers } = await secured.nobody.post('/api/sign-in', credentials);
    const cookie = (headers.get('set-cookie') as string).split(';')[0] as string;
    const foreign = { cookie, origin: 'https://elsewhere.example' };
    const by = new Session(secured.url, foreign, '', secured.forms);
    await steps.refused('signOut 403', { ...out, by });
  });

  it('a stream without a token', () =>
    steps.refused('streamChanges 401', {
      ...get('/api/stream?topics=queues'),
      by: secured.nobody,
    }));

  it('a call of a webhook that cannot be verified', async () => {
    await steps.done(post('/api/metadata/webhook', { ...webhook, id: 'verified' }));
    const by = secured.nobody;
    const ping = (path: string): Call => ({ ...get(`${path}/verified`), by });
    const call = (path: string): Call => ({ ...post(`${path}/verified`, { a: 1 }), by });
    await steps.refused('receiveWebhookPing 401', ping('/webhook'));
    await steps.refused('receiveWebhookPingBelowApi 401', ping('/api/webhook'));
    await steps.refused('receiveWebhookCall 401', call('/webhook'));
    await steps.refused('receiveWebhookCallBelowApi 401', call('/api/webhook'));
  });
});

// Last, when all others have run.
it('has seen every refusal that is listed for it', () => {
  expect(unseenRefusals('test/server/refusals.test.ts', secured.forms)).toEqual([]);
});
