// Schedules, webhooks and handlers act with the rights that their owner of record has at that
// moment (docs/access.md, "Owner of record"); an upgraded execution has those of who saved its new
// version. Here the right ends after they were stored, in each of the ways in which it can.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const gate = { name: 'gate', taskReferenceName: 'gate', type: 'WAIT' };
const end = { name: 'end', taskReferenceName: 'end', type: 'NOOP' };

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let names = 0;

beforeAll(async () => {
  ({ admin } = server);
});

interface Case {
  readonly owner: Session;
  /** Definition of the administrator that the owner may execute, until the right ends. */
  readonly goal: string;
  /** A name that nothing has yet. */
  readonly name: string;
}

async function begin(): Promise<Case> {
  const name = `withdrawn_owners_${String(++names)}`;
  const owner = await server.user(`${name}@x.org`, ['USER']);
  const goal = `${name}_goal`;
  await ok(admin, 'POST', '/api/metadata/workflow', { name: goal, tasks: [end] });
  await server.grant(owner, 'WORKFLOW_DEF', goal, ['READ', 'EXECUTE']);
  return { owner, goal, name };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function ok(by: Session, method: 'POST' | 'PUT', path: string, body: unknown): Promise<any> {
  const answer = await by.request(method, path, body);
  expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)]);
  return answer.body;
}

async function runs(name: string): Promise<number> {
  const query = encodeURIComponent(`workflowType = ${name}`);
  return (await admin.get(`/api/workflow/search?query=${query}`)).body.totalHits as number;
}

const hasRun = (name: string, count: number): Promise<true> =>
  until(`${count} executions of ${name}`, async () =>
    (await runs(name)) >= count ? true : undefined,
  );

/** Why nothing is done. */
const refusal = /has no EXECUTE access on WORKFLOW|The owner of the \w+ is gone: withdrawn_owners_/;

const losses: readonly (readonly [string, (of: Case) => Promise<unknown>])[] = [
  [
    'whose grant is withdrawn',
    ({ owner, goal }) =>
      admin.request('DELETE', '/api/auth/authorization', {
        subject: { type: 'USER', id: owner.subject },
        target: { type: 'WORKFLOW_DEF', id: goal },
        access: ['READ', 'EXECUTE'],
      }),
  ],
  ['who is deleted', ({ owner }) => admin.delete(`/api/users/${owner.subject}`)],
  [
    'who is deleted and made again',
    async ({ owner, goal }) => {
      await admin.delete(`/api/users/${owner.subject}`);
      const next = await server.user(owner.subject, ['USER']);
      await server.grant(next, 'WORKFLOW_DEF', goal, ['READ', 'EXECUTE']);
    },
  ],
];

describe.each(losses)('an owner of record %s', (_how, lose) => {
  it('has a schedule that starts nothing more and says why', async () => {
    const of = await begin();
    const schedule = {
      ...{ name: of.name, cronExpression: '* * * * * *', zoneId: 'UTC' },
      startWorkflowRequest: { name: of.goal, version: 1 },
    };
    await ok(of.owner, 'POST', '/api/scheduler/schedules', schedule);
    await hasRun(of.goal, 1);
    await lose(of);
    const query = encodeURIComponent(`scheduleName=${of.name}`);
    const refused = await until('a refused run', async () => {
      const path = `/api/scheduler/search/executions?query=${query}&size=100`;
      const { results } = (await admin.get(path)).body as { results: { state: string }[] };
      return results.find(({ state }) => state === 'FAILED');
    });
    expect(JSON.stringify(refused)).toMatch(refusal);
    const before = await runs(of.goal);
    await until('three refused runs', async () => {
      const path = `/api/scheduler/search/executions?query=${query}&size=100`;
      const { results } = (await admin.get(path)).body as { results: { state: string }[] };
      return results.filter(({ state }) => state === 'FAILED').length >= 3 ? true : undefined;
    });
    expect(await runs(of.goal)).toBe(before);
    await admin.delete(`/api/scheduler/schedules/${of.name}`);
  });

  it('has a webhook that starts nothing more and says why', async () => {
    const of = await begin();
    await ok(of.owner, 'POST', '/api/metadata/webhook', {
      ...{ id: of.name, name: of.name, sourcePlatform: 'Custom' },
      ...{ verifier: 'HEADER_BASED', headers: { 'x-key': 'k' } },
      workflowsToStart: { [of.goal]: 1 },
    });
    const call = (mark: string): Promise<unknown> =>
      server.nobody.request('POST', `/webhook/${of.name}`, { mark }, { 'x-key': 'k' });
    await call('first');
    await hasRun(of.goal, 1);
    await lose(of);
    await call('second');
    const entry = await until('the call in the history', async () => {
      const { body } = await admin.get(`/api/metadata/webhook/${of.name}`);
      const history = body.webhookExecutionHistory as Record<string, unknown>[];
      return history.find(({ payload }) => String(payload).includes('second'));
    });
    expect(entry).toMatchObject({ workflowIds: [] });
    expect(JSON.stringify(entry)).toMatch(refusal);
    expect(await runs(of.goal)).toBe(1);
  });

  it.each([
    ['starts', (goal: string) => ({ action: 'start_workflow', start_workflow: { name: goal } })],
    [
      'completes a task of',
      (_goal: string, workflowId: string) => ({
        action: 'complete_task',
        complete_task: { workflowId, taskRefName: 'gate', output: {} },
      }),
    ],
    [
      'terminates',
      (_goal: string, workflowId: string) => ({
        action: 'terminate_workflow',
        terminate_workflow: { workflowId, terminationReason: 'for the test' },
      }),
    ],
  ])('has a handler that no longer %s anything', async (_what, actionOn) => {
    const of = await begin();
    const open = `${of.name}_goal`;
    const waiting = { name: open, version: 1, tasks: [gate] };
    await ok(admin, 'PUT', '/api/metadata/workflow', [waiting]);
    const start = async (): Promise<string> =>
      (await admin.post('/api/workflow', { name: open, version: 1 })).text;
    const [first, second] = [await start(), await start()];
    const action = (id: string): object => actionOn(of.goal, id);
    const handler = (active: boolean, id: string): object => ({
      ...{ name: of.name, event: `made:${of.name}`, active },
      actions: [action(id)],
    });
    await ok(of.owner, 'POST', '/api/event', handler(true, '${id}'));
    const message = (id: string): object => ({ event: `made:${of.name}`, id });
    await ok(admin, 'POST', '/api/event/handleIncomingEvent', message(first));
    const done = async (): Promise<unknown> =>
      (await runs(open)) > 2 ||
      (await admin.get(`/api/workflow/${first}`)).body.status !== 'RUNNING' ||
      undefined;
    await until('what the handler does', done);
    const before = await runs(open);
    await lose(of);
    await ok(admin, 'POST', '/api/event/handleIncomingEvent', message(second));
    const told = await until('the refusal in its records', async () => {
      const { text } = await admin.get(`/api/event/execution/${of.name}`);
      return refusal.test(text) ? text : undefined;
    });
    expect(told).toContain('FAILED');
    expect(await runs(open)).toBe(before);
    expect((await admin.get(`/api/workflow/${second}`)).body.status).toBe('RUNNING');
  });

  it('saved the version to which an execution was upgraded, which starts nothing more', async () => {
    const of = await begin();
    const child = {
      ...{ name: 'child', taskReferenceName: 'child', type: 'SUB_WORKFLOW' },
      subWorkflowParam: { name: of.goal, version: 1 },
    };
    await ok(of.owner, 'POST', '/api/metadata/workflow', { name: of.name, tasks: [gate, end] });
    const start = async (): Promise<string> =>
      (await of.owner.post('/api/workflow', { name: of.name, version: 1 })).text;
    const [allowed, refused] = [await start(), await start()];
    const next = { name: of.name, version: 2, tasks: [gate, child] };
    await ok(of.owner, 'PUT', '/api/metadata/workflow', [next]);
    const upgrade = { name: of.name, version: 2 };
    const pass = async (id: string): Promise<string> => {
      expect(await admin.status('POST', `/api/tasks/${id}/gate/COMPLETED`, {})).toBe(200);
      return await until(`the end of ${id}`, async () => {
        const { body } = await admin.get(`/api/workflow/${id}`);
        return body.status === 'RUNNING' ? undefined : (body.status as string);
      });
    };
    await ok(admin, 'POST', `/api/workflow/${allowed}/upgrade`, upgrade);
    expect(await pass(allowed)).toBe('COMPLETED');
    await ok(admin, 'POST', `/api/workflow/${refused}/upgrade`, upgrade);
    await lose(of);
    expect(await pass(refused)).toBe('FAILED');
    const { text } = await admin.get(`/api/workflow/${refused}`);
    expect(text).toMatch(/has no EXECUTE access on WORKFLOW_DEF withdrawn_owners_\d+_goal/);
    expect(await runs(of.goal)).toBe(1);
  });
});
