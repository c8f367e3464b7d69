// A quota on open tasks counts what all nodes own: what was started at one node leaves no room at
// the other, and a node that takes over a dead one's executions counts them from their records.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterView } from '../../src/operation/cluster-view.js';
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { SecuredServer, Session, type Answer } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const tasksMax = 30;
const branches = ['a', 'b', 'c', 'd', 'e'];
const args = ['--definition-open-tasks-max', String(tasksMax)];

let redis: RunningRedis;
let first: SecuredServer;
let other: RunningServer;
/** The same caller at each node. */
let caller: Session;
let there: Session;

beforeAll(async () => {
  redis = await startLocalRedis();
  first = await SecuredServer.start({ redisUrl: redis.url, args });
  other = await startServer({ redisUrl: redis.url, args: ['--auth', ...args] });
  caller = await first.application('spread', ['USER']);
  there = new Session(other.url, caller.headers);
  // A shard that moves later takes its executions out of the count until the next one.
  const atBoth = [first.admin, new Session(other.url, first.admin.headers)];
  await until('two settled nodes', async () => {
    const answers = await Promise.all(atBoth.map((at) => at.get('/api/admin/cluster')));
    const views = answers.map(({ body }) => body as ClusterView);
    return views.every(({ nodes, moving }) => moving.length === 0 && nodes.every(isServing));
  });
  const wait = (ref: string): object[] => [
    { name: ref, taskReferenceName: ref, type: 'WAIT', inputParameters: { duration: '1 hours' } },
  ];
  const saved = await caller.put('/api/metadata/workflow', [
    {
      ...{ name: 'wide', version: 1, schemaVersion: 2, ownerEmail: 'wide@example.org' },
      tasks: [
        { name: 'f', taskReferenceName: 'f', type: 'FORK_JOIN', forkTasks: branches.map(wait) },
        { name: 'j', taskReferenceName: 'j', type: 'JOIN', joinOn: branches },
      ],
    },
  ]);
  expect(saved.status).toBe(200);
}, 60_000);

afterAll(async () => {
  await other.stop();
  await first.stop();
  await redis.stop();
});

const isServing = ({ shards, linked }: ClusterView['nodes'][number]): boolean =>
  shards > 0 && linked;

const start = (at: Session): Promise<Answer> =>
  at.post('/api/workflow', { name: 'wide', version: 1, input: {} });

const refused = (at: Session): Promise<Answer> =>
  until('a refusal', async () => {
    const answer = await start(at);
    if (answer.status === 200) await at.delete(`/api/workflow/${answer.text}`);
    return answer.status === 429 ? answer : undefined;
  });

it('what one node owns counts at the other, and after it died with its executions', async () => {
  // Half of the room at each node: neither of them alone is full.
  for (const at of [caller, there]) {
    for (let i = 0; i < 2; i++) expect((await start(at)).status).toBe(200);
  }
  const last = await until('the last start', async () => {
    const answer = await start(caller);
    return answer.status === 200 ? answer : undefined;
  });
  expect(last.status).toBe(200);
  for (const at of [there, caller]) {
    expect((await refused(at)).body.message).toContain('definitionOpenTasksMax');
  }
  await other.kill();
  expect((await refused(caller)).body.message).toContain('definitionOpenTasksMax');
}, 60_000);
