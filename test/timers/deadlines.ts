// Executions that wait for a moment, one kind for each clock of the server: what to register, how
// to bring them to where their clock runs, and how late what was due came.
import type { ApiClient } from '../../testkit/api-client.js';
import { times } from '../../testkit/load.js';
import { until } from '../../testkit/until.js';
import type { WireTask, WireTaskDef, WireWorkflow, WireWorkflowDef } from '../../testkit/wire.js';

const kinds = ['response', 'task', 'poll', 'total', 'workflow', 'wait', 'retry'] as const;
export type Kind = (typeof kinds)[number];
const polledKinds: readonly Kind[] = ['response', 'task', 'retry'];

/** Registers what `startDeadlines` starts; everything is due `seconds` after its clock began. */
export async function registerDeadlines(client: ApiClient, seconds: number): Promise<void> {
  const plain = { retryCount: 0, timeoutSeconds: 0, responseTimeoutSeconds: 3600 };
  const both = { timeoutSeconds: seconds, responseTimeoutSeconds: seconds };
  const tasks: WireTaskDef[] = [
    { ...plain, name: 'due_response', responseTimeoutSeconds: seconds },
    { ...plain, name: 'due_task', ...both },
    { ...plain, name: 'due_poll', pollTimeoutSeconds: seconds },
    { ...plain, name: 'due_total', totalTimeoutSeconds: seconds },
    { ...plain, name: 'due_workflow' },
    { ...plain, name: 'due_retry', retryCount: 1, retryDelaySeconds: seconds },
  ];
  await client.registerTasks(...tasks);
  const simple = tasks.map(({ name }): WireWorkflowDef => {
    const rest = name === 'due_workflow' ? { timeoutSeconds: seconds } : {};
    const task = { name, taskReferenceName: 't', type: 'SIMPLE' };
    return { name, version: 1, timeoutPolicy: 'TIME_OUT_WF', ...rest, tasks: [task] };
  });
  const wait = {
    ...{ name: 'due_wait', taskReferenceName: 't', type: 'WAIT' },
    inputParameters: { duration: `${seconds} seconds` },
  };
  await client.registerWorkflows(...simple, { name: 'due_wait', version: 1, tasks: [wait] });
}

/** Starts `count` of each kind and sets their clocks going; resolves with the ids. */
export async function startDeadlines(
  client: ApiClient,
  count: number,
): Promise<Map<Kind, string[]>> {
  const started = new Map<Kind, string[]>();
  const start = async (kind: Kind): Promise<void> => {
    const ids = await times(count, 16, () => client.start({ name: `due_${kind}` }));
    started.set(kind, ids);
    if (!polledKinds.includes(kind)) return;
    const tasks = await pollAll(client, `due_${kind}`, count);
    if (kind === 'response') return;
    // The lease is renewed, so that only the task's own timeout is left; or the attempt fails, so
    // that its retry waits.
    const report = kind === 'task' ? { status: 'IN_PROGRESS' as const, extendLease: true } : failed;
    await Promise.all(tasks.map((task) => client.update({ ...idsOf(task), ...report })));
  };
  await Promise.all(kinds.map(start));
  return started;
}

const failed = { status: 'FAILED' as const };

function idsOf({ workflowInstanceId, taskId }: WireTask): {
  workflowInstanceId: string;
  taskId: string;
} {
  return { workflowInstanceId, taskId };
}

/** Takes `count` tasks in as many polls as it needs. */
export async function pollAll(
  client: ApiClient,
  taskType: string,
  count: number,
  timeoutMs?: number,
): Promise<WireTask[]> {
  const tasks: WireTask[] = [];
  const take = async (): Promise<boolean> => {
    tasks.push(...(await client.poll(taskType, { count: count - tasks.length, timeoutMs: 1000 })));
    return tasks.length >= count;
  };
  await until(`${count} tasks of ${taskType}`, take, timeoutMs === undefined ? {} : { timeoutMs });
  return tasks;
}

/** When what was due came and when it should have, epoch ms; undefined while it has not. */
export function outcome(
  kind: Kind,
  workflow: WireWorkflow,
  seconds: number,
): { dueAt: number; cameAt: number } | undefined {
  const [first, second] = workflow.tasks as [WireTask, WireTask | undefined];
  const dueAt = (from: number): number => from + seconds * 1000;
  switch (kind) {
    case 'retry':
      if (second === undefined || second.startTime === 0) return undefined;
      return { dueAt: dueAt(first.endTime), cameAt: second.startTime };
    case 'workflow':
      if (workflow.status !== 'TIMED_OUT') return undefined;
      return { dueAt: dueAt(workflow.startTime), cameAt: workflow.endTime };
    case 'response':
    case 'task':
      if (first.status !== 'TIMED_OUT') return undefined;
      return { dueAt: dueAt(first.startTime), cameAt: first.endTime };
    case 'poll':
    case 'total':
      if (!['TIMED_OUT', 'CANCELED'].includes(first.status)) return undefined;
      return { dueAt: dueAt(first.scheduledTime), cameAt: first.endTime };
    case 'wait':
      if (first.status !== 'COMPLETED') return undefined;
      return { dueAt: dueAt(first.scheduledTime), cameAt: first.endTime };
  }
}
