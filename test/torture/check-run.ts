// The judgement of a whole torture run, after everything has been drained: what was acknowledged is
// there, once, and is whole.
import { checkExecution, type KnownTasks } from './check-execution.js';
import { checkHandOuts } from './check-hand-outs.js';
import { groupByTask, type Journal, type StartRecord } from './journal.js';
import { taskTypes } from './load-definitions.js';
import type { RunReader } from './run-reader.js';

const readersMax = 8;

/** One sentence per violation. */
export async function checkRun(reader: RunReader, journal: Journal): Promise<string[]> {
  const known = knownTasksOf(journal);
  const found = [...journal.violations, ...checkHandOuts(journal), ...checkStarts(journal)];
  const queue = journal.starts.filter((start) => start.workflowId !== undefined);
  const read = async (): Promise<void> => {
    for (let start = queue.pop(); start !== undefined; start = queue.pop()) {
      found.push(...(await checkStart(reader, start, known)));
    }
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  found.push(...(await checkQueues(reader)), ...(await checkLeases(reader)));
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
  reader: RunReader,
  start: StartRecord,
  known: KnownTasks,
): Promise<string[]> {
  const id = start.workflowId as string;
  const workflow = await reader.workflow(id);
  if (workflow === undefined) return [`execution ${id} of start ${start.start} is gone`];
  const found = checkExecution(workflow, start.endsAs, known);
  if (workflow.input['start'] !== start.start) found.push(`execution ${id} has another input`);
  if (start.hasKey) found.push(...(await checkSingle(reader, start)));
  for (const task of workflow.tasks) {
    if (task.taskType !== 'SUB_WORKFLOW') continue;
    const child = await reader.workflow(task.subWorkflowId ?? 'none');
    if (child === undefined) found.push(`child ${task.subWorkflowId} of ${id} is gone`);
    else {
      found.push(...checkExecution(child, 'COMPLETED', known));
      if (child.parentWorkflowId !== id) found.push(`child ${child.workflowId} has another parent`);
    }
  }
  return found;
}

/** No second execution was started for the same correlation id. */
async function checkSingle(reader: RunReader, start: StartRecord): Promise<string[]> {
  const ids = await reader.correlated(start.workflowName, start.correlationId);
  if (ids.join() === start.workflowId) return [];
  return [`start ${start.start} led to ${ids.join(' and ') || 'nothing'}, not ${start.workflowId}`];
}

/** When everything has ended no queue holds anything. */
async function checkQueues(reader: RunReader): Promise<string[]> {
  return Object.entries(await reader.queueSizes(Object.values(taskTypes)))
    .filter(([, size]) => size !== 0)
    .map(([taskType, size]) => `queue ${taskType} still holds ${size}`);
}

/** Nor is anything leased. */
async function checkLeases(reader: RunReader): Promise<string[]> {
  const left = await reader.leases();
  return left.length === 0 ? [] : [`leases of ended work are left: ${left.join(', ')}`];
}
