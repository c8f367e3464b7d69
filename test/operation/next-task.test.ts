// When update-v2 answers (contract-core 15.3): with the next task as soon as it is there, and
// without one as soon as none can come. The clock of these tests stands still and the grace is
// minutes, so an answer that waits for it never comes.
import { expect, it } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { localAdministrator } from '../../src/model/caller.js';
import type { JsonMap } from '../../src/model/json.js';
import { parseTaskUpdate } from '../../src/model/parse-task-result.js';
import { defaultOperationLimits, type OperationContext } from '../../src/operation/context.js';
import { updateTaskAndPoll } from '../../src/operation/update-task-and-poll.js';
import type { Executions } from '../../src/shard/executions.js';
import type { NodeOptions, ShardNode } from '../shard/shard-node.js';
import { useShardNodes } from '../shard/shard-nodes.js';
import { until } from '../../testkit/until.js';
import type { WireTask } from '../../testkit/wire.js';

const nodes = useShardNodes();
const minutes = 600_000;

/** Worker tasks of these types in a row. */
function chainOf(name: string, ...types: string[]): JsonMap {
  const tasks = types.map((type, i) => ({ name: type, taskReferenceName: `${type}${i}` }));
  return { name, version: 1, tasks: tasks.map((task) => ({ ...task, type: 'SIMPLE' })) };
}

/** What the operation is carried out with; the executions are those of the node. */
function contextOf(node: ShardNode, executions: Executions = node.shards): OperationContext {
  return {
    access: everythingAllowed,
    executions,
    taskQueues: node.hub,
    clock: nodes.clock,
    limits: { ...defaultOperationLimits, nextTaskWaitMs: minutes, nextTaskGraceMs: minutes },
  } as Partial<OperationContext> as OperationContext;
}

/** Executions of another node: a report and views travel there, nothing is in memory here. */
function elsewhere({ shards }: ShardNode): Executions {
  return {
    command: (id, command, options) => shards.command(id, command, options),
    read: (id, view) => shards.read(id, view),
    peek: () => undefined,
  } as Partial<Executions> as Executions;
}

async function next(context: OperationContext, task: WireTask): Promise<WireTask | undefined> {
  const { workflowInstanceId, taskId } = task;
  const body = { workflowInstanceId, taskId, status: 'COMPLETED', workerId: 'w' };
  const update = parseTaskUpdate(body, 'update');
  const text = await updateTaskAndPoll(context, localAdministrator, update, () => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as WireTask);
}

/** Starts a chain and hands out its first task. */
async function firstTask(node: ShardNode, ...types: string[]): Promise<WireTask> {
  await node.startExecution(chainOf('chain', ...types));
  const [task] = await node.poll(types[0] as string).tasks;
  if (task === undefined) throw new Error('the first task was not handed out');
  return task;
}

it('answers at once when the report ends the execution', async () => {
  const node = await nodes.start();
  const task = await firstTask(node, 'a');
  expect(await next(contextOf(node), task)).toBeUndefined();
  expect(node.hub.parkedPolls).toBe(0);
});

it('answers at once when the next task is for other workers', async () => {
  const node = await nodes.start();
  const task = await firstTask(node, 'a', 'b');
  expect(await next(contextOf(node), task)).toBeUndefined();
});

it('answers at once when the report is ignored', async () => {
  const node = await nodes.start();
  const task = await firstTask(node, 'a');
  await node.terminate(task.workflowInstanceId);
  expect(await next(contextOf(node), task)).toBeUndefined();
});

it('brings the next task of the chain', async () => {
  const node = await nodes.start();
  const task = await firstTask(node, 'a', 'a');
  expect(await next(contextOf(node), task)).toMatchObject({
    workflowInstanceId: task.workflowInstanceId,
    status: 'IN_PROGRESS',
    workerId: 'w',
  });
});

const byScript: Partial<NodeOptions>[] = [
  { taskDefs: [{ name: 'a', concurrentExecLimit: 5, retryCount: 0 }] },
  { ridesWithCommits: false, taskDefs: [{ name: 'a', concurrentExecLimit: 5, retryCount: 0 }] },
];

it.each(byScript)('waits for a next task that the store hands out (%#)', async (options) => {
  const node = await nodes.start(options);
  const task = await firstTask(node, 'a', 'a');
  expect(await next(contextOf(node), task)).toMatchObject({
    workflowInstanceId: task.workflowInstanceId,
    status: 'IN_PROGRESS',
  });
});

it('takes a task of another execution that is ready already', async () => {
  const node = await nodes.start();
  const task = await firstTask(node, 'a');
  const other = await node.startExecution(chainOf('other', 'a'));
  expect(await next(contextOf(node), task)).toMatchObject({ workflowInstanceId: other });
});

it('answers at once when another node says that nothing of it is ready', async () => {
  const node = await nodes.start();
  const task = await firstTask(node, 'a', 'b');
  expect(await next(contextOf(node, elsewhere(node)), task)).toBeUndefined();
});

it('waits for a task that another node is about to offer', async () => {
  const owner = await nodes.start();
  // Its keys are others: what the owner makes ready reaches it by an offer only, and none comes.
  const here = await nodes.start({ prefix: `${nodes.prefix}-other` });
  const task = await firstTask(owner, 'a', 'a');
  const queue = here.hub.queue({ taskType: 'a' });
  const asked: unknown[] = [];
  const executions = elsewhere(owner);
  const read: Executions['read'] = async (id, view) => {
    const answer = await executions.read(id, view);
    asked.push(answer);
    return answer;
  };
  const answer = next(contextOf(here, { ...executions, read }), task);
  await until('the owner to have been asked', () => asked.length === 2 && !queue.fetching);
  expect(asked[1]).toBe(true);
  expect(here.hub.parkedPolls).toBe(1);
  nodes.clock.advance(minutes);
  expect(await answer).toBeUndefined();
});
