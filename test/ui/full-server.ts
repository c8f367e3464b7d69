// Fills a server with something for every page: definitions, executions in every state, failures
// of two causes, queues with and without workers, a person's task, a bulk job, and a record of each
// registry.
import { until } from '../../testkit/until.js';
import { order, type PageFixture } from './fixture.js';
import type { Places } from './page-list.js';

const common = { ownerEmail: 'shop@example.com', schemaVersion: 2, timeoutSeconds: 0 };

const simple = (ref: string): object => ({
  ...{ name: `ui_${ref}`, taskReferenceName: ref, type: 'SIMPLE' },
});

const wide = {
  ...{ ...common, name: 'ui_wide', version: 1, description: 'Sends a letter to each customer.' },
  tasks: [
    {
      ...{ name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN_DYNAMIC' },
      inputParameters: {
        forkTaskName: 'ui_letter',
        forkTaskInputs: '${workflow.input.customers}',
      },
    },
    { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
  ],
};

const ann = { userType: 'CONDUCTOR_USER', user: 'ann@example.com' };

const decision = {
  ...{ ...common, name: 'ui_refund', version: 1, description: 'Asks a person about refunds.' },
  inputParameters: ['amount', 'customer'],
  tasks: [
    {
      ...{ name: 'decide', taskReferenceName: 'decide', type: 'HUMAN' },
      inputParameters: {
        amount: '${workflow.input.amount}',
        customer: '${workflow.input.customer}',
        __humanTaskDefinition: {
          displayName: 'Decide the refund of ${workflow.input.customer}',
          userFormTemplate: { name: 'ui_decision', version: 1 },
          assignments: [{ assignee: ann, slaMinutes: 240 }],
        },
      },
    },
    {
      ...{ name: 'rounds', taskReferenceName: 'rounds', type: 'DO_WHILE' },
      loopCondition: '$.rounds.iteration < 2',
      loopOver: [simple('mail')],
    },
  ],
};

const form = {
  ...{ name: 'ui_decision', version: 1 },
  jsonSchema: {
    type: 'object',
    required: ['approved'],
    properties: {
      approved: { type: 'boolean', title: 'Approved' },
      note: { type: 'string', title: 'Note', description: 'The customer reads it' },
    },
  },
  templateUI: {},
};

/** What it holds afterwards, by the names of `page-list.ts`. */
export async function fillServer(fixture: PageFixture): Promise<Places> {
  await fixture.expectOk('POST', '/api/human/template', form);
  const type = { ownerEmail: 'shop@example.com', retryCount: 0, responseTimeoutSeconds: 60 };
  const types = ['ui_ship', 'ui_mail', 'ui_letter'].map((name) => ({ ...type, name }));
  await fixture.expectOk('POST', '/api/metadata/taskdefs', types);
  const described = { ...common, description: 'Charges, ships and mails one order.' };
  const second = { ...order, ...described, version: 2 };
  await fixture.define({ ...order, ...described }, second, wide, decision);
  const failed = await failedTwice(fixture);
  await otherFailures(fixture);
  for (const amount of [12, 40, 7]) await completed(fixture, amount);
  const waiting = await fixture.run(order.name, { amount: 99 });
  await fixture.work('ui_charge', 'COMPLETED');
  const paused = await fixture.run(order.name, { amount: 3 });
  await fixture.expectOk('PUT', `/api/workflow/${paused}/pause?reason=the%20bank%20is%20away`);
  const customers = Array.from({ length: 40 }, (_, number) => ({ number }));
  const wideId = await fixture.run('ui_wide', { customers });
  for (let i = 0; i < 3; i += 1) await fixture.work('ui_letter', 'COMPLETED');
  await fixture.run('ui_refund', { amount: 250, customer: 'Ann Miller' });
  await fixture.run('ui_refund', { amount: 31, customer: 'Bo Lindqvist' });
  await fillRegistries(fixture);
  const request = { action: 'retry', query: 'status = FAILED', reason: 'the bank is back' };
  const { jobId } = (await fixture.expectOk('POST', '/api/bulk-jobs', request)) as Job;
  return { failed, waiting, wide: wideId, job: jobId, ...(await placesIn(fixture, failed)) };
}

interface Job {
  readonly jobId: string;
}

async function failedTwice(fixture: PageFixture): Promise<string> {
  const failed = await fixture.run(order.name, { amount: 1, card: { country: 'de' } });
  await fixture.work('ui_charge', 'FAILED', 'card was declined');
  await fixture.expectOk('POST', `/api/workflow/${failed}/retry?reason=the%20card%20was%20renewed`);
  await fixture.work('ui_charge', 'FAILED', 'card was declined');
  return failed;
}

async function otherFailures(fixture: PageFixture): Promise<void> {
  for (const amount of [5, 8]) {
    await fixture.run(order.name, { amount });
    await fixture.work('ui_charge', 'FAILED', 'card was declined');
  }
  await fixture.run(order.name, { amount: 11 });
  await fixture.work('ui_charge', 'COMPLETED');
  const late = 'the carrier did not answer within 30 s: connect ECONNREFUSED 10.0.0.7:443';
  await fixture.work('ui_ship', 'FAILED', late);
  const ended = await fixture.run(order.name, { amount: 6 });
  await fixture.expectOk('DELETE', `/api/workflow/${ended}?reason=ordered%20twice`);
}

async function completed(fixture: PageFixture, amount: number): Promise<void> {
  await fixture.run(order.name, { amount });
  for (const type of ['ui_charge', 'ui_ship', 'ui_mail']) await fixture.work(type, 'COMPLETED');
}

async function placesIn(
  fixture: PageFixture,
  failed: string,
): Promise<{ readonly task: string; readonly human: string }> {
  const workflow = (await fixture.expectOk('GET', `/api/workflow/${failed}`)) as {
    readonly tasks: readonly { readonly taskId: string }[];
  };
  const human = await until('a task of a person', async () => {
    const found = (await fixture.expectOk('POST', '/api/human/tasks/search', { size: 1 })) as {
      readonly results: readonly { readonly taskId: string }[];
    };
    return found.results[0]?.taskId;
  });
  return { task: workflow.tasks[0]?.taskId ?? '', human };
}

const start = { name: order.name, version: 1, input: { amount: 1 } };

const records: readonly (readonly ['POST' | 'PUT', string, unknown])[] = [
  ['POST', '/api/prompts/greet?description=Greets%20a%20customer', 'Hello ${name}'],
  [
    'POST',
    '/api/integrations/provider/llm',
    { type: 'openai', category: 'AI_MODEL', description: 'Our account', enabled: true },
  ],
  [
    'POST',
    '/api/integrations/provider/llm/integration/small',
    { description: 'Fast and cheap', enabled: true },
  ],
  ['POST', '/api/schema', { name: 'card', version: 1, type: 'JSON', data: { type: 'object' } }],
  [
    'POST',
    '/api/registry/service',
    { name: 'bank', type: 'HTTP', serviceURI: 'http://127.0.0.1:1/openapi.json' },
  ],
  [
    'POST',
    '/api/event',
    {
      ...{ name: 'on-pay', event: 'conductor:pay', active: true },
      actions: [{ action: 'start_workflow', start_workflow: { name: order.name } }],
    },
  ],
  [
    'POST',
    '/api/metadata/outgoing-webhook',
    { name: 'tell', url: 'http://127.0.0.1:1/hook', events: ['WORKFLOW_COMPLETED'] },
  ],
  [
    'POST',
    '/api/metadata/webhook',
    {
      ...{ name: 'shop', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      ...{ headers: { 'x-shop': 'secret' }, workflowsToStart: { [order.name]: 1 } },
    },
  ],
  [
    'POST',
    '/api/scheduler/schedules',
    {
      ...{ name: 'each-morning', cronExpression: '0 0 9 * * MON-FRI', zoneId: 'Europe/Berlin' },
      startWorkflowRequest: start,
    },
  ],
  ['PUT', '/api/users/ann@example.com', { name: 'Ann Miller', roles: ['USER'], groups: [] }],
  ['PUT', '/api/groups/shop', { description: 'The people of the shop', roles: ['USER'] }],
  ['POST', '/api/applications', { name: 'checkout' }],
  ['POST', `/api/metadata/workflow/${order.name}/tags`, { key: 'team', value: 'shop' }],
  [
    'POST',
    '/api/auth/authorization',
    {
      ...{ subject: { type: 'USER', id: 'ann@example.com' }, access: ['READ', 'EXECUTE'] },
      target: { type: 'WORKFLOW_DEF', id: order.name },
    },
  ],
  ['PUT', '/api/secrets/bank_key', 'hidden'],
  ['PUT', '/api/environment/region', 'eu-1'],
];

async function fillRegistries(fixture: PageFixture): Promise<void> {
  for (const [method, path, body] of records) await fixture.expectOk(method, path, body);
}
