// A node that dies between a new definition and its creator's grants: another one makes the creator
// the owner (docs/access.md, "Whose executions"). What lies in one slot with the grants is stored
// by one write with them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CutProxy } from '../support/cut-proxy.js';
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

let redis: RunningRedis;
/** Lives through all of it. */
let survivor: SecuredServer;
let maker: Session;
let stranger: Session;

beforeAll(async () => {
  redis = await startLocalRedis();
  survivor = await SecuredServer.start({ redisUrl: redis.url });
  maker = await survivor.user('maker@x.org', ['USER']);
  stranger = await survivor.user('stranger@x.org', ['USER']);
}, 60_000);

afterAll(async () => {
  await survivor.stop();
  await redis.stop();
});

/** Sends a request of the maker to a node that dies as the text goes to Redis. */
async function dieDuring(text: string, [route, body]: readonly [string, unknown]): Promise<void> {
  const proxy = await CutProxy.start(redis.url, text);
  let node: RunningServer | undefined;
  try {
    node = await startServer({ redisUrl: proxy.url, args: ['--auth'] });
    const there = { method: 'POST', headers: { ...maker.headers, ...json } };
    const answer = fetch(node.url + route, { ...there, body: JSON.stringify(body) }).catch(
      (error: unknown) => error,
    );
    await proxy.cut;
    await node.kill('SIGKILL');
    expect(await answer).not.toHaveProperty('status', 200);
  } finally {
    await node?.stop();
    await proxy.stop();
  }
}

const json = { 'content-type': 'application/json' };
const noop = { name: 'noop', taskReferenceName: 'noop', type: 'NOOP' };
const ownersGrant = '"isOwner":true';

const kinds = [
  {
    what: 'a workflow',
    create: ['/api/metadata/workflow', { name: 'w', version: 1, tasks: [noop] }],
    read: '/api/metadata/workflow/w',
  },
  {
    what: 'a task',
    create: ['/api/metadata/taskdefs', [{ name: 't', ownerEmail: 'maker@x.org' }]],
    read: '/api/metadata/taskdefs/t',
  },
] as const;

describe.each(kinds)('$what whose creator is not yet its owner', ({ create, read }) => {
  it('becomes his after the node has died', async () => {
    await dieDuring(ownersGrant, create);
    // The notice of the new definition may have died with its node: it is looked for every 5 s.
    const stored = async (): Promise<boolean> => (await survivor.admin.get(read)).status === 200;
    await until('the definition at the other node', stored, { timeoutMs: 15_000 });
    await until('the right of its creator', async () => (await maker.get(read)).status === 200, {
      timeoutMs: 40_000,
    });
    expect((await stranger.get(read)).status).toBe(403);
    expect((await maker.delete(`${read}${read.includes('workflow') ? '/1' : ''}`)).status).toBe(
      200,
    );
  }, 90_000);
});

const inOneWrite = [
  {
    what: 'a schedule',
    create: [
      '/api/scheduler/schedules',
      {
        ...{ name: 's', cronExpression: '0 0 0 1 1 ?', paused: true },
        startWorkflowRequest: {
          ...{ name: 'started', version: 1 },
          workflowDef: { name: 'started', version: 1, tasks: [noop] },
        },
      },
    ],
    read: '/api/scheduler/schedules/s',
  },
  {
    what: 'a schema',
    create: ['/api/schema', [{ name: 'f', version: 1, type: 'JSON', data: {} }]],
    read: '/api/schema/f',
  },
  {
    what: 'an event handler',
    create: ['/api/event', [{ name: 'h', event: 'conductor:none', active: false, actions: [] }]],
    read: '/api/event/handler/h',
  },
] as const;

describe.each(inOneWrite)('$what', ({ create, read }) => {
  it('is stored together with its owner, or not at all', async () => {
    await dieDuring(ownersGrant, create);
    const { status, text } = await survivor.admin.get(read);
    expect([status === 404 || text === '', text]).toEqual([true, expect.anything()]);
    expect((await survivor.admin.get('/api/admin/grants')).text).not.toContain(`"${read.at(-1)}"`);
  }, 60_000);
});
