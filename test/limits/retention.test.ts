// Finished executions go when their time is over, with everything that belongs to them.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

let server: RunningServer;
let client: ApiClient;

beforeAll(async () => {
  server = await startServer({ args: ['--retention-seconds', '3', '--shards', '8'] });
  client = new ApiClient(server.url);
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

/** All keys in the server's Redis, without those that belong to nodes and shards as such. */
function keys(): string[] {
  const socket = path.join(server.dataDir, 'redis', 'redis.sock');
  const text = execFileSync('redis-cli', ['-s', socket, '--scan']).toString();
  const lasting =
    /:(fence|leader|keyspace|nodes|node:[^:]*|lock:shards|polls|queues|state|revision|revisions|protection|protection:changes|changed:\d+)$/;
  return text
    .split('\n')
    .filter(
      (key) =>
        key !== '' && !lasting.test(key) && !key.includes('{defs}') && !key.includes('{stats}'),
    )
    .sort();
}

async function searched(query: string): Promise<number> {
  const answer = await client.ask('GET', `/api/workflow/search?query=${encodeURIComponent(query)}`);
  return (answer.body as { totalHits: number }).totalHits;
}

describe('retention', () => {
  it('lets a finished execution go with all that belongs to it, and keeps what still runs', async () => {
    await client.registerWorkflows(
      {
        name: 'kept_child',
        version: 1,
        tasks: [{ name: 'kept_leaf', taskReferenceName: 'leaf', type: 'SIMPLE' }],
      },
      {
        name: 'kept_parent',
        version: 1,
        tasks: [
          {
            ...{ name: 's', taskReferenceName: 'sub', type: 'SUB_WORKFLOW' },
            subWorkflowParam: { name: 'kept_child', version: 1 },
          },
        ],
      },
    );
    expect(keys()).toEqual([]);
    const start = { name: 'kept_parent', correlationId: 'order-1', idempotencyKey: 'key-1' };
    const id = await client.start(start);
    const [task] = await client.poll('kept_leaf', { timeoutMs: 3000 });
    const taskId = task?.taskId ?? '';
    const childId = task?.workflowInstanceId ?? '';
    await client.ask('POST', `/api/tasks/${taskId}/log`, 'a line');
    await client.update({
      ...{ workflowInstanceId: childId, taskId, status: 'COMPLETED' },
      outputData: { large: 'x'.repeat(50_000) },
    });
    expect((await client.untilEnd(id)).status).toBe('COMPLETED');
    const running = await client.start({ name: 'kept_child', correlationId: 'order-1' });
    // A child has the correlation id of its parent.
    expect(await searched('correlationId = "order-1"')).toBe(3);
    expect((await client.ask('GET', `/api/tasks/${taskId}`)).status).toBe(200);

    const paths = [`/api/workflow/${id}`, `/api/workflow/${childId}`, `/api/tasks/${taskId}`];
    await until(
      '404',
      async () => {
        const answers = await Promise.all(paths.map((each) => client.request('GET', each)));
        return answers.every(({ status }) => status === 404);
      },
      { timeoutMs: 15_000 },
    );
    await until('the sweep', async () => (await searched('correlationId = "order-1"')) === 1, {
      timeoutMs: 20_000,
    });
    expect(await searched('workflowType = "kept_parent"')).toBe(0);
    expect((await client.workflow(running)).status).toBe('RUNNING');
    const log = await client.request('GET', `/api/tasks/${taskId}/log`);
    expect(log.status === 404 || (log.body as unknown[]).length === 0).toBe(true);

    await client.ask('DELETE', `/api/workflow/${running}/remove?archiveWorkflow=false`);
    // What remembers the idempotency key outlives its execution, so that a late repetition is told
    // from a new start.
    await until('nothing else', () => keys().every((key) => key.includes(':idem:')), {
      timeoutMs: 20_000,
    });
    const next = await client.start(start);
    expect((await client.workflow(next)).status).toBe('RUNNING');
  });
});
