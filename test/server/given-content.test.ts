// What a caller puts into an execution that somebody else started runs with that one's rights
// (docs/access.md, What others put into an execution). So who holds EXECUTE alone cannot make it
// hand out secrets that he may not read, act on other resources, or run a definition of his own.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const canary = 'canary-of-the-starter-771';
const secret = '${workflow.secrets.given_content_of_admin}';

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
/** Holds EXECUTE on the definition, as an operator does. */
let bob: Session;
/** Holds UPDATE on it too. */
let ann: Session;

const simple = {
  name: 'given_content_given_work',
  taskReferenceName: 'a',
  type: 'SIMPLE',
  inputParameters: { url: 'http://own.test', _secrets: { key: canary } },
};
const later = { name: 'wait', taskReferenceName: 'later', type: 'WAIT' };

beforeAll(async () => {
  ({ admin } = server);
  bob = await server.user('given_content_bob@x.org', ['USER']);
  ann = await server.user('given_content_ann@x.org', ['USER']);
  await admin.put('/api/secrets/given_content_of_admin', canary);
  const work = { name: 'given_content_given_work', retryCount: 0, ownerEmail: 'a@x.org' };
  expect(await admin.status('POST', '/api/metadata/taskdefs', [work])).toBe(200);
  await define(admin, 'given_content_given', [simple, later]);
  await define(admin, 'given_content_reaching', [
    { name: 't', taskReferenceName: 'a', type: 'TERMINATE_WORKFLOW', inputParameters: {} },
  ]);
  await define(bob, 'given_content_of_bob', [{ ...simple, inputParameters: { key: secret } }]);
  for (const name of ['given_content_given', 'given_content_reaching']) {
    await server.grant(bob, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE']);
    await server.grant(ann, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE', 'UPDATE']);
  }
  await server.grant(bob, 'TASK_DEF', 'given_content_given_work', ['READ', 'EXECUTE']);
});

async function define(by: Session, name: string, tasks: readonly object[]): Promise<void> {
  const { status, text } = await by.post('/api/metadata/workflow', { name, tasks, version: 1 });
  expect(status, text).toBe(200);
}

async function start(name: string, by: Session = admin): Promise<string> {
  return (await by.post('/api/workflow', { name, input: {} })).text;
}

async function failed(name: string, by: Session = admin): Promise<string> {
  const id = await start(name, by);
  if (name === 'given_content_given') await admin.post(`/api/tasks/${id}/a/FAILED`, {});
  await until('the failure', async () => {
    const { status } = (await admin.get(`/api/workflow/${id}`)).body;
    return status === 'FAILED' || undefined;
  });
  return id;
}

const retry = (by: Session, id: string, a: object): Promise<Answer> =>
  by.post(`/api/workflow/${id}/retry`, { taskInputs: { a } });

function expectForbidden({ status, text }: Answer, named: string): void {
  expect([status, text]).toEqual([403, expect.stringContaining(named)]);
}

describe('a new input for the execution of another', () => {
  it('names no secret that who gives it may not read', async () => {
    const id = await failed('given_content_given');
    const task = (await admin.get(`/api/workflow/${id}`)).body.tasks[0].taskId;
    const rerun = { reRunFromTaskId: task, taskInput: { key: secret } };
    const named = 'SECRET_NAME given_content_of_admin';
    expectForbidden(await retry(bob, id, { key: secret }), named);
    expectForbidden(await bob.post(`/api/workflow/${id}/rerun`, rerun), named);
    const whole = { workflowInput: { key: secret } };
    expectForbidden(await bob.post(`/api/workflow/${id}/rerun`, whole), named);
    const running = await start('given_content_given');
    const jump = `/api/workflow/${running}/jump/later`;
    expectForbidden(await bob.post(jump, { key: secret }), named);
    expectForbidden(await bob.post(`/api/workflow/${running}/variables`, { key: secret }), named);
    expectForbidden(await bob.post(jump, { key: '${workflow.env.home}' }), 'ENV_VARIABLE home');
    expect((await retry(bob, id, { url: 'http://other.test' })).status).toBe(204);
  });

  it('keeps no masked value beside what changes', async () => {
    const id = await failed('given_content_given');
    const _secrets = { key: '***' };
    expectForbidden(await retry(bob, id, { url: 'http://bob.test', _secrets }), 'taskInputs.a');
    expect((await retry(bob, id, { url: 'http://own.test', _secrets })).status).toBe(204);
    const again = await failed('given_content_given');
    expect((await retry(ann, again, { url: 'http://b.test', _secrets })).status).toBe(204);
  });

  it('is none of a task that acts on what its input names', async () => {
    const victim = await start('given_content_given');
    const id = await failed('given_content_reaching');
    const input = { workflowId: victim, terminationReason: 'by bob' };
    expectForbidden(await retry(bob, id, input), 'UPDATE');
    expect((await admin.get(`/api/workflow/${victim}`)).body.status).toBe('RUNNING');
    expect((await retry(ann, id, input)).status).toBe(204);
  });

  it('is free for who started it', async () => {
    const id = await failed('given_content_given', bob);
    const input = { url: 'http://bob.test', _secrets: { key: '***' } };
    expect((await retry(bob, id, input)).status).toBe(204);
  });
});

describe('a running execution of another', () => {
  it('takes no secret out of what a skipped task is said to have put out', async () => {
    const first = { name: 'first', taskReferenceName: 'first', type: 'WAIT' };
    const uses = {
      ...simple,
      taskReferenceName: 'uses',
      inputParameters: { key: '${a.output.x}' },
    };
    await define(admin, 'given_content_skipping', [
      first,
      { ...later, taskReferenceName: 'a' },
      uses,
    ]);
    await server.grant(bob, 'WORKFLOW_DEF', 'given_content_skipping', ['READ', 'EXECUTE']);
    const id = await start('given_content_skipping');
    const skip = { taskInput: { x: secret }, taskOutput: { x: secret } };
    expect(await bob.status('PUT', `/api/workflow/${id}/skiptask/a`, skip)).toBe(200);
    await admin.post(`/api/tasks/${id}/first/COMPLETED`, {});
    const ended = await until('the task that takes it up', async () => {
      const { body } = await admin.get(`/api/workflow/${id}`);
      return body.status === 'FAILED' ? body : undefined;
    });
    expect(JSON.stringify(ended)).toContain(
      'names the secret given_content_of_admin in what another task',
    );
    expect((await bob.get(`/api/workflow/${id}`)).text).not.toContain(canary);
  });

  it('is not moved to a definition of who may execute it only', async () => {
    const id = await start('given_content_given');
    const move = { name: 'given_content_of_bob', version: 1, taskOutput: {}, workflowInput: {} };
    const moved = await bob.post(`/api/workflow/${id}/upgrade`, move);
    expectForbidden(moved, 'UPDATE');
    const same = { ...move, name: 'given_content_given' };
    expect((await bob.post(`/api/workflow/${id}/upgrade`, same)).status).toBe(200);
    const own = await start('given_content_given', bob);
    expect((await bob.post(`/api/workflow/${own}/upgrade`, move)).status).toBe(200);
  });
});
