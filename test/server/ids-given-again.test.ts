// An id is given again after its person was deleted: what the former one has left has no rights any
// more, and the new one is not taken for him (docs/access.md, Ids that are given again). Both have
// the same roles and grants here, so nothing but the id's second life tells them apart.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const gate = { name: 'gate', taskReferenceName: 'gate', type: 'WAIT' };
const end = { name: 'end', taskReferenceName: 'end', type: 'NOOP' };

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let names = 0;

beforeAll(() => {
  ({ admin } = server);
});

interface Case {
  readonly former: Session;
  /** The same id, roles and grants. */
  readonly replaced: () => Promise<Session>;
  /** Definition of the administrator that both may execute. */
  readonly goal: string;
  /** A name that nothing has yet. */
  readonly name: string;
}

async function begin(): Promise<Case> {
  const name = `ids_given_again_${String(++names)}`;
  const id = `${name}@x.org`;
  const goal = `${name}_goal`;
  await ok(admin, 'POST', '/api/metadata/workflow', { name: goal, tasks: [end] });
  const made = async (): Promise<Session> => {
    const user = await server.user(id, ['USER']);
    await server.grant(user, 'WORKFLOW_DEF', goal, ['READ', 'EXECUTE']);
    return user;
  };
  const replaced = async (): Promise<Session> => {
    await ok(admin, 'DELETE', `/api/users/${id}`);
    return await made();
  };
  return { former: await made(), replaced, goal, name };
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function ok(by: Session, method: Method, path: string, body?: unknown): Promise<any> {
  const answer = await by.request(method, path, body);
  expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)]);
  return answer.body;
}

/** An execution of a definition of the starter's own; its first task waits. */
async function startInline(by: Session, name: string, tasks: readonly object[]): Promise<string> {
  const workflowDef = { name, version: 1, tasks: [gate, ...tasks] };
  return (await ok(by, 'POST', '/api/workflow', { name, version: 1, workflowDef })) as string;
}

/** The execution as it stands when its waiting task was completed and it has ended. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function passGate(id: string): Promise<any> {
  await ok(admin, 'POST', `/api/tasks/${id}/gate/COMPLETED`, {});
  return await until(`the end of ${id}`, async () => {
    const { body } = await admin.get(`/api/workflow/${id}`);
    return body.status === 'RUNNING' ? undefined : body;
  });
}

const acts: readonly (readonly [string, (of: Case) => object])[] = [
  [
    'a sub-workflow',
    ({ goal }) => ({ type: 'SUB_WORKFLOW', subWorkflowParam: { name: goal, version: 1 } }),
  ],
  [
    'a start of another workflow',
    ({ goal }) => ({
      type: 'START_WORKFLOW',
      inputParameters: { startWorkflow: { name: goal, version: 1 } },
    }),
  ],
  [
    'a secret',
    ({ name }) => ({
      type: 'HTTP',
      inputParameters: {
        http_request: { uri: 'http://localhost:1', body: '${workflow.secrets.' + name + '}' },
      },
    }),
  ],
];

describe('who is made under the id of a deleted person', () => {
  it.each(acts)('lends no right to %s in what that one started', async (_what, taskOf) => {
    const of = await begin();
    const secret = async (by: Session): Promise<unknown> =>
      await ok(by, 'PUT', `/api/secrets/${of.name}`, '"value"');
    const task = { name: 'act', taskReferenceName: 'act', ...taskOf(of) };
    const id = await startInline(of.former, of.name, [task]);
    const next = await of.replaced();
    await secret(next);
    const ended = await passGate(id);
    expect(ended.status).toBe('FAILED');
    expect(ended.reasonForIncompletion).toMatch(/ids_given_again_\d+@x\.org/);
    const own = await startInline(next, of.name, [task]);
    const reason = String((await passGate(own)).reasonForIncompletion);
    expect(reason).not.toMatch(/access|does not exist/);
  });

  it('neither sees nor controls what that one started, and has own executions as anybody', async () => {
    const of = await begin();
    const former = await startInline(of.former, of.name, []);
    const next = await of.replaced();
    const own = await startInline(next, of.name, []);
    expect(await next.status('GET', `/api/workflow/${former}`)).toBe(403);
    expect(await next.status('PUT', `/api/workflow/${former}/pause`)).toBe(403);
    expect(await next.status('DELETE', `/api/workflow/${former}`)).toBe(403);
    expect(await next.status('POST', `/api/tasks/${former}/gate/COMPLETED`, {})).toBe(403);
    const query = encodeURIComponent(`workflowType = ${of.name}`);
    const found = async (by: Session): Promise<string[]> => {
      const { results } = (await by.get(`/api/workflow/search?query=${query}`)).body as {
        results: { workflowId: string }[];
      };
      return results.map(({ workflowId }) => workflowId).sort();
    };
    await until('the index', async () => ((await found(admin)).length === 2 ? true : undefined));
    expect(await found(next)).toEqual([own]);
    expect(await next.status('PUT', `/api/workflow/${own}/pause`)).toBe(200);
  });

  it('is shown by the id alone, and found by it', async () => {
    const of = await begin();
    const former = await startInline(of.former, of.name, []);
    const next = await of.replaced();
    const own = await startInline(next, of.name, []);
    const id = next.subject;
    for (const each of [former, own]) {
      expect((await admin.get(`/api/workflow/${each}`)).body.createdBy).toBe(id);
    }
    const query = encodeURIComponent(`createdBy = ${id}`);
    await until('both', async () => {
      const { body } = await admin.get(`/api/workflow/search?query=${query}`);
      const shown = (body.results as { createdBy: string }[]).map(({ createdBy }) => createdBy);
      return shown.length === 2 && shown.every((each) => each === id) ? true : undefined;
    });
    const name = `${of.name}_own`;
    await ok(next, 'POST', '/api/metadata/workflow', { name, tasks: [end] });
    await ok(next, 'POST', '/api/metadata/taskdefs', [{ name, ownerEmail: id }]);
    await ok(next, 'POST', '/api/schema', { name, version: 1, type: 'JSON', data: {} });
    const shown = await Promise.all(
      [`metadata/workflow/${name}`, `metadata/taskdefs/${name}`, `schema/${name}`].map(
        async (path) => (await next.get(`/api/${path}`)).body.createdBy as string,
      ),
    );
    expect(shown).toEqual([id, id, id]);
    for (const list of [
      'metadata/workflow',
      'metadata/workflow/latest-versions',
      'metadata/taskdefs',
      'schema',
    ]) {
      const { text } = await next.get(`/api/${list}`);
      expect(text, list).toContain(name);
      expect(text, list).not.toContain('\\u0000');
    }
    expect((await next.get('/api/token/userInfo')).body.id).toBe(id);
    const refused = await next.get(`/api/workflow/${former}`);
    expect(refused.body.message).toMatch(new RegExp(`^${id} has no READ access`));
    const audited = (await admin.get(`/api/admin/audit?caller=${id}`)).text;
    expect(audited).toContain('registerWorkflow');
    expect(audited).not.toContain('\\u0000');
  });

  it('lends no right to a definition that that one saved', async () => {
    const of = await begin();
    const child = {
      ...{ name: 'child', taskReferenceName: 'child', type: 'SUB_WORKFLOW' },
      subWorkflowParam: { name: of.goal, version: 1 },
    };
    const saved = { name: of.name, tasks: [gate, child] };
    await ok(of.former, 'POST', '/api/metadata/workflow', saved);
    const other = await server.user(`${of.name}_other@x.org`, ['USER']);
    await server.grant(other, 'WORKFLOW_DEF', of.name, ['READ', 'EXECUTE']);
    const start = async (): Promise<string> =>
      (await ok(other, 'POST', '/api/workflow', { name: of.name, version: 1 })) as string;
    expect((await passGate(await start())).status).toBe('COMPLETED');
    const next = await of.replaced();
    expect((await passGate(await start())).status).toBe('FAILED');
    await server.grant(next, 'WORKFLOW_DEF', of.name, ['READ', 'EXECUTE', 'UPDATE']);
    await ok(next, 'PUT', '/api/metadata/workflow', [{ ...saved, version: 1 }]);
    expect((await passGate(await start())).status).toBe('COMPLETED');
  });

  it('gets nothing by a token of that one, and another life each time', async () => {
    const of = await begin();
    const second = await of.replaced();
    expect(await of.former.status('GET', '/api/token/userInfo')).toBe(401);
    const started = await startInline(second, of.name, []);
    const third = await of.replaced();
    expect(await second.status('GET', '/api/token/userInfo')).toBe(401);
    expect(await third.status('GET', `/api/workflow/${started}`)).toBe(403);
    const path = `/api/users/${third.subject}`;
    await ok(admin, 'PUT', path, { name: 'renamed', roles: ['USER'] });
    const own = await startInline(third, of.name, []);
    await ok(admin, 'PUT', path, { name: 'renamed again', roles: ['USER'] });
    expect(await third.status('GET', `/api/workflow/${own}`)).toBe(200);
    expect(await third.status('GET', `/api/workflow/${started}`)).toBe(403);
  });

  it('holds no claim of that one, which binds nobody any more', async () => {
    const of = await begin();
    const user = of.former.subject;
    const assigned = await humanTask(of, user);
    const anybodys = await humanTask(of, undefined);
    for (const { claim } of [assigned, anybodys]) await ok(of.former, 'POST', claim);
    await ok(of.former, 'POST', `${anybodys.path}/update`, { draft: 'of the former' });
    const next = await of.replaced();
    for (const { path } of [assigned, anybodys]) {
      expect(await next.status('POST', `${path}/update?complete=true`, {})).toBe(403);
      expect(await next.status('POST', `${path}/release`)).toBe(403);
    }
    expect(await next.status('GET', anybodys.path)).toBe(403);
    const found = async (): Promise<string[]> =>
      ((await ok(next, 'POST', '/api/human/tasks/search', {})).results as { taskId: string }[])
        .map(({ taskId }) => taskId)
        .filter((id) => [assigned.id, anybodys.id].includes(id));
    await until('the index', async () => ((await found()).length > 0 ? true : undefined));
    expect(await found()).toEqual([assigned.id]);
    const other = await server.user(`${of.name}_other@x.org`, ['USER']);
    expect(await other.status('POST', assigned.claim)).toBe(403);
    const claimed = await ok(next, 'POST', assigned.claim);
    expect(claimed.claimant).toEqual({ userType: 'CONDUCTOR_USER', user });
    expect(JSON.stringify(claimed)).not.toMatch(/claimedBy|\\u0000/);
    expect(await other.status('POST', assigned.claim)).toBe(403);
    await ok(other, 'POST', anybodys.claim);
    expect(await next.status('POST', anybodys.claim)).toBe(400);
    await ok(next, 'POST', `${assigned.path}/update?complete=true`, {});
    await ok(other, 'POST', `${anybodys.path}/update?complete=true`, {});
  });

  it('is named by the id alone in what a trigger of a human task starts', async () => {
    const of = await begin();
    const next = await of.replaced();
    const startWorkflowRequest = { name: of.goal, version: 1 };
    const taskTriggers = [{ triggerType: 'IN_PROGRESS', startWorkflowRequest }];
    const { claim, workflow } = await humanTask(of, undefined, { taskTriggers }, next);
    await ok(next, 'POST', claim);
    const { tasks } = await ok(admin, 'GET', `/api/workflow/${workflow}`);
    const [{ workflowId }] = tasks[0].inputData.__humanTaskProcessContext.humanTaskTriggerLog;
    const started = await until('what was started', async () => {
      const { status, body } = await admin.get(`/api/workflow/${String(workflowId)}`);
      return status === 200 ? body : undefined;
    });
    expect(started.input.humanTask.createdBy).toBe(next.subject);
    expect(JSON.stringify(started.input)).not.toContain('claimedBy');
  });

  it('gets the tasks that definitions assign by name, claimed ones too', async () => {
    const of = await begin();
    const { path } = await humanTask(of, of.former.subject, { autoClaim: true });
    const next = await of.replaced();
    await ok(next, 'POST', `${path}/update?complete=true`, {});
  });
});

interface HumanTask {
  readonly id: string;
  readonly workflow: string;
  readonly path: string;
  readonly claim: string;
}

/** Assigned to a user, or to nobody. */
async function humanTask(
  { name }: Case,
  user: string | undefined,
  more: object = {},
  by = admin,
): Promise<HumanTask> {
  const assignee = { userType: 'CONDUCTOR_USER', user };
  const definition = {
    ...(user === undefined ? {} : { assignments: [{ assignee, slaMinutes: 0 }] }),
    ...more,
  };
  const task = {
    ...{ name: 'ask', taskReferenceName: 'ask', type: 'HUMAN' },
    inputParameters: { __humanTaskDefinition: definition },
  };
  const workflowDef = { name: `${name}_asks`, version: 1, tasks: [task] };
  const start = { name: workflowDef.name, version: 1, workflowDef };
  const workflow = (await ok(by, 'POST', '/api/workflow', start)) as string;
  const { tasks } = await ok(admin, 'GET', `/api/workflow/${workflow}`);
  const id = tasks[0].taskId as string;
  const path = `/api/human/tasks/${id}`;
  return { id, workflow, path, claim: `${path}/claim` };
}
