// The values of secrets in all that tells of an execution beside its own record: the events of
// EVENT tasks and listeners, event records, streams, outgoing webhooks with their dead letters,
// bulk jobs, history, human tasks, the archive, payloads outside, the audit log, metrics, logs and
// the files of Redis (contract-admin 7.3; semantics 3.7).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DeliveryReceiver } from '../support/delivery-receiver.js';
import { EventStreamReader } from '../support/event-stream.js';
import { SecuredServer, type Answer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

const canary = 'CANARY-c41d7e22-everywhere';
const flow = 'canary_flow';
const secret = '${workflow.secrets.everywhere}';

let secured: SecuredServer;
let admin: Session;
let receiver: DeliveryReceiver;
beforeAll(async () => {
  receiver = new DeliveryReceiver();
  await receiver.start();
  secured = await SecuredServer.start({
    args: [
      ...['--outbound-allow-inside=true', '--log-level=trace', '--archive', '--shards=8'],
      '--task-status-listener-sink=conductor:tasks',
    ],
  });
  ({ admin } = secured);
});
afterAll(async () => {
  await secured?.stop();
  await receiver.stop();
});

const task = (type: string, name: string, inputParameters: object, over: object = {}): object => ({
  ...{ name, taskReferenceName: name, type, inputParameters },
  ...over,
});

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const got = await answer;
  expect(got.status, got.text).toBe(200);
  return got;
}

async function poll(type: string): Promise<Answer['body']> {
  return await until(`a task of ${type}`, async () => {
    const { status, body } = await admin.get(`/api/tasks/poll/${type}?workerid=w`);
    return status === 200 ? body : undefined;
  });
}

async function untilStatus(id: string, status: string): Promise<Answer['body']> {
  return await until(`${status} of ${id}`, async () => {
    const { body } = await admin.get(`/api/workflow/${id}`);
    return body.status === status ? body : undefined;
  });
}

/**
 * Files below the data folder, the archive unpacked. A payload that a client puts outside is stored
 * as the client wrote it.
 */
function filesWith(text: string): string[] {
  return readdirSync(secured.server.dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(secured.server.dataDir, name))
    .filter((name) => !name.includes('/objects/payloads/'))
    .filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true)
    .filter((name) => {
      const bytes = readFileSync(name);
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).includes(text);
    });
}

/** Definitions that put the secret wherever an input goes. */
async function define(): Promise<void> {
  const telling = { told: `it is ${secret}`, given: '${workflow.input.given}' };
  const changed = [{ type: 'canary', payload: { told: secret } }];
  const script = { evaluatorType: 'javascript', expression: '$.v + "!"', v: secret };
  const http_request = { uri: `http://127.0.0.1:1/?key=${secret}`, method: 'GET' };
  const tasks = [
    task('SET_VARIABLE', 'canary_kept', telling),
    // Refused the secret by name (semantics 3.7.1).
    task('INLINE', 'canary_inline', script, { optional: true }),
    task('JSON_JQ_TRANSFORM', 'canary_jq', { queryExpression: '.v', v: secret }),
    task('EVENT', 'canary_event', telling, { sink: 'conductor:told' }),
    task('HTTP', 'canary_call', { http_request }, { optional: true }),
    task('START_WORKFLOW', 'canary_start', {
      startWorkflow: { name: 'canary_child', version: 1, input: { all: `from ${secret}` } },
    }),
    task('SIMPLE', 'canary_work', telling, {
      onStateChange: { onStart: changed, onSuccess: changed },
    }),
    task('HUMAN', 'canary_person', telling),
  ];
  const inner = task('SIMPLE', 'canary_inner', { v: '${workflow.input.all}' });
  const listener = {
    workflowStatusListenerEnabled: true,
    workflowStatusListenerSink: 'conductor:changes',
  };
  const outputParameters = { made: '${canary_work.output.made}', straight: secret };
  await ok(
    admin.put('/api/metadata/workflow', [
      { name: 'canary_child', version: 1, tasks: [inner] },
      { name: flow, version: 1, tasks, outputParameters, ...listener },
    ]),
  );
  // A message brings no name of a secret; the handler may have it.
  const start_workflow = { name: 'canary_child', input: { all: `told ${secret}` } };
  await ok(
    admin.post('/api/event', {
      ...{ name: 'canary_handler', event: `conductor:${flow}:told`, active: true },
      actions: [{ action: 'start_workflow', start_workflow }],
    }),
  );
}

/** Reports the task with the secret in every place that a worker fills. */
async function report({ taskId, workflowInstanceId }: Answer['body']): Promise<void> {
  await ok(admin.post(`/api/tasks/${taskId}/log`, `logged ${canary}`));
  await ok(
    admin.post('/api/tasks', {
      ...{ workflowInstanceId, taskId, status: 'COMPLETED' },
      outputData: { made: [canary, { [canary]: `of ${canary}` }] },
      logs: [{ log: `said ${canary}`, createdTime: 1 }],
    }),
  );
}

it('stand nowhere, whatever tells of the executions', { timeout: 90_000 }, async () => {
  await ok(admin.put('/api/secrets/everywhere', canary));
  await define();
  const events = ['WORKFLOW_STARTED', 'WORKFLOW_TERMINATED', 'TASK_COMPLETED', 'TASK_FAILED'];
  const hook = { name: 'canary hook', url: receiver.url, attemptsMax: 1, workflowNames: [flow] };
  const hooks = '/api/metadata/outgoing-webhook';
  const { id: hookId } = (await ok(admin.post(hooks, { ...hook, events }))).body;
  receiver.status = 500;

  const start = { name: flow, version: 1, input: { given: secret } };
  const { text: id } = await ok(admin.post('/api/workflow', start));
  const topics = `executions,inbox,queues,overview,execution:${id}`;
  const url = `${secured.url}/api/stream?topics=${topics}`;
  const stream = await EventStreamReader.open(url, admin.headers);
  const work = await poll('canary_work');
  expect(work.inputData).toMatchObject({ told: `it is ${canary}`, given: canary });
  await report(work);
  const person = await until('the human task', async () => {
    const query = { searchType: 'ADMIN', workflowNames: [flow] };
    return (await admin.post('/api/human/tasks/search', query)).body.results?.[0];
  });
  await stream.next('the human task', ({ event }) => event === 'inbox');
  await ok(admin.post(`/api/human/tasks/${person.taskId}/update`, { note: `typed ${canary}` }));
  // Another execution's worker puts its output outside: the server takes it from there.
  const { text: outside } = await ok(admin.post('/api/workflow', start));
  const large = await poll('canary_work');
  const query = 'path=&operation=WRITE&payloadType=TASK_OUTPUT';
  const location = (await ok(admin.get(`/api/tasks/externalstoragelocation?${query}`))).body;
  await fetch(location.uri, { method: 'PUT', body: JSON.stringify({ made: canary }) });
  await ok(
    admin.post('/api/tasks', {
      ...{ workflowInstanceId: outside, taskId: large.taskId, status: 'COMPLETED' },
      externalOutputPayloadStoragePath: location.path,
    }),
  );
  const ended = await until('the human task of the other execution', async () => {
    const { body } = await admin.get(`/api/workflow/${outside}`);
    return body.tasks.length === 8 ? body : undefined;
  });
  expect(JSON.stringify(ended)).not.toContain('CANARY');
  // One child was started by the EVENT task's handler, the other by START_WORKFLOW.
  for (let child = 0; child < 4; child++) {
    const polled = await poll('canary_inner');
    expect(polled.inputData.v).toContain(canary);
    const { workflowInstanceId, taskId } = polled;
    const reasonForIncompletion = `refused ${canary}`;
    const failed = {
      workflowInstanceId,
      taskId,
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion,
    };
    await ok(admin.post('/api/tasks', failed));
    await untilStatus(workflowInstanceId, 'FAILED');
  }

  const ofExecution = [
    ...['', '/history', '/outline', '/why', '/status?includeOutput=true&includeVariables=true'].map(
      (part) => `/api/workflow/${id}${part}`,
    ),
    ...['', '/why', '/log'].map((part) => `/api/tasks/${work.taskId}${part}`),
    ...['', '?withTemplate=true'].map((part) => `/api/human/tasks/${person.taskId}${part}`),
  ];
  const general = [
    ...['', '/canary_handler'].map((part) => `/api/event/execution${part}`),
    ...['', `/conductor:${flow}:told`, `/conductor:${flow}:changes`, '/conductor:tasks'].map(
      (part) => `/api/event/message${part}`,
    ),
    ...['/deliveries', '/dead-letters'].map((part) => `${hooks}/${hookId}${part}`),
    ...['/api/bulk-jobs', '/metrics', '/api/admin/audit', '/api/admin/audit/export'],
    ...['workflow', 'tasks'].map((what) => `/api/${what}/search-v2?size=100`),
  ];
  const look = async (routes: readonly string[]): Promise<void> => {
    for (const route of routes) {
      const { status, text } = await admin.get(route);
      expect([status, text.includes('CANARY')], `${route}: ${text}`).toEqual([200, false]);
    }
    expect(JSON.stringify(stream.events)).not.toContain('CANARY');
    expect(JSON.stringify(receiver.received)).not.toContain('CANARY');
    expect(secured.server.output).not.toContain('CANARY');
    expect(filesWith('CANARY')).toEqual([]);
  };
  await receiver.next('a task', ({ type }) => type === 'TASK_COMPLETED');
  await look([...ofExecution, ...general]);

  const job = { action: 'terminate', ids: [id], reason: 'ended by hand', canary: 0 };
  const { jobId } = (await ok(admin.post('/api/bulk-jobs', job))).body;
  await ok(admin.post(`/api/bulk-jobs/${jobId}/start`));
  expect((await untilStatus(id, 'TERMINATED')).reasonForIncompletion).toBe('ended by hand');
  await receiver.next('the end', ({ type }) => type === 'WORKFLOW_TERMINATED');
  await stream.next(
    'the end',
    ({ event, data }) => event === 'executions' && JSON.stringify(data).includes('TERMINATED'),
  );
  const archived = `${id}.json.gz`;
  await ok(admin.delete(`/api/workflow/${id}/remove?archiveWorkflow=true`));
  expect(filesWith(flow).some((file) => file.endsWith(archived))).toBe(true);
  await look([`/api/workflow/${id}`, ...general]);
  stream.close();
});
