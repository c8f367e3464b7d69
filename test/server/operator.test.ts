// What the server tells who runs it: how each node does, how fast definitions and task types are,
// who the workers are; and who may ask.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Method, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

const common = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };
const workflow = {
  ...{ ...common, name: 'op_order' },
  tasks: [{ name: 'op_charge', taskReferenceName: 'charge', type: 'SIMPLE' }],
};

describe('what the operator sees', () => {
  let secured: SecuredServer;
  let admin: Session;
  let seller: Session;
  beforeAll(async () => {
    secured = await SecuredServer.start();
    admin = secured.admin;
    seller = await secured.application('seller', ['USER']);
    const type = { ...common, name: 'op_charge', retryCount: 0, responseTimeoutSeconds: 60 };
    await ok(admin, 'POST', '/api/metadata/taskdefs', [type]);
    await ok(admin, 'PUT', '/api/metadata/workflow', [workflow]);
    for (const status of ['COMPLETED', 'FAILED']) {
      await ok(admin, 'POST', '/api/workflow', { name: 'op_order', input: {} });
      const task = await until('a task', async () => {
        const path = '/api/tasks/poll/op_charge?workerid=charger-1';
        const { body } = await admin.request('GET', path, undefined, { 'user-agent': 'sdk-x/2.1' });
        return (body as { taskId?: string }).taskId === undefined
          ? undefined
          : (body as { taskId: string; workflowInstanceId: string });
      });
      const { taskId, workflowInstanceId } = task;
      const result = { taskId, workflowInstanceId, status, workerId: 'charger-1' };
      await ok(admin, 'POST', '/api/tasks', result);
    }
  });
  afterAll(() => secured?.stop());

  async function ok(
    client: Session,
    method: Method,
    path: string,
    body?: unknown,
  ): Promise<unknown> {
    const answer = await client.request(method, path, body);
    expect(answer.status, path).toBeLessThan(300);
    return answer.body as unknown;
  }

  it('tells of each node its processor, memory, event loop and store', async () => {
    const nodes = (await until('a report with the time of the store', async () => {
      const told = (await ok(admin, 'GET', '/api/stats/nodes')) as readonly Node[];
      return told[0]?.storeMs === undefined ? undefined : told;
    })) as readonly Node[];
    const { nodes: members } = (await ok(admin, 'GET', '/api/admin/cluster')) as {
      nodes: readonly { nodeId: string }[];
    };
    expect(nodes.map(({ nodeId }) => nodeId)).toEqual(members.map(({ nodeId }) => nodeId));
    const [node] = nodes;
    expect(node?.residentBytes).toBeGreaterThan(10_000_000);
    expect(node?.heapLimitBytes).toBeGreaterThan(node?.heapBytes ?? Infinity);
    expect(node?.storeMs?.max).toBeGreaterThan(0);
    expect(node?.loopLagMs.max).toBeGreaterThanOrEqual(node?.loopLagMs.p50 ?? Infinity);
    expect((await seller.request('GET', '/api/stats/nodes')).status).toBe(403);
  });

  it('tells how fast definitions and task types are, to those who may read them', async () => {
    const path = '/api/stats/performance?window=15m';
    const told = (await ok(admin, 'GET', path)) as Told;
    expect(told.workflows).toMatchObject([
      { name: 'op_order', started: 2, completed: 1, failed: 1, tookMs: { count: 2 } },
    ]);
    expect(told.tasks).toMatchObject([
      { taskType: 'op_charge', completed: 1, failed: 1, runMs: { count: 2 }, waitMs: { count: 2 } },
    ]);
    expect(await ok(seller, 'GET', path)).toMatchObject({ workflows: [], tasks: [] });
    expect((await admin.request('GET', '/api/stats/performance?window=soon')).status).toBe(400);
  });

  it('tells of each worker its host, client, queues and failures, to those who may', async () => {
    const workers = (await until('a report of the worker', async () => {
      const told = (await ok(admin, 'GET', '/api/stats/workers')) as readonly {
        reported: number;
      }[];
      return told[0]?.reported === 2 ? told : undefined;
    })) as readonly object[];
    expect(workers).toMatchObject([
      {
        ...{ workerId: 'charger-1', clients: ['sdk-x/2.1'], reported: 2, failed: 1, inFlight: 0 },
        addresses: [expect.stringContaining('127.0.0.1')],
        queues: [{ taskType: 'op_charge', domain: '' }],
      },
    ]);
    expect(await ok(seller, 'GET', '/api/stats/workers')).toEqual([]);
    const target = { type: 'TASK_DEF', id: 'op_charge' };
    const subject = { type: 'USER', id: seller.subject };
    const grant = { target, subject, access: ['READ'] };
    await ok(admin, 'POST', '/api/auth/authorization', grant);
    const [seen] = (await ok(seller, 'GET', '/api/stats/workers')) as readonly object[];
    expect(seen).toMatchObject({ workerId: 'charger-1', failed: 1 });
    expect(seen).not.toHaveProperty('addresses');
  });
});

interface Node {
  readonly nodeId: string;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly heapLimitBytes: number;
  readonly loopLagMs: { readonly p50: number; readonly max: number };
  readonly storeMs?: { readonly max: number };
}

interface Told {
  readonly workflows: readonly object[];
  readonly tasks: readonly object[];
}
