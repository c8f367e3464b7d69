// Any node of a cluster takes any call: what one node owns can be started, read, controlled and
// waited for at each other one, and its tasks reach the polls of all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import type { ClusterView } from '../../src/operation/cluster-view.js';
import { ApiClient } from '../../testkit/api-client.js';
import { EventStreamReader } from '../support/event-stream.js';
import { tell } from '../support/figures.js';
import { stretched } from '../../testkit/load.js';
import { until } from '../../testkit/until.js';
import type { JsonObject, WireTask } from '../../testkit/wire.js';
import { startSettledCluster } from '../../cluster/settled-cluster.js';

let cluster: LocalCluster;
let nodes: readonly ApiClient[];

beforeAll(async () => {
  cluster = await startSettledCluster({ redis: 'single' });
  nodes = cluster.urls.map((url) => new ApiClient(url));
  const [first] = nodes as [ApiClient];
  await first.registerTasks({ name: 'any_node', retryCount: 0, responseTimeoutSeconds: 60 });
  await first.registerWorkflows({
    name: 'any_node',
    version: 1,
    tasks: [
      { name: 'any_node', taskReferenceName: 'one' },
      { name: 'any_node', taskReferenceName: 'two' },
    ],
    outputParameters: { last: '${two.output.value}' },
  });
}, 120_000);

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await cluster.stop();
}, 60_000);

/** `count` executions, started at the nodes in turn; none of them has a worker. */
async function startSome(name: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push(await nodeAt(i).start({ name, version: 1, taskToDomain: { '*': 'nobody' } }));
  }
  return ids;
}

function nodeAt(index: number): ApiClient {
  return nodes[index % nodes.length] as ApiClient;
}

const count = 12;

describe('a call at any node', () => {
  it('reads and controls an execution of another one', async () => {
    const ids = await startSome('any_node', count);
    for (const [i, id] of ids.entries()) {
      for (const node of nodes) expect((await node.workflow(id)).status).toBe('RUNNING');
      await nodeAt(i + 1).ask('PUT', `/api/workflow/${id}/pause`);
      for (const node of nodes) expect((await node.workflow(id)).status).toBe('PAUSED');
      await nodeAt(i + 2).ask('PUT', `/api/workflow/${id}/resume`);
      await nodeAt(i).ask('POST', `/api/workflow/${id}/variables`, { from: i });
      expect((await nodeAt(i + 1).workflow(id)).variables).toMatchObject({ from: i });
      await nodeAt(i + 2).terminate(id);
      for (const node of nodes) expect((await node.workflow(id)).status).toBe('TERMINATED');
    }
  });

  it('starts a bulk job that another one has created just now', async () => {
    const ids = await startSome('any_node', count);
    for (const [i, id] of ids.entries()) {
      const job = { action: 'terminate', ids: [id], canary: 0 };
      const { body } = await nodeAt(i).ask('POST', '/api/bulk-jobs', job);
      const { jobId } = body as { jobId: string };
      await nodeAt(i + 1).ask('POST', `/api/bulk-jobs/${jobId}/start`);
      expect((await nodeAt(i + 2).untilEnd(id)).status).toBe('TERMINATED');
    }
  });

  it('knows in which domain workers poll, whichever node they reach', async () => {
    const [first] = nodes as [ApiClient];
    await first.registerTasks({ name: 'any_domain', retryCount: 0 });
    await first.registerWorkflows({
      ...{ name: 'any_domain', version: 1 },
      tasks: [{ name: 'any_domain', taskReferenceName: 'one' }],
    });
    const poll = '/api/tasks/poll/batch/any_domain?domain=near&workerid=w&timeout=5000';
    const polled = nodeAt(1).ask('GET', poll);
    const told = async (node: ApiClient): Promise<unknown[]> =>
      (await node.ask('GET', '/api/tasks/queue/polldata?taskType=any_domain')).body as unknown[];
    for (const node of nodes) {
      await until('the poll to be told', async () => (await told(node)).length > 0);
      expect(await told(node)).toMatchObject([{ domain: 'near', workerId: 'w' }]);
    }
    const taskToDomain = { any_domain: 'near,nobody' };
    for (let i = 0; i < count; i++) {
      const id = await nodeAt(i).start({ name: 'any_domain', version: 1, taskToDomain });
      const [task] = (await nodeAt(i + 1).workflow(id)).tasks;
      expect(task).toMatchObject({ domain: 'near' });
      await nodeAt(i).terminate(id);
    }
    await polled;
  });

  it('shows what another one has acknowledged', async () => {
    const shows = async (node: ApiClient, path: string, expected: unknown): Promise<void> => {
      expect((await node.ask('GET', path)).body).toMatchObject(expected as object);
    };
    for (let i = 0; i < count; i++) {
      const [here, there] = [nodeAt(i), nodeAt(i + 1)];
      const name = `acknowledged_${i}`;
      const def = (version: number, description: string): JsonObject => ({
        ...{ name, version, description },
        tasks: [{ name, taskReferenceName: 't', type: 'SET_VARIABLE', inputParameters: {} }],
      });
      await here.ask('PUT', '/api/metadata/workflow', [def(1, 'first')]);
      await shows(there, `/api/metadata/workflow/${name}`, { version: 1 });
      await there.ask('PUT', '/api/metadata/workflow', [def(1, 'second'), def(2, 'other')]);
      await shows(here, `/api/metadata/workflow/${name}?version=1`, { description: 'second' });
      const id = await here.start({ name });
      await shows(here, `/api/workflow/${id}`, { workflowVersion: 2 });
      await here.ask('DELETE', `/api/metadata/workflow/${name}/2`);
      expect((await there.request('POST', '/api/workflow', { name, version: 2 })).status).toBe(404);
      await here.registerTasks({ name, retryCount: 1 });
      await there.ask('PUT', '/api/metadata/taskdefs', { name, retryCount: 5 });
      await shows(here, `/api/metadata/taskdefs/${name}`, { retryCount: 5 });
      const schedule = { name, cronExpression: '0 0 0 1 1 ?', startWorkflowRequest: { name } };
      await here.ask('POST', '/api/scheduler/schedules', schedule);
      await there.ask('PUT', `/api/scheduler/schedules/${name}/pause`);
      await shows(here, `/api/scheduler/schedules/${name}`, { paused: true });
      await here.ask('DELETE', `/api/scheduler/schedules/${name}`);
      const gone = await there.request('GET', `/api/scheduler/schedules/${name}`);
      expect(gone.status).toBe(404);
      await here.ask('PUT', `/api/users/${name}`, { name, roles: ['USER'] });
      await there.ask('PUT', `/api/groups/${name}`, { description: name, roles: ['USER'] });
      await here.ask('POST', `/api/groups/${name}/users/${name}`);
      await shows(there, `/api/groups/${name}/users`, [{ id: name }]);
    }
  });

  it('streams what changes at another one', async () => {
    const [id] = (await startSome('any_node', 1)) as [string];
    const topics = encodeURIComponent(`executions,execution:${id}`);
    const readers = await Promise.all(
      cluster.urls.map((url) => EventStreamReader.open(`${url}/api/stream?topics=${topics}`)),
    );
    await nodeAt(0).terminate(id);
    for (const reader of readers) {
      await reader.next('the end in the list', ({ event, data }) => {
        const changes = (data.changes ?? []) as readonly { workflowId: string; status: string }[];
        const isEnd = changes.some(
          ({ workflowId, status }) => workflowId === id && status === 'TERMINATED',
        );
        return event === 'executions' && isEnd;
      });
      await reader.next('the end', ({ data }) => data.head?.status === 'TERMINATED');
      expect(reader.events.map(({ event }) => event)).not.toContain('reset');
      reader.close();
    }
  });

  it('reports a task of another one, by id and by reference', async () => {
    const ids = await startSome('any_node', count);
    for (const [i, id] of ids.entries()) {
      const [task] = (await nodeAt(i + 1).workflow(id)).tasks as [WireTask];
      await nodeAt(i + 2).update({
        taskId: task.taskId,
        workflowInstanceId: id,
        status: 'COMPLETED',
        outputData: { value: 1 },
      });
      await nodeAt(i + 1).ask('POST', `/api/tasks/${id}/two/COMPLETED`, { value: i });
      const ended = await nodeAt(i).workflow(id);
      expect([ended.status, ended.output]).toEqual(['COMPLETED', { last: i }]);
    }
  });

  it('gives one execution to starts with the same key at all nodes', async () => {
    for (let i = 0; i < count; i++) {
      const start = {
        name: 'any_node',
        version: 1,
        idempotencyKey: `key-${i}`,
        idempotencyStrategy: 'RETURN_EXISTING',
      };
      const ids = await Promise.all(nodes.map((node) => node.start(start)));
      expect(new Set(ids).size).toBe(1);
      await nodeAt(i).terminate(ids[0] as string);
    }
  });

  it('answers what does not exist, and what cannot be, as the owner does', async () => {
    const [id] = (await startSome('any_node', 1)) as [string];
    await nodeAt(0).terminate(id);
    const gone = `${id.slice(0, 6)}${id[6] === '0' ? '1' : '0'}${id.slice(7)}`;
    for (const node of nodes) {
      expect((await node.request('GET', `/api/workflow/${gone}`)).status).toBe(404);
      expect((await node.request('PUT', `/api/workflow/${gone}/pause`)).status).toBe(404);
    }
    const refused = await Promise.all(
      nodes.map((node) => node.request('PUT', `/api/workflow/${id}/resume`)),
    );
    const first = refused[0] as (typeof refused)[number];
    for (const each of refused) expect(each.status).toBe(first.status);
  });

  it('waits for the end of an execution of another one', async () => {
    const waiting = nodes.map((node, i) =>
      node.ask('POST', `/api/workflow/execute/any_node/1?waitForSeconds=10&requestId=wait-${i}`, {
        name: 'any_node',
        version: 1,
      }),
    );
    const work = async (node: ApiClient): Promise<void> => {
      const tasks = await node.poll('any_node', { count: 10, timeoutMs: 500 });
      for (const { taskId, workflowInstanceId } of tasks) {
        const result = { taskId, workflowInstanceId, status: 'COMPLETED' as const };
        await node.update({ ...result, outputData: { value: 7 } });
      }
    };
    let answered = 0;
    for (const each of waiting) void each.then(() => (answered += 1));
    await until(
      'the answers',
      async () => {
        await work(nodeAt(answered));
        return answered === nodes.length;
      },
      { timeoutMs: 30_000 },
    );
    for (const each of waiting) {
      expect((await each).body).toMatchObject({ status: 'COMPLETED', output: { last: 7 } });
    }
  });
});

describe('a long poll', () => {
  it('gets a task of another node within a few ms of its commit', async () => {
    const [poller, starter] = nodes as [ApiClient, ApiClient];
    await poller.registerTasks({ name: 'far', retryCount: 0, responseTimeoutSeconds: 60 });
    await poller.registerWorkflows({
      name: 'far',
      version: 1,
      tasks: [{ name: 'far', taskReferenceName: 'far' }],
    });
    const latencies: number[] = [];
    for (let i = 0; i < 120; i++) {
      let takenAt = 0;
      const polled = poller.poll('far', { timeoutMs: 5_000 }).then((tasks) => {
        takenAt = performance.now();
        return tasks;
      });
      await until('the poll', () => parkedPolls(poller));
      const id = await starter.start({ name: 'far', version: 1 });
      const committedAt = performance.now();
      const tasks = await polled;
      expect(tasks.map(({ workflowInstanceId }) => workflowInstanceId)).toEqual([id]);
      latencies.push(Math.max(0, takenAt - committedAt));
      const [{ taskId }] = tasks as [WireTask];
      await poller.update({ taskId, workflowInstanceId: id, status: 'COMPLETED' });
    }
    latencies.sort((a, b) => a - b);
    const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
    tell(
      'a poll at one node gets a task of another, after the start was answered: ' +
        `p50 ${at(0.5).toFixed(2)} ms, p95 ${at(0.95).toFixed(2)} ms (120 tasks)`,
    );
    expect(at(0.5)).toBeLessThan(stretched(15));
  });

  it('is not starved at any node while tasks come from all of them', async () => {
    const taken = nodes.map(() => 0);
    let isOver = false;
    const pollers = nodes.map(async (node, i) => {
      while (!isOver) {
        const tasks = await node.poll('far', { count: 5, timeoutMs: 500 });
        taken[i] = (taken[i] as number) + tasks.length;
        for (const { taskId, workflowInstanceId } of tasks) {
          await node.update({ taskId, workflowInstanceId, status: 'COMPLETED' });
        }
      }
    });
    for (let i = 0; i < 150; i++) await nodeAt(i).start({ name: 'far', version: 1 });
    await until('all tasks', () => taken.reduce((sum, each) => sum + each) === 150);
    isOver = true;
    await Promise.all(pollers);
    for (const each of taken) expect(each).toBeGreaterThan(15);
  });
});

async function parkedPolls(node: ApiClient): Promise<boolean> {
  const { text } = await node.ask('GET', '/metrics');
  const parked = /^\w*parked_polls(?:\{[^}]*\})? (\d+)/m.exec(text);
  if (parked === null) throw new Error('No metric tells how many polls are parked');
  return Number(parked[1]) > 0;
}

describe('GET /api/admin/cluster', () => {
  it('shows the same nodes, owners and leader at every node', async () => {
    const seen = await Promise.all(
      nodes.map(async (node) => (await node.ask('GET', '/api/admin/cluster')).body as ClusterView),
    );
    for (const view of seen) {
      expect(view.nodes.map(({ nodeId }) => nodeId).sort()).toEqual(['node-1', 'node-2', 'node-3']);
      expect(view.nodes.reduce((sum, { shards }) => sum + shards, 0)).toBe(view.shards);
      expect(view.nodes.every(({ linked, leaseMs }) => linked && leaseMs > 0)).toBe(true);
      expect(view.moving).toEqual([]);
    }
    expect(new Set(seen.map(({ leader }) => leader)).size).toBe(1);
    expect(seen[0]?.leader).toMatch(/^node-/);
  });
});

describe('what nodes tell of themselves', () => {
  const shown = async <T>(node: ApiClient, path: string): Promise<T> =>
    (await node.ask('GET', path)).body as T;

  it('stands at every node: each with its figures, and a worker that polls all of them', async () => {
    for (const node of nodes) await node.ask('GET', '/api/tasks/poll/any_worker?workerid=roamer');
    for (const node of nodes) {
      await until('the reports of all nodes', async () => {
        const workers = await shown<readonly Worker[]>(node, '/api/stats/workers');
        const roamer = workers.find(({ workerId }) => workerId === 'roamer');
        return roamer?.nodes.length === nodes.length;
      });
      const told = await shown<readonly { nodeId: string }[]>(node, '/api/stats/nodes');
      expect(told.map(({ nodeId }) => nodeId).sort()).toEqual(['node-1', 'node-2', 'node-3']);
    }
  });
});

interface Worker {
  readonly workerId: string;
  readonly nodes: readonly string[];
}
