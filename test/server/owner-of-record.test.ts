// Who changes what acts later answers for it (docs/access.md, Owner of record): schedules,
// webhooks, event handlers and outgoing webhooks act with the rights of who changed them last, and
// the change needs the rights that they use.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryReceiver } from '../support/delivery-receiver.js';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let ann: Session;
let bob: Session;
let receiver: DeliveryReceiver;
let elsewhere: DeliveryReceiver;

const inline = { name: 'v', taskReferenceName: 'v', type: 'NOOP' };

beforeAll(async () => {
  receiver = new DeliveryReceiver();
  elsewhere = new DeliveryReceiver();
  await receiver.start();
  await elsewhere.start();
  ({ admin } = server);
  ann = await server.user('owner_of_record_ann@x.org', ['USER']);
  bob = await server.user('owner_of_record_bob@x.org', ['USER']);
  await admin.post('/api/metadata/workflow', { name: 'owner_of_record_payment', tasks: [inline] });
  await ann.post('/api/metadata/workflow', { name: 'owner_of_record_ann_flow', tasks: [inline] });
  await bob.post('/api/metadata/workflow', { name: 'owner_of_record_bob_flow', tasks: [inline] });
  await admin.put('/api/secrets/owner_of_record_admin_secret', 'the value of the administrator');
});
afterAll(async () => {
  await receiver.stop();
  await elsewhere.stop();
});

/** `createdBy` of the newest execution of a workflow. */
async function starterOf(workflow: string): Promise<string> {
  const query = encodeURIComponent(`workflowType = '${workflow}'`);
  return await until(`an execution of ${workflow}`, async () => {
    const { results } = (await admin.get(`/api/workflow/search?query=${query}`)).body;
    const [first] = results as { workflowId: string }[];
    if (first === undefined) return undefined;
    return (await admin.get(`/api/workflow/${first.workflowId}`)).body.createdBy as string;
  });
}

describe('a schedule', () => {
  const due = (workflow: string, more = {}): unknown => ({
    name: 'owner_of_record_nightly',
    cronExpression: '* * * * * *',
    startWorkflowRequest: { name: workflow },
    paused: true,
    ...more,
  });

  it('acts with the rights of who changed it last, not of who made it', async () => {
    const path = '/api/scheduler/schedules';
    expect(await admin.status('POST', path, due('owner_of_record_payment'))).toBe(200);
    await server.grant(bob, 'WORKFLOW_SCHEDULE', 'owner_of_record_nightly', ['UPDATE', 'READ']);
    expect(await bob.status('POST', path, due('owner_of_record_payment'))).toBe(403);
    const changed = await bob.post(path, due('owner_of_record_bob_flow', { paused: false }));
    expect(changed.body).toMatchObject({ createdBy: admin.subject || expect.any(String) });
    expect(changed.body.actsAs).toBe('owner_of_record_bob@x.org');
    expect(await starterOf('owner_of_record_bob_flow')).toBe('owner_of_record_bob@x.org');
  });

  it('keeps its owner of record when somebody pauses and resumes it', async () => {
    for (const verb of ['pause', 'resume', 'pause']) {
      expect(
        await admin.status('PUT', `/api/scheduler/schedules/owner_of_record_nightly/${verb}`),
      ).toBe(200);
    }
    const shown = await admin.get('/api/scheduler/schedules/owner_of_record_nightly');
    expect(shown.body).toMatchObject({ actsAs: 'owner_of_record_bob@x.org', paused: true });
  });
});

describe('a webhook', () => {
  const hook = (workflow: string, more = {}): unknown => ({
    id: 'owner_of_record_shop',
    name: 'owner_of_record_shop',
    sourcePlatform: 'Custom',
    verifier: 'HEADER_BASED',
    headers: { 'x-key': 'k' },
    workflowsToStart: { [workflow]: 1 },
    ...more,
  });

  it('acts with the rights of who changed it last', async () => {
    expect(
      await admin.status('POST', '/api/metadata/webhook', hook('owner_of_record_payment')),
    ).toBe(200);
    await server.grant(bob, 'WEBHOOK', 'owner_of_record_shop', ['UPDATE', 'READ']);
    await bob.post('/api/metadata/workflow', {
      name: 'owner_of_record_bob_hooked',
      tasks: [inline],
    });
    const changed = await bob.put(
      '/api/metadata/webhook/owner_of_record_shop',
      hook('owner_of_record_bob_hooked'),
    );
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.actsAs).toBe('owner_of_record_bob@x.org');
    await server.nobody.request(
      'POST',
      '/webhook/owner_of_record_shop',
      { a: 1 },
      { 'x-key': 'k' },
    );
    expect(await starterOf('owner_of_record_bob_hooked')).toBe('owner_of_record_bob@x.org');
  });

  it('may not start by an expression what its last author may not start, and says so', async () => {
    const expression = '({ workflowsToStart: { owner_of_record_payment: 1 } })';
    const changed = await bob.put(
      '/api/metadata/webhook/owner_of_record_shop',
      hook('owner_of_record_bob_hooked', { expression, evaluatorType: 'javascript' }),
    );
    expect(changed.status, changed.text).toBe(200);
    await server.nobody.request(
      'POST',
      '/webhook/owner_of_record_shop',
      { mark: 'second' },
      { 'x-key': 'k' },
    );
    const entry = await until('the call in the history', async () => {
      const { body } = await admin.get('/api/metadata/webhook/owner_of_record_shop');
      const history = body.webhookExecutionHistory as Record<string, unknown>[];
      return history.find(({ payload }) => String(payload).includes('second'));
    });
    expect(entry).toMatchObject({ workflowIds: [] });
    expect(entry['reasons']).toEqual([expect.stringMatching(/EXECUTE.*payment/)]);
  });

  it('may not be made to check calls by a secret that its author may not read', async () => {
    const more = { headers: { 'x-key': '${workflow.secrets.owner_of_record_admin_secret}' } };
    const refused = await bob.put(
      '/api/metadata/webhook/owner_of_record_shop',
      hook('owner_of_record_bob_hooked', more),
    );
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('SECRET_NAME owner_of_record_admin_secret');
  });
});

describe('an event handler', () => {
  const handler = (name: string, more = {}): Record<string, unknown> => ({
    name,
    event: 'owner_of_record_made:up',
    active: true,
    actions: [{ action: 'start_workflow', start_workflow: { name: 'owner_of_record_bob_event' } }],
    ...more,
  });

  it('acts with the rights of who changed it last', async () => {
    await bob.post('/api/metadata/workflow', {
      name: 'owner_of_record_bob_event',
      tasks: [inline],
    });
    expect(await admin.status('POST', '/api/event', handler('owner_of_record_taken_over'))).toBe(
      200,
    );
    await server.grant(bob, 'EVENT_HANDLER', 'owner_of_record_taken_over', [
      'UPDATE',
      'READ',
      'EXECUTE',
    ]);
    expect(await bob.status('PUT', '/api/event', handler('owner_of_record_taken_over'))).toBe(200);
    const shown = await bob.get('/api/event/handler/owner_of_record_taken_over');
    expect(shown.body.actsAs).toBe('owner_of_record_bob@x.org');
    const message = { event: 'owner_of_record_made:up', a: 1 };
    expect(await admin.status('POST', '/api/event/handleIncomingEvent', message)).toBe(200);
    expect(await starterOf('owner_of_record_bob_event')).toBe('owner_of_record_bob@x.org');
  });

  it("listens to a workflow's events with READ on the workflow only", async () => {
    const event = 'conductor:owner_of_record_ann_flow:evt';
    const refused = await bob.post('/api/event', handler('owner_of_record_listener', { event }));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('READ access on WORKFLOW_DEF owner_of_record_ann_flow');
    const tried = { handler: handler('owner_of_record_listener', { event }), message: {} };
    expect(await bob.status('POST', '/api/event/handler/test', tried)).toBe(403);
    expect(await bob.status('POST', '/api/event', handler('owner_of_record_listener'))).toBe(200);
    expect(
      await bob.status('PUT', '/api/event', handler('owner_of_record_listener', { event })),
    ).toBe(403);
    await server.grant(bob, 'WORKFLOW_DEF', 'owner_of_record_ann_flow', ['READ']);
    expect(
      await bob.status('PUT', '/api/event', handler('owner_of_record_listener', { event })),
    ).toBe(200);
  });

  it('receives nothing once its owner of record lost the right, and its record says so', async () => {
    const grant = {
      subject: { type: 'USER', id: 'owner_of_record_bob@x.org' },
      target: { type: 'WORKFLOW_DEF', id: 'owner_of_record_ann_flow' },
      access: ['READ'],
    };
    expect(await admin.status('DELETE', '/api/auth/authorization', grant)).toBe(200);
    const task = {
      name: 'evt',
      taskReferenceName: 'evt',
      type: 'EVENT',
      sink: 'conductor:evt',
      inputParameters: { amount: 'a secret amount' },
    };
    const flow = { name: 'owner_of_record_ann_flow', tasks: [task], version: 1 };
    expect(await ann.status('PUT', '/api/metadata/workflow', [flow])).toBe(200);
    expect(
      await ann.status('POST', '/api/workflow', { name: 'owner_of_record_ann_flow', input: {} }),
    ).toBe(200);
    const record = await until('the record of the handler', async () => {
      const { text, body } = await bob.get('/api/event/execution/owner_of_record_listener');
      expect(text).not.toContain('a secret amount');
      return (body as Record<string, unknown>[])[0];
    });
    expect(record).toMatchObject({
      status: 'FAILED',
      statusDescription: expect.stringContaining(
        'READ access on WORKFLOW_DEF owner_of_record_ann_flow',
      ),
    });
    const letters = await bob.get('/api/event/handler/owner_of_record_listener/dead-letters');
    expect(letters.text).not.toContain('a secret amount');
  });
});

describe('an outgoing webhook', () => {
  const base = '/api/metadata/outgoing-webhook';
  const told = (more = {}): Record<string, unknown> => ({
    name: 'owner_of_record_told',
    url: receiver.url,
    events: ['WORKFLOW_COMPLETED'],
    headers: { authorization: 'the token of the administrator' },
    ...more,
  });

  it('hears of what who changed it last may read', async () => {
    const { id } = (await admin.post(base, told())).body;
    await server.grant(bob, 'WEBHOOK', id, ['UPDATE', 'READ']);
    const masked = { headers: { authorization: '***' } };
    const changed = await bob.put(`${base}/${id}`, told(masked));
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.actsAs).toBe('owner_of_record_bob@x.org');
    await bob.post('/api/metadata/workflow', { name: 'owner_of_record_bob_told', tasks: [inline] });
    await admin.post('/api/workflow', { name: 'owner_of_record_payment', input: {} });
    await starterOf('owner_of_record_payment');
    const { text } = await bob.post('/api/workflow', {
      name: 'owner_of_record_bob_told',
      input: {},
    });
    await until(
      'it was told',
      async () => receiver.received.some(({ body }) => String(body).includes(text)) || undefined,
    );
    expect(
      receiver.received.some(({ body }) => String(body).includes('"owner_of_record_payment"')),
    ).toBe(false);
  });

  it('does not take its kept headers to another place', async () => {
    const { id } = (await admin.post(base, told({ name: 'owner_of_record_kept' }))).body;
    await server.grant(bob, 'WEBHOOK', id, ['UPDATE', 'READ']);
    const moved = { url: elsewhere.url, headers: { authorization: '***' } };
    const refused = await bob.put(`${base}/${id}`, told(moved));
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('headers.authorization');
    const secretValue = 'a key of signatures';
    const anew = { url: elsewhere.url, headers: { authorization: 'another' }, secretValue };
    expect(await bob.status('PUT', `${base}/${id}`, told(anew))).toBe(200);
  });
});
