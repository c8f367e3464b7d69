// What is revoked at one node ceases at the other one within a second, also when the notice of the
// change is lost: Redis delivers no message to anybody here, so nodes learn of changes by reading.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterView } from '../../src/operation/cluster-view.js';
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { adminCommand, Session, type Key } from '../../testkit/secured-server.js';
import { startServer, type RunningServer, type ServerSettings } from '../../testkit/server.js';
import { stretched } from '../../testkit/load.js';
import { until } from '../../testkit/until.js';
import type { WireTask } from '../../testkit/wire.js';

const ceasesMsMax = 1000;
const workflow = 'revoked_access';

let redis: RunningRedis;
const servers: RunningServer[] = [];
/** An administrator at the first node. */
let admin: Session;
let first: Session;
let second: Session;

beforeAll(async () => {
  redis = await startLocalRedis();
  servers.push(...(await Promise.all([startServer(settings()), startServer(settings())])));
  const [one, two] = servers as [RunningServer, RunningServer];
  const stored = await adminCommand(one, ['create-key', '--redis-url', redis.url]);
  [first, second] = [new Session(one.url), new Session(two.url)];
  const key = JSON.parse(stored) as Key;
  admin = await until('the key of the administrator', () => signIn(first, key));
  await until('two nodes with shards', async () => {
    const { status, body } = await admin.get('/api/admin/cluster');
    if (status !== 200) return false;
    const { nodes } = body as ClusterView;
    return nodes.filter(({ shards }) => shards > 0).length === 2;
  });
  const def = { name: workflow, tasks: [{ name: 'revoked_access', taskReferenceName: 'one' }] };
  expect(await admin.status('POST', '/api/metadata/workflow', def)).toBe(200);
  await loseNotices();
}, 60_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await redis.stop();
});

function settings(): ServerSettings {
  const args = ['--auth', '--secrets-key', Buffer.alloc(32, 7).toString('base64')];
  return { redisUrl: redis.url, args };
}

/** Redis forgets who may use channels and cuts off those that listen. */
async function loseNotices(): Promise<void> {
  await askRedis('ACL', 'SETUSER', 'default', 'resetchannels');
  await until('nobody to listen', async () => (await askRedis('PUBSUB', 'CHANNELS')) === '');
}

async function askRedis(...command: string[]): Promise<string> {
  const args = ['-s', redis.socketPath as string, ...command];
  return (await promisify(execFile)('redis-cli', args)).stdout.trim();
}

async function signIn(at: Session, credentials: unknown): Promise<Session | undefined> {
  const { status, body } = await at.post('/api/token', credentials);
  if (status !== 200) return undefined;
  return new Session(at.url, { 'x-authorization': (body as { token: string }).token });
}

async function change(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  const { status, text, body: answer } = await admin.request(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return answer as Record<string, string>;
}

/** At the second node, which then takes them at the first attempt: failed ones are limited. */
async function untilKnown(path: string, word: string): Promise<void> {
  const there = new Session(second.url, admin.headers);
  await until(`${word} at the second node`, async () => {
    const { status, text } = await there.get(path);
    return status === 200 && text.includes(word);
  });
}

/** A user of the second node, who may do what the roles allow. */
async function userOf(id: string, roles: readonly string[]): Promise<Session> {
  const password = `the password of ${id}`;
  await change('PUT', `/api/users/${id}`, { name: id, roles, password });
  await untilKnown(`/api/users/${id}`, id);
  return (await signIn(second, { email: id, password })) as Session;
}

/** A key of a new application, and its session at the second node. */
async function keyOf(name: string): Promise<{ path: string; session: Session }> {
  const { id } = await change('POST', '/api/applications', { name });
  await change('POST', `/api/applications/${id}/roles/UNRESTRICTED_WORKER`);
  const made = await change('POST', `/api/applications/${id}/accessKeys`);
  const key = { keyId: String(made['id']), keySecret: made['secret'] };
  const path = `/api/applications/${id}/accessKeys`;
  await untilKnown(path, key.keyId);
  const session = (await signIn(second, key)) as Session;
  return { path: `${path}/${key.keyId}`, session };
}

/** Revokes at the first node and expects the refusal at the second one within the time. */
async function expectToCease(
  session: Session,
  path: string,
  status: number,
  revoke: () => Promise<unknown>,
): Promise<void> {
  await until('the right at the second node', async () => (await session.get(path)).status === 200);
  await revoke();
  const revokedAt = performance.now();
  let allowedAt = revokedAt;
  await until('the refusal', async () => {
    const askedAt = performance.now();
    const answer = await session.get(path);
    if (answer.status === 200) allowedAt = askedAt;
    else expect(answer.status).toBe(status);
    return answer.status === status;
  });
  expect(allowedAt - revokedAt).toBeLessThan(stretched(ceasesMsMax));
  expect(await askRedis('PUBSUB', 'CHANNELS')).toBe('');
}

const ownTasks = '/api/tasks/queue/sizes?taskType=revoked_access';
const definition = `/api/metadata/workflow/${workflow}`;

describe('a report', () => {
  it('needs its right at any node, whichever owns the execution', async () => {
    const { session } = await keyOf('reporter');
    const stranger = await userOf('stranger@x.test', ['USER']);
    const start = async (): Promise<string> =>
      (await admin.post('/api/workflow', { name: workflow })).text;
    // Ids are drawn, so some are owned by each of the two nodes.
    const ids = await Promise.all(Array.from({ length: 12 }, start));
    for (const id of ids) {
      const { tasks } = (await admin.get(`/api/workflow/${id}`)).body as { tasks: WireTask[] };
      const report = { workflowInstanceId: id, taskId: tasks[0]?.taskId, status: 'COMPLETED' };
      expect(await stranger.status('POST', '/api/tasks', report)).toBe(403);
      expect(await session.status('POST', '/api/tasks', report)).toBe(200);
      const { status } = (await admin.get(`/api/workflow/${id}`)).body as { status: string };
      expect(status).toBe('COMPLETED');
    }
  });
});

describe('without any notice', () => {
  it('a deleted access key ceases at the other node', async () => {
    const { path, session } = await keyOf('deleted');
    await expectToCease(session, ownTasks, 401, () => change('DELETE', path));
  });

  it('an access key that is made inactive ceases', async () => {
    const { path, session } = await keyOf('inactive');
    await expectToCease(session, ownTasks, 401, () => change('POST', `${path}/status`));
  });

  it('a deleted user ceases', async () => {
    const session = await userOf('deleted@x.test', ['USER']);
    const revoke = (): Promise<unknown> => change('DELETE', '/api/users/deleted@x.test');
    await expectToCease(session, '/api/token/userInfo', 401, revoke);
  });

  it('a role that is taken from a user ceases', async () => {
    const session = await userOf('demoted@x.test', ['METADATA_MANAGER']);
    const demoted = { name: 'demoted', roles: ['USER'] };
    const revoke = (): Promise<unknown> => change('PUT', '/api/users/demoted@x.test', demoted);
    await expectToCease(session, definition, 403, revoke);
  });

  it('a grant ceases', async () => {
    const session = await userOf('granted@x.test', ['USER']);
    const grant = {
      subject: { type: 'USER', id: 'granted@x.test' },
      target: { type: 'WORKFLOW_DEF', id: workflow },
      access: ['READ'],
    };
    await change('POST', '/api/auth/authorization', grant);
    const revoke = (): Promise<unknown> => change('DELETE', '/api/auth/authorization', grant);
    await expectToCease(session, definition, 403, revoke);
  });

  it('a session that its person ended ceases', async () => {
    const session = await userOf('left@x.test', ['USER']);
    const atFirst = new Session(first.url, session.headers);
    const leave = (): Promise<unknown> => atFirst.delete('/api/sign-in');
    await expectToCease(session, '/api/token/userInfo', 401, leave);
  });

  it('an id that is given again stands for nobody who had it before, at any node', async () => {
    const id = 'given-again@x.test';
    const password = `the password of ${id}`;
    const name = 'given_again';
    const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
    const request = { name, version: 1, workflowDef: { name, version: 1, tasks: [wait] } };
    const person = { name: id, roles: ['USER'], password };
    const former: string[] = [];
    const seesOwn = async (at: Session, own: string): Promise<Session> => {
      const user = await until('the user', () => signIn(at, { email: id, password }));
      expect(await user.status('GET', `/api/workflow/${own}`)).toBe(200);
      const seen = former.map((each) => user.status('GET', `/api/workflow/${each}`));
      expect(await Promise.all(seen)).toEqual(former.map(() => 403));
      return user;
    };
    const nodes = [admin, new Session(second.url, admin.headers)];
    let own = '';
    for (let life = 0; life < 6; life++) {
      // Deleted here and made there, which has not heard of it.
      const [here, there] = life % 2 === 0 ? nodes : [...nodes].reverse();
      if (life > 0) expect(await here?.status('DELETE', `/api/users/${id}`)).toBe(200);
      expect(await there?.status('PUT', `/api/users/${id}`, person)).toBe(200);
      if (own !== '') former.push(own);
      const user = (await signIn(there as Session, { email: id, password })) as Session;
      own = (await user.post('/api/workflow', request)).text;
      for (const node of [there, here]) await seesOwn(node as Session, own);
    }
    // A node that starts needs them.
    await askRedis('ACL', 'SETUSER', 'default', 'allchannels');
    const third = await startServer(settings());
    servers.push(third);
    await seesOwn(new Session(third.url), own);
  });
});
