// The judgement of a whole torture run, after everything has been drained: what was acknowledged is
// there, once, and is whole.
import { Redis } from 'ioredis';
import { UnexpectedAnswer, type ApiClient } from '../support/api-client.js';
import { until } from '../support/until.js';
import type { WireWorkflow } from '../support/wire.js';
import { checkExecution, type KnownTasks } from './check-execution.js';
import { checkHandOuts } from './check-hand-outs.js';
import { groupByTask, type Journal, type StartRecord } from './journal.js';
import { taskTypes } from './load-definitions.js';

const readersMax = 8;
const leasesTimeoutMs = 30_000;

/** One sentence per violation. `stores`: sockets or URLs of a run in which everything has ended. */
export async function checkRun(
  client: ApiClient,
  journal: Journal,
  stores: readonly string[],
): Promise<string[]> {
  const known = knownTasksOf(journal);
  const found = [...journal.violations, ...checkHandOuts(journal), ...checkStarts(journal)];
  const queue = journal.starts.filter((start) => start.workflowId !== undefined);
  const read = async (): Promise<void> => {
    for (let start = queue.pop(); start !== undefined; start = queue.pop()) {
      found.push(...(await checkStart(client, start, known)));
    }
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  found.push(...(await checkQueues(client)));
  for (const store of stores) found.push(...(await checkLeases(store)));
  return found;
}

function knownTasksOf(journal: Journal): KnownTasks {
  const reports = groupByTask(journal.reports);
  const handOuts = groupByTask(journal.handOuts);
  return {
    reportsOf: (taskId) => reports.get(taskId) ?? [],
    handOutsOf: (taskId) => handOuts.get(taskId) ?? [],
  };
}

/** A start with an idempotency key leads to one execution, however often it was sent. */
function checkStarts(journal: Journal): string[] {
  const missing = journal.starts.filter((start) => start.hasKey && start.workflowId === undefined);
  const ids = new Map<string, number>();
  for (const { workflowId } of journal.starts) {
    if (workflowId !== undefined) ids.set(workflowId, (ids.get(workflowId) ?? 0) + 1);
  }
  const shared = [...ids].filter(([, count]) => count > 1);
  return [
    ...missing.map((start) => `start ${start.start} was never acknowledged`),
    ...shared.map(([id, count]) => `execution ${id} is the answer to ${count} different starts`),
  ];
}

async function checkStart(
  client: ApiClient,
  start: StartRecord,
  known: KnownTasks,
): Promise<string[]> {
  const id = start.workflowId as string;
  const workflow = await readIfThere(client, id);
  if (workflow === undefined) return [`execution ${id} of start ${start.start} is gone`];
  const found = checkExecution(workflow, start.endsAs, known);
  if (workflow.input['start'] !== start.start) found.push(`execution ${id} has another input`);
  if (start.hasKey) found.push(...(await checkSingle(client, start)));
  for (const task of workflow.tasks) {
    if (task.taskType !== 'SUB_WORKFLOW') continue;
    const child = await readIfThere(client, task.subWorkflowId ?? 'none');
    if (child === undefined) found.push(`child ${task.subWorkflowId} of ${id} is gone`);
    else {
      found.push(...checkExecution(child, 'COMPLETED', known));
      if (child.parentWorkflowId !== id) found.push(`child ${child.workflowId} has another parent`);
    }
  }
  return found;
}

/** No second execution was started for the same correlation id. */
async function checkSingle(client: ApiClient, start: StartRecord): Promise<string[]> {
  const path = `/api/workflow/${start.workflowName}/correlated/${start.correlationId}`;
  const { body } = await client.ask('GET', `${path}?includeClosed=true&includeTasks=false`);
  const ids = (body as WireWorkflow[]).map((workflow) => workflow.workflowId);
  if (ids.join() === start.workflowId) return [];
  return [`start ${start.start} led to ${ids.join(' and ') || 'nothing'}, not ${start.workflowId}`];
}

async function readIfThere(client: ApiClient, id: string): Promise<WireWorkflow | undefined> {
  try {
    return await client.workflow(id);
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.answer.status === 404) return undefined;
    throw error;
  }
}

/** When everything has ended no queue holds anything. */
async function checkQueues(client: ApiClient): Promise<string[]> {
  const query = Object.values(taskTypes).map((name) => `taskType=${name}`);
  const { body } = await client.ask('GET', `/api/tasks/queue/sizes?${query.join('&')}`);
  return Object.entries(body as { [taskType: string]: number })
    .filter(([, size]) => size !== 0)
    .map(([taskType, size]) => `queue ${taskType} still holds ${size}`);
}

/**
 * Nor is anything leased: what a crash kept from the queue comes out with the end of its lease, and
 * every queue is looked at within 10 s.
 */
async function checkLeases(store: string): Promise<string[]> {
  const redis = new Redis(store);
  const left = async (): Promise<string[]> =>
    (await Promise.all((await redis.keys('*leases:*')).map((key) => redis.hkeys(key)))).flat();
  try {
    await until('queues without leases', async () => (await left()).length === 0, {
      timeoutMs: leasesTimeoutMs,
      everyMs: 500,
    });
    return [];
  } catch {
    return [`leases of ended work are left: ${(await left()).join(', ')}`];
  } finally {
    redis.disconnect();
  }
}
