// A poll, or a synchronous call, that waits when its caller's rights end gets nothing more: it is
// refused at once, and a task goes to somebody else (docs/access.md, "Callers").
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Answer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let secured: SecuredServer;
beforeAll(async () => void (secured = await SecuredServer.start()));
afterAll(() => secured?.stop());

/** A definition with one task of its own type. */
async function defined(name: string): Promise<void> {
  const def = { name, tasks: [{ name, taskReferenceName: 'one', type: 'SIMPLE' }] };
  expect(await secured.admin.status('POST', '/api/metadata/workflow', def)).toBe(200);
}

/** A long poll of the session that waits at the server. */
async function parked(session: Session, type: string): Promise<{ poll: Promise<Answer> }> {
  const before = await parkedPolls();
  const poll = session.get(`/api/tasks/poll/batch/${type}?timeout=5000&workerid=w`);
  await until('the poll to wait', async () => (await parkedPolls()) > before);
  return { poll };
}

async function parkedPolls(): Promise<number> {
  const text = (await secured.nobody.get('/metrics')).text;
  return Number(/^downbeat_parked_polls (\d+)/m.exec(text)?.[1]);
}

/** What each way to end a right does, and what the waiting poll is answered. */
const ways: Record<
  string,
  { status: number; end(session: Session & { key?: { keyId: string } }, type: string): unknown }
> = {
  'a deleted key': {
    status: 401,
    end: (session) => secured.admin.delete(`${keysOf(session)}/${session.key?.keyId}`),
  },
  'an inactive key': {
    status: 401,
    end: (session) => secured.admin.post(`${keysOf(session)}/${session.key?.keyId}/status`),
  },
  'a deleted application': {
    status: 401,
    end: (session) => secured.admin.delete(`/api/applications/${session.subject.slice(4)}`),
  },
  'an ended session': { status: 401, end: (session) => session.delete('/api/sign-in') },
  'a right that is taken away': {
    status: 403,
    end: (session, type) => secured.admin.delete('/api/auth/authorization', grantOn(session, type)),
  },
};

function keysOf(session: Session): string {
  return `/api/applications/${session.subject.slice(4)}/accessKeys`;
}

function grantOn(session: Session, type: string): object {
  const subject = { type: 'USER', id: session.subject };
  return { subject, target: { type: 'TASK_DEF', id: type }, access: ['EXECUTE'] };
}

describe('a waiting poll', () => {
  it.each(Object.keys(ways))('gets nothing more after %s', async (name) => {
    const type = `revoked_${Object.keys(ways).indexOf(name)}`;
    const way = ways[name] as (typeof ways)[string];
    await defined(type);
    const session = await secured.application(type, ['WORKER']);
    await secured.admin.post('/api/auth/authorization', grantOn(session, type));
    const { poll } = await parked(session, type);
    await way.end(session, type);
    const { text: id } = await secured.admin.post('/api/workflow', { name: type });
    const answer = await poll;
    expect([answer.status, answer.text]).toEqual([way.status, expect.not.stringContaining(id)]);
    const other = await secured.admin.get(`/api/tasks/poll/batch/${type}?timeout=5000`);
    expect(other.body).toMatchObject([{ workflowInstanceId: id }]);
  });

  it.each(['a deleted key', 'an ended session'])('of an execution ends after %s', async (name) => {
    const type = `awaited_${name.length}`;
    await defined(type);
    const session = await secured.application(type, ['USER']);
    const target = { type: 'WORKFLOW_DEF', id: type };
    const subject = { type: 'USER', id: session.subject };
    const grant = { subject, target, access: ['EXECUTE', 'READ'] };
    await secured.admin.post('/api/auth/authorization', grant);
    const asked = session.post(`/api/workflow/execute/${type}/1?waitForSeconds=20`, { name: type });
    const id = await until('the execution', async () => {
      const { body } = await secured.admin.get(`/api/workflow/search?query=workflowType=${type}`);
      return body.results?.[0]?.workflowId as string | undefined;
    });
    const way = ways[name] as (typeof ways)[string];
    await way.end(session, type);
    const answer = await asked;
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain(id);
  });

  it('goes on when something else changes', async () => {
    await defined('revoked_not');
    const session = await secured.application('revoked_not', ['WORKER']);
    await secured.admin.post('/api/auth/authorization', grantOn(session, 'revoked_not'));
    const { poll } = await parked(session, 'revoked_not');
    await secured.user('somebody@x.org', ['USER']);
    const { text: id } = await secured.admin.post('/api/workflow', { name: 'revoked_not' });
    expect((await poll).body).toMatchObject([{ workflowInstanceId: id }]);
  });
});
