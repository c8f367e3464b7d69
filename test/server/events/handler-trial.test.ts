// The trial of an event handler: it says what a real message then does, with the same refusals, and
// leaves nothing behind.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Session } from '../../../testkit/secured-server.js';
import { sharedSecuredServer } from '../../support/shared-server.js';
import { until } from '../../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let maker: Session;
let names = 0;

beforeAll(async () => {
  admin = server.admin;
  const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT' };
  await admin.post('/api/metadata/workflow', { name: 'events_handler_trial_tried', tasks: [wait] });
  maker = await server.application('events_handler_trial_maker', ['METADATA_MANAGER']);
});

const start = (fields: object = {}): object => ({
  action: 'start_workflow',
  start_workflow: { name: 'events_handler_trial_tried', version: 1, ...fields },
});

const handlerOf = (
  over: object = {},
): { name: string; event: string } & Record<string, unknown> => {
  const name = `events_handler_trial_${++names}`;
  return { name, event: `trial:${name}`, active: true, actions: [start()], ...over };
};

const tryOut = (by: Session, handler: unknown, message: unknown): Promise<Answer> =>
  by.post('/api/event/handler/test', { handler, message });

/** Stores the handler, sends it the message, and resolves with the records of what it did. */
async function records(
  handler: { name: string; event: string },
  message: object,
): Promise<Answer['body']> {
  expect(await admin.status('POST', '/api/event', handler)).toBe(200);
  const sent = { event: handler.event, ...message };
  expect(await admin.status('POST', '/api/event/handleIncomingEvent', sent)).toBe(200);
  const kept = async (): Promise<unknown[] | undefined> => {
    const { body } = await admin.get(`/api/event/execution/${handler.name}`);
    return body.length > 0 ? body : undefined;
  };
  return await until('a record', kept);
}

describe('the trial of an event handler', () => {
  it('shows what the condition answers and what each action would be carried out with', async () => {
    const handler = handlerOf({
      condition: '$.order.total > 10',
      actions: [
        start({ correlationId: 'c-${order.id}', input: { all: '${order}', none: '${nothing}' } }),
        {
          action: 'complete_task',
          complete_task: { workflowId: '${w}', taskRefName: 't', output: { id: '${order.id}' } },
        },
        { action: 'fail_task', fail_task: { taskId: '${w}', reasonForIncompletion: 'no ${w}' } },
        {
          action: 'terminate_workflow',
          terminate_workflow: { workflowId: '${w}', terminationReason: '${text.why}' },
          expandInlineJSON: true,
        },
        {
          action: 'update_workflow_variables',
          update_workflow_variables: { workflowId: '${w}', variables: { v: '${order.id}' } },
        },
      ],
    });
    const message = { w: 'x', order: { id: 7, total: 11 }, text: '{"why": "late"}' };
    const { status, body } = await tryOut(admin, handler, message);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      conditionHolds: true,
      conditionValue: true,
      actions: [
        {
          action: 'start_workflow',
          payload: { correlationId: 'c-7', input: { all: message.order, none: null } },
        },
        { action: 'complete_task', payload: { workflowId: 'x', output: { id: 7 } } },
        { action: 'fail_task', payload: { taskId: 'x', reasonForIncompletion: 'no x' } },
        { action: 'terminate_workflow', payload: { terminationReason: 'late' } },
        { action: 'update_workflow_variables', payload: { variables: { v: 7 } } },
      ],
    });
    expect(body.actions.filter((action: object) => 'error' in action)).toEqual([]);
  });

  it('carries nothing out, records nothing and stores nothing', async () => {
    const handler = handlerOf({ condition: 'true', actions: [start({ correlationId: 'trial' })] });
    expect((await tryOut(admin, handler, {})).body.conditionHolds).toBe(true);
    expect((await admin.get(`/api/event/handler/${handler.name}`)).text).toBe('');
    expect((await admin.get(`/api/event/execution/${handler.name}`)).body).toEqual([]);
    expect(
      (await admin.get('/api/workflow/events_handler_trial_tried/correlated/trial')).body,
    ).toEqual([]);
  });

  it.each<[string, string, object]>([
    ['does not hold', '$.total > 10', { conditionHolds: false, conditionValue: false }],
    ['answers what counts as false', '$.nothing', { conditionHolds: false }],
  ])('says when the condition %s', async (_case, condition, said) => {
    const { body } = await tryOut(admin, handlerOf({ condition }), { total: 1 });
    expect(body).toMatchObject({ ...said, actions: [{ action: 'start_workflow' }] });
  });

  it.each([
    ['holds', true, true],
    ['does not hold', 'text', false],
  ])('whose condition is the name of a field %s', async (_case, ready, conditionHolds) => {
    const handler = handlerOf({ condition: 'ready-to.go', evaluatorType: 'value-param' });
    const { body } = await tryOut(admin, handler, { 'ready-to.go': ready });
    expect(body).toMatchObject({ conditionHolds });
    expect((await tryOut(admin, handler, {})).body).toMatchObject({ conditionHolds: false });
  });

  it('fails as a real message does when the condition fails', async () => {
    const handler = handlerOf({ condition: '$.order.total.cents > 1' });
    const { body } = await tryOut(admin, handler, {});
    expect(body.conditionHolds).toBe(false);
    const [record] = await records(handler, {});
    expect(record.status).toBe('FAILED');
    expect(body.conditionError).toBe(record.statusDescription);
  });

  it.each<[string, object, object]>([
    ['an unknown workflow', { name: '${which}', version: 3 }, { which: 'unknown' }],
    ['a start without a name', { name: '${which}' }, {}],
  ])('refuses %s as a real message does', async (_case, fields, message) => {
    const handler = handlerOf({ actions: [start(fields)] });
    const { body } = await tryOut(admin, handler, message);
    const [record] = await records(handler, message);
    expect(record.status).toBe('FAILED');
    expect(body.actions[0]).toMatchObject({ error: record.statusDescription });
    expect(body.actions[0].payload).toEqual(record.payload);
  });

  it('takes a text as the payload: JSON where it is JSON, else the text itself', async () => {
    const handler = handlerOf({ condition: '$.a === 1' });
    expect((await tryOut(admin, handler, '{"a": 1}')).body.conditionHolds).toBe(true);
    const plain = handlerOf({ condition: "$ === 'plain'", actions: [] });
    expect((await tryOut(admin, plain, 'plain')).body).toMatchObject({ conditionHolds: true });
  });

  it.each<[string, object, RegExp]>([
    ['no handler', { message: {} }, /handler is required/],
    ['no message', { handler: handlerOf() }, /message is required/],
    [
      'a field it does not know',
      { handler: handlerOf(), message: {}, mesage: 1 },
      /mesage is none/,
    ],
    ['no event', { handler: handlerOf({ event: '' }), message: {} }, /Missing event location/],
    [
      'an unknown action',
      { handler: handlerOf({ actions: [{ action: 'dance' }] }), message: {} },
      /actions\[0\].action must be one of/,
    ],
    [
      'a condition that does not parse',
      { handler: handlerOf({ condition: '$.a ===' }), message: {} },
      /condition is not well formatted/,
    ],
  ])('refuses %s', async (_case, body, message) => {
    const answer = await admin.post('/api/event/handler/test', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(message);
  });

  it('is for those who may save the handler', async () => {
    const other = await server.application('events_handler_trial_other');
    expect((await tryOut(other, handlerOf(), {})).status).toBe(403);
    // Of a workflow that the caller may not start.
    expect((await tryOut(maker, handlerOf(), {})).status).toBe(403);
    expect((await tryOut(maker, handlerOf({ actions: [] }), {})).status).toBe(200);
    const theirs = handlerOf({ actions: [] });
    expect(await admin.status('POST', '/api/event', theirs)).toBe(200);
    expect((await tryOut(maker, theirs, {})).status).toBe(403);
  });
});
