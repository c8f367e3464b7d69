// A rolling upgrade with authentication on: a newer node asks the owner of an execution, which is
// of a version before the view that the right to report needs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterView } from '../../src/operation/cluster-view.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { writeOtherVersion } from '../support/other-version.js';
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { adminCommand, Session, type Key } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { sealingKey } from '../support/varied-keyspace.js';

const taskType = 'reported_elsewhere';
const workflow = { name: 'reported_elsewhere', version: 1 };

let redis: RunningRedis;
let folder: string;
const servers: RunningServer[] = [];
/** Of an administrator, at each node. */
let [newer, older] = [new Session(''), new Session('')];

beforeAll(async () => {
  redis = await startLocalRedis();
  folder = createFolder();
  const withoutView = { file: 'bundle/server.js', from: /\n\s*reportedTaskView,?(?=\n)/, to: '' };
  const program = [writeOtherVersion(folder, withoutView)];
  const settings = { redisUrl: redis.url, args: ['--auth', '--secrets-key', sealingKey] };
  servers.push(
    ...(await Promise.all([startServer(settings), startServer({ ...settings, program })])),
  );
  const [one, two] = servers as [RunningServer, RunningServer];
  const stored = await adminCommand(one, ['create-key', '--redis-url', redis.url]);
  newer = await signedIn(one, JSON.parse(stored) as Key);
  older = new Session(two.url, newer.headers);
  await until('two nodes that serve and know each other', async () => {
    const views = await Promise.all([newer, older].map((node) => node.get('/api/admin/cluster')));
    return views.every(({ status, body }) => status === 200 && isSettled(body as ClusterView));
  });
}, 60_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await redis?.stop();
  removeFolder(folder);
});

function isSettled({ nodes, moving }: ClusterView): boolean {
  const serving = nodes.filter(({ linked, shards }) => linked && shards > 0);
  return moving.length === 0 && serving.length === 2;
}

/** A new key is known to a node within a second. */
async function signedIn({ url }: RunningServer, key: Key): Promise<Session> {
  return await until('the new key', async () => {
    const { status, body } = await new Session(url).post('/api/token', key);
    return status === 200 ? new Session(url, { 'x-authorization': body.token }) : undefined;
  });
}

/** The session of a new application at the newer node. */
async function application(name: string): Promise<Session> {
  const { id } = (await newer.post('/api/applications', { name })).body;
  expect(await newer.status('POST', `/api/applications/${id}/roles/WORKER`)).toBe(200);
  const key = (await newer.post(`/api/applications/${id}/accessKeys`)).body;
  const session = await signedIn(servers[0] as RunningServer, {
    keyId: key.id,
    keySecret: key.secret,
  });
  return new Session(session.url, session.headers, `app:${id}`);
}

it('a worker reports to an owner that does not know what its right needs', async () => {
  const task = { name: taskType, taskReferenceName: 'one', type: 'SIMPLE' };
  expect(
    await newer.status('PUT', '/api/metadata/workflow', [{ ...workflow, tasks: [task] }]),
  ).toBe(200);
  const [worker, stranger] = [await application('worker'), await application('stranger')];
  const grant = {
    subject: { type: 'USER', id: worker.subject },
    target: { type: 'TASK_DEF', id: taskType },
    access: ['EXECUTE'],
  };
  expect(await newer.status('POST', '/api/auth/authorization', grant)).toBe(200);
  // A node owns what it starts.
  const id = await until('a start at the older node', async () => {
    const { status, text } = await older.post('/api/workflow', workflow);
    return status === 200 ? text : undefined;
  });
  const { taskId } = await until('the task', async () => {
    const { status, body } = await worker.get(`/api/tasks/poll/${taskType}`);
    return status === 200 ? (body as { readonly taskId: string }) : undefined;
  });
  const report = { workflowInstanceId: id, taskId, status: 'COMPLETED', outputData: {} };
  expect(await stranger.status('POST', '/api/tasks', report)).toBe(403);
  const { status, text } = await worker.post('/api/tasks', report);
  expect([status, text]).toEqual([200, taskId]);
  expect((await newer.get(`/api/workflow/${id}`)).body.status).toBe('COMPLETED');
}, 30_000);
