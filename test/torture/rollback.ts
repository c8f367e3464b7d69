// A failover that loses the newest writes while the node stays connected and unaware (invariants
// M2: chain). The store is put back to an earlier moment under a running node; what the node then
// commits builds on a state that is no longer there. A node that checks heads drops its memory and
// goes on from what is stored; one that does not stores a history with a hole.
import { Redis } from 'ioredis';
import { ApiClient, UnexpectedAnswer } from '../../testkit/api-client.js';
import { startRedis } from '../../testkit/redis.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { ScriptedWorkers, toResult } from '../support/workers.js';
import type { WireTask } from '../../testkit/wire.js';
import { checkExecution } from './check-execution.js';
import { taskDefs, taskTypes, workflowDefs } from './load-definitions.js';
import type { Fault } from './planted-node.js';
import { serverWith } from './planted-server.js';

const executions = 8;
const endTimeoutMs = 15_000;

/** Everything a Redis holds, to be put back later. */
async function snapshotOf(redis: Redis): Promise<() => Promise<void>> {
  const before = new Map<string, Buffer>();
  for (const key of await redis.keys('*')) {
    const value = await redis.dumpBuffer(key);
    if (value !== null) before.set(key, value);
  }
  return async () => {
    const batch = redis.multi();
    for (const key of await redis.keys('*')) if (!before.has(key)) batch.del(key);
    for (const [key, value] of before) batch.restore(key, 0, value, 'REPLACE');
    await batch.exec();
  };
}

/** One sentence per violation after the store was put back under a running node. */
export async function runRollback(fault?: Fault): Promise<string[]> {
  const store = await startRedis();
  const server = await startServer({ redisUrl: store.url, ...serverWith(fault) });
  const client = new ApiClient(server.url);
  const redis = new Redis(store.socketPath ?? store.url);
  try {
    await client.registerTasks(...taskDefs);
    await client.registerWorkflows(...workflowDefs);
    const ids: string[] = [];
    for (let start = 0; start < executions; start++) {
      ids.push(await client.start({ name: 'torture_chain', version: 1, input: { start } }));
    }
    await completeAll(client, await takeAll(client, 't1'), 'first');
    const second = await takeAll(client, 't2');
    const rollBack = await snapshotOf(redis);
    await completeAll(client, second, 'lost');
    const third = await takeAll(client, 't3');
    await rollBack();
    await completeAll(client, third, 'after');
    await server.kill('SIGKILL');
    await server.restart();
    return await finish(client, ids);
  } finally {
    redis.disconnect();
    await client.close();
    await server.stop();
    await store.stop();
  }
}

/** Polls until every execution's task of a reference has been handed out. */
async function takeAll(client: ApiClient, ref: string): Promise<WireTask[]> {
  const taken: WireTask[] = [];
  await until(`all tasks ${ref}`, async () => {
    const tasks = await client.poll(taskTypes.steady, { count: executions, timeoutMs: 200 });
    taken.push(...tasks.filter((task) => task.referenceTaskName === ref));
    return taken.length === executions;
  });
  return taken;
}

/** Reports all tasks; what the server no longer knows it may refuse. */
async function completeAll(client: ApiClient, tasks: WireTask[], text: string): Promise<void> {
  for (const task of tasks) {
    const output = { marker: `${text} ${task.taskId}` };
    try {
      await client.update(toResult(task, { status: 'COMPLETED', output }));
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error;
    }
  }
}

/** Lets ordinary workers end everything and judges the histories. */
async function finish(client: ApiClient, ids: readonly string[]): Promise<string[]> {
  const workers = new ScriptedWorkers(client, {
    [taskTypes.steady]: (task) => ({
      status: 'COMPLETED',
      output: { marker: `end ${task.taskId}` },
    }),
  });
  const found: string[] = [];
  for (const id of ids) {
    try {
      await client.untilEnd(id, { timeoutMs: endTimeoutMs });
    } catch {
      // Not ended in time: the check says what state it is in.
    }
    const known = { handOutsOf: () => [], reportsOf: () => [] };
    const workflow = await client.workflow(id);
    const violations = checkExecution(workflow, 'COMPLETED', known);
    found.push(...violations.filter((text) => !text.includes('never reported')));
  }
  await workers.stop();
  return found;
}
