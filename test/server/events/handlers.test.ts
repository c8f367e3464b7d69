// Event handlers over the API (contract-core 18.1, 18.2, contract-admin 17): forms, refusals, tags,
// access.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../testkit/secured-server.js';
import { sharedSecuredServer } from '../../support/shared-server.js';

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let maker: Session;
let other: Session;
let names = 0;

beforeAll(async () => {
  admin = server.admin;
  const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT' };
  await admin.post('/api/metadata/workflow', { name: 'events_handlers_hidden', tasks: [wait] });
  maker = await server.application('events_handlers_maker', ['METADATA_MANAGER']);
  other = await server.application('events_handlers_other');
});

const fresh = (): string => `events_handlers_${++names}`;

const start = (name: string): object => ({
  action: 'start_workflow',
  start_workflow: { name, version: 1 },
});

const handler = (over: object = {}): { name: string; event: string } & Record<string, unknown> => ({
  name: fresh(),
  event: `conductor:${names}`,
  actions: [start('x')],
  ...over,
});

const ofEvent = (event: string, query = ''): string =>
  `/api/event/${encodeURIComponent(event)}${query}`;

describe('an event handler', () => {
  it('is stored as clients know it and nothing is added but its creator', async () => {
    const sent = handler({ condition: 'true', unknown: 1 });
    const created = await admin.post('/api/event', sent);
    expect([created.status, created.text]).toEqual([200, '']);
    const shown = {
      name: sent.name,
      event: sent.event,
      condition: 'true',
      actions: [
        {
          action: 'start_workflow',
          start_workflow: { name: 'x', version: 1, input: {} },
          expandInlineJSON: false,
        },
      ],
      active: false,
      createdBy: expect.stringContaining('app:') as string,
    };
    expect((await admin.get(`/api/event/handler/${sent.name}`)).body).toEqual(shown);
    expect((await admin.get(ofEvent(sent.event))).body).toEqual([]);
    expect((await admin.get(ofEvent(sent.event, '?activeOnly=false'))).body).toEqual([shown]);
    const changed = { ...sent, condition: undefined, active: true };
    expect(await admin.status('PUT', '/api/event', changed)).toBe(200);
    const { condition: _gone, ...rest } = shown;
    expect((await admin.get(ofEvent(sent.event))).body).toEqual([{ ...rest, active: true }]);
    expect((await admin.get('/api/event')).body).toContainEqual({ ...rest, active: true });
    expect(await admin.status('DELETE', `/api/event/${sent.name}`)).toBe(200);
    const again = await admin.delete(`/api/event/${sent.name}`);
    expect(again.status).toBe(404);
    expect(again.body.message).toBe(`EventHandler with name ${sent.name} not found!`);
  });

  it('shows every action as it was sent', async () => {
    const actions = [
      {
        action: 'start_workflow',
        start_workflow: {
          name: 's',
          correlationId: '${c}',
          input: { a: '${b}' },
          idempotencyKey: '${k}',
          idempotencyStrategy: 'RETURN_EXISTING',
          taskToDomain: { '*': 'd' },
        },
        expandInlineJSON: true,
      },
      {
        action: 'complete_task',
        complete_task: { workflowId: '${w}', taskRefName: 't', output: { a: 1 } },
        expandInlineJSON: false,
      },
      {
        action: 'fail_task',
        fail_task: { taskId: '${t}', output: {}, reasonForIncompletion: 'no' },
        expandInlineJSON: false,
      },
      {
        action: 'terminate_workflow',
        terminate_workflow: { workflowId: '${w}', terminationReason: 'r' },
        expandInlineJSON: false,
      },
      {
        action: 'update_workflow_variables',
        update_workflow_variables: { workflowId: '${w}', variables: { v: 1 }, appendArray: true },
        expandInlineJSON: false,
      },
    ];
    const sent = handler({ actions, evaluatorType: 'javascript', description: 'd' });
    expect(await admin.status('POST', '/api/event', sent)).toBe(200);
    expect((await admin.get(`/api/event/handler/${sent.name}`)).body).toEqual({
      ...sent,
      active: false,
      createdBy: expect.stringContaining('app:') as string,
    });
  });

  it('may come in a list, which is stored whole or not at all', async () => {
    const [one, two, three] = [handler(), handler({ actions: [] }), handler()];
    expect(await admin.status('POST', '/api/event', [one, two])).toBe(200);
    const refused = await admin.post('/api/event', [three, one]);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toBe(`EventHandler with name ${one.name} already exists!`);
    const unknown = await admin.get(`/api/event/handler/${three.name}`);
    expect([unknown.status, unknown.text, unknown.headers.get('content-length')]).toEqual([
      200,
      '',
      '0',
    ]);
    expect((await admin.get('/api/event/handler/')).body).toHaveProperty('name');
  });

  it.each<[string, object, RegExp]>([
    ['no name', { name: '' }, /Missing event handler name/],
    ['no event', { event: undefined }, /Missing event location/],
    ['an unknown action', { actions: [{ action: 'dance' }] }, /actions\[0\].action must be one of/],
    ['an action without its object', { actions: [{ action: 'fail_task' }] }, /\[0\].fail_task is/],
    [
      'a start without a name',
      { actions: [{ action: 'start_workflow', start_workflow: {} }] },
      /start_workflow.name is required/,
    ],
    [
      'a task that is not named',
      { actions: [{ action: 'complete_task', complete_task: { workflowId: 'w' } }] },
      /complete_task must name a task/,
    ],
    ['an unknown evaluator', { evaluatorType: 'python' }, /evaluatorType must be one of/],
    [
      'a condition that is no script',
      { condition: '({', evaluatorType: 'js' },
      /condition is not well formatted/,
    ],
    ['an active that is none', { active: 'perhaps' }, /active must be true or false/],
    ['actions that are no list', { actions: {} }, /actions must be a list/],
  ])('is refused with %s', async (_what, over, message) => {
    const answer = await admin.post('/api/event', handler(over));
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(message);
  });

  it('names the violated rules as clients know them', async () => {
    const { body } = await admin.post('/api/event', { name: '', event: 'x', actions: [] });
    expect(body.validationErrors).toEqual([
      {
        path: 'addEventHandler.arg0.name',
        message: 'Missing event handler name',
        invalidValue: '',
      },
    ]);
    const unknown = handler();
    const { status, body: refusal } = await admin.put('/api/event', unknown);
    expect([status, refusal.message]).toEqual([
      404,
      `EventHandler with name ${unknown.name} not found!`,
    ]);
  });

  it('has tags', async () => {
    const tag = { key: 'team', value: 'ops' };
    const sent = handler({ tags: [tag] });
    expect(await admin.status('POST', '/api/event', sent)).toBe(200);
    const tags = `/api/event/${sent.name}/tags`;
    expect(await admin.status('PUT', tags, [{ key: 'a', value: 'b' }])).toBe(200);
    expect(await admin.status('DELETE', tags, [{ key: 'a', value: 'b' }])).toBe(200);
    expect((await admin.get(tags)).body).toEqual([tag]);
    expect((await admin.get(`/api/event/handler/${sent.name}`)).body.tags).toEqual([tag]);
    expect(await admin.status('GET', '/api/event/nope/tags')).toBe(404);
  });
});

describe('access to an event handler', () => {
  it('belongs to its creator, who must have the right to start what it starts', async () => {
    const sent = handler({ actions: [] });
    expect(await maker.status('POST', '/api/event', sent)).toBe(200);
    const shown = await maker.get(`/api/event/handler/${sent.name}`);
    expect(shown.body.createdBy).toContain('app:');
    const forbidden = handler({ actions: [start('events_handlers_hidden')] });
    expect(await maker.status('POST', '/api/event', forbidden)).toBe(403);
    expect(await other.status('GET', `/api/event/handler/${sent.name}`)).toBe(403);
    expect(await other.status('PUT', '/api/event', sent)).toBe(403);
    expect(await other.status('DELETE', `/api/event/${sent.name}`)).toBe(403);
    expect((await other.get('/api/event')).body).toEqual([]);
    expect(await other.status('POST', '/api/event', handler())).toBe(403);
    expect(await maker.status('DELETE', `/api/event/${sent.name}`)).toBe(200);
  });
});
