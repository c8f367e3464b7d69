// Fills a server with executions in every state, schedules, webhooks and human tasks, and ends all
// of it again: for tests of what a keyspace holds (its check, its format, its backup).
import type { ApiClient } from '../../testkit/api-client.js';
import { until } from '../../testkit/until.js';
import {
  finalStatuses,
  type JsonObject,
  type WireTask,
  type WireWorkflow,
} from '../../testkit/wire.js';

/** Ids by what the execution waits for, or how it ended. */
export interface VariedKeyspace {
  readonly open: { readonly [what: string]: string };
  readonly ended: { readonly [what: string]: string };
}

/** Secrets of webhooks are stored encrypted: the server needs `--secrets-key` with this one. */
export const sealingKey = Buffer.alloc(32, 7).toString('base64');

/** Ten years: nothing times out by itself, however old a stored keyspace is. */
const patienceSeconds = 315_360_000;

const worker = (ref: string, name = 'varied'): JsonObject => ({
  name,
  taskReferenceName: ref,
  type: 'SIMPLE',
  inputParameters: {},
});
const fork = (ref: string): JsonObject[] => [
  {
    name: ref,
    taskReferenceName: ref,
    type: 'FORK_JOIN',
    forkTasks: [[worker(`${ref}_a`)], [worker(`${ref}_b`)]],
  },
  {
    name: `${ref}_join`,
    taskReferenceName: `${ref}_join`,
    type: 'JOIN',
    joinOn: [`${ref}_a`, `${ref}_b`],
  },
];

const workflows: { readonly [name: string]: JsonObject[] } = {
  varied: [worker('one'), worker('two')],
  varied_limited: [worker('one', 'varied_limited')],
  varied_rated: [worker('one', 'varied_rated')],
  varied_retry: [worker('one', 'varied_retry')],
  varied_held: [worker('one', 'varied_held')],
  varied_fragile: [worker('one', 'varied_fragile')],
  varied_timer: [
    { name: 't', taskReferenceName: 't', type: 'WAIT', inputParameters: { duration: '3650 days' } },
  ],
  varied_wait: [{ name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: {} }],
  varied_human: [
    {
      name: 'ask',
      taskReferenceName: 'ask',
      type: 'HUMAN',
      inputParameters: {
        __humanTaskDefinition: {
          assignments: [{ assignee: { userType: 'EXTERNAL_USER', user: 'ann' }, slaMinutes: 0 }],
        },
      },
    },
  ],
  varied_webhook: [
    {
      name: 'paid',
      taskReferenceName: 'paid',
      type: 'WAIT_FOR_WEBHOOK',
      inputParameters: { matches: { "$['id']": '${workflow.input.id}' } },
    },
  ],
  varied_parent: [
    {
      name: 'sub',
      taskReferenceName: 'sub',
      type: 'SUB_WORKFLOW',
      subWorkflowParam: { name: 'varied', version: 1 },
    },
  ],
  varied_fork: fork('fork'),
  varied_loop: [
    {
      name: 'loop',
      taskReferenceName: 'loop',
      type: 'DO_WHILE',
      loopCondition: 'if ($.loop["iteration"] < 2) { true; } else { false; }',
      loopOver: [worker('in_loop')],
    },
  ],
  varied_done: [
    { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: { x: 1 } },
  ],
  varied_short: [worker('one', 'varied_short')],
  varied_room: [worker('one')],
};

const limits: { readonly [name: string]: JsonObject } = {
  varied_short: { timeoutSeconds: 1, timeoutPolicy: 'TIME_OUT_WF' },
  varied_room: { rateLimitConfig: { rateLimitKey: '', concurrentExecLimit: 1 } },
};

/** Needs a server without authentication. */
export async function fillKeyspace(api: ApiClient): Promise<VariedKeyspace> {
  await register(api);
  const start = (name: string, more: JsonObject = {}): Promise<string> =>
    api.start({ name, version: 1, ...more } as never);
  const ended = {
    completed: await start('varied_done', { correlationId: 'ended' }),
    failed: await fail(api, await start('varied_fragile')),
    terminated: await terminated(api, await start('varied', { input: { n: 1 } })),
    timedOut: await start('varied_short'),
  };
  const open: { [what: string]: string } = {};
  open['leased'] = await start('varied', { correlationId: 'both' });
  open['reported'] = await start('varied');
  await leaseAndReport(api, open['reported']);
  open['scheduled'] = await start('varied', { correlationId: 'both' });
  open['keyed'] = await start('varied', {
    idempotencyKey: 'key-1',
    idempotencyStrategy: 'RETURN_EXISTING',
  });
  open['domain'] = await start('varied', { taskToDomain: { varied: 'far' } });
  open['limited-1'] = await start('varied_limited');
  open['limited-2'] = await start('varied_limited');
  await api.poll('varied_limited', { count: 2 });
  open['held'] = await start('varied_held');
  const [held] = await until('its task', async () => {
    const tasks = await api.poll('varied_held');
    return tasks.length > 0 ? tasks : undefined;
  });
  // With the extended lease the record of the execution says that a worker has it.
  await api.update({
    taskId: held?.taskId as string,
    workflowInstanceId: open['held'],
    status: 'IN_PROGRESS',
    extendLease: true,
  } as never);
  open['in-room'] = await start('varied_room');
  await api.untilWorkflow(open['in-room'], ({ tasks }) => tasks.length > 0);
  open['before-room'] = await start('varied_room');
  open['rated'] = await start('varied_rated');
  open['retried'] = await fail(api, await start('varied_retry'), 'SCHEDULED');
  open['paused'] = await start('varied_fork');
  await api.ask('PUT', `/api/workflow/${open['paused']}/pause`);
  for (const what of ['timer', 'wait', 'human', 'parent', 'fork', 'loop']) {
    open[what] = await start(`varied_${what}`);
  }
  open['webhook'] = await start('varied_webhook', { input: { id: 'w-1' } });
  await api.untilTask(open['webhook'], 'paid', 'IN_PROGRESS');
  open['child'] = await childOf(api, open['parent'] as string);
  await schedule(api);
  await api.untilEnd(ended.timedOut);
  return { open, ended };
}

async function register(api: ApiClient): Promise<void> {
  const task = { retryCount: 0, responseTimeoutSeconds: patienceSeconds, timeoutSeconds: 0 };
  await api.registerTasks(
    { name: 'varied', ...task } as never,
    { name: 'varied_limited', ...task, concurrentExecLimit: 1 } as never,
    {
      name: 'varied_rated',
      ...task,
      rateLimitPerFrequency: 5,
      rateLimitFrequencyInSeconds: 60,
    } as never,
    { name: 'varied_retry', ...task, retryCount: 2, retryDelaySeconds: patienceSeconds } as never,
    { name: 'varied_fragile', ...task } as never,
    { name: 'varied_held', ...task } as never,
  );
  for (const [name, tasks] of Object.entries(workflows)) {
    await api.registerWorkflows({ name, version: 1, tasks, ...limits[name] } as never);
  }
  await api.ask('POST', '/api/metadata/webhook', {
    id: 'varied',
    name: 'varied',
    sourcePlatform: 'Custom',
    verifier: 'HEADER_BASED',
    headers: { 'x-key': 'k' },
    receiverWorkflowNamesToVersions: { varied_webhook: 1 },
  });
}

/** Fails its only task; resolves once the newest attempt, or the execution, is as said. */
async function fail(api: ApiClient, id: string, then = 'FAILED'): Promise<string> {
  const { taskType = '' } = (await api.workflow(id)).tasks[0] as WireTask & { taskType?: string };
  await until('the task to fail', async () => {
    const [task] = await api.poll(taskType);
    if (task === undefined) return false;
    await api.update({ taskId: task.taskId, workflowInstanceId: id, status: 'FAILED' });
    return true;
  });
  await api.untilWorkflow(id, (seen) =>
    then === 'FAILED' ? seen.status === then : seen.tasks.at(-1)?.status === then,
  );
  return id;
}

async function terminated(api: ApiClient, id: string): Promise<string> {
  await api.terminate(id);
  return id;
}

/** Of the two oldest tasks one stays with its worker; the other one is reported as not yet done. */
async function leaseAndReport(api: ApiClient, reported: string): Promise<void> {
  const taken = new Map<string, string>();
  await until('two tasks', async () => {
    for (const task of await api.poll('varied', { count: 2 })) {
      taken.set(task.workflowInstanceId, task.taskId);
    }
    return taken.size >= 2;
  });
  await api.update({
    taskId: taken.get(reported) as string,
    workflowInstanceId: reported,
    status: 'IN_PROGRESS',
    callbackAfterSeconds: patienceSeconds,
  } as never);
}

async function childOf(api: ApiClient, parent: string): Promise<string> {
  const known = await api.untilWorkflow(parent, ({ tasks }) => subWorkflowIn(tasks) !== undefined);
  return subWorkflowIn(known.tasks) as string;
}

function subWorkflowIn(tasks: readonly WireTask[]): string | undefined {
  return (tasks[0] as { subWorkflowId?: string } | undefined)?.subWorkflowId || undefined;
}

/** One that has run, and is paused since. */
async function schedule(api: ApiClient): Promise<void> {
  await api.ask('POST', '/api/scheduler/schedules', {
    name: 'varied',
    cronExpression: '* * * * * *',
    startWorkflowRequest: { name: 'varied_done', version: 1 },
  });
  await until('a scheduled run', async () => {
    const found = await api.ask('GET', '/api/scheduler/search/executions?size=10&query=varied');
    return (found.body as { results: JsonObject[] }).results.length > 0;
  });
  await api.ask('GET', '/api/scheduler/schedules/varied/pause');
}

/**
 * Brings every open execution to its end, over polls where a poll gets the task. Rejects when one
 * of them does not complete.
 */
export async function endAll(api: ApiClient, { open }: VariedKeyspace): Promise<void> {
  await api.ask('PUT', `/api/workflow/${open['paused']}/resume`);
  const sent = await fetch(`${api.url}/webhook/varied`, {
    method: 'POST',
    headers: { 'x-key': 'k' },
    body: JSON.stringify({ id: 'w-1' }),
  });
  if (sent.status !== 200) throw new Error(`The webhook answered ${sent.status}`);
  await until(
    'all executions to complete',
    async () => {
      await completePolled(api);
      const states = await Promise.all(Object.values(open).map((id) => api.workflow(id)));
      for (const state of states) await completeHeld(api, state);
      const failed = states.find(
        ({ status }) => finalStatuses.has(status) && status !== 'COMPLETED',
      );
      if (failed !== undefined) throw new Error(`${failed.workflowId} is ${failed.status}`);
      return states.every(({ status }) => status === 'COMPLETED');
    },
    { timeoutMs: 30_000 },
  );
}

async function completePolled(api: ApiClient): Promise<void> {
  for (const type of ['varied', 'varied_limited', 'varied_rated', 'varied_retry']) {
    for (const domain of type === 'varied' ? [undefined, 'far'] : [undefined]) {
      const options = { count: 20, timeoutMs: 50, ...(domain === undefined ? {} : { domain }) };
      for (const task of await api.poll(type, options)) await complete(api, task);
    }
  }
}

/** What no poll gets: tasks that a worker has, wait for their delay, or wait for somebody. */
async function completeHeld(api: ApiClient, { tasks }: WireWorkflow): Promise<void> {
  for (const task of tasks) {
    const { taskType = '' } = task as WireTask & { taskType?: string };
    const isHeld =
      ['WAIT', 'HUMAN'].includes(taskType) ||
      (taskType.startsWith('varied') && task.status === 'IN_PROGRESS') ||
      (task as { callbackAfterSeconds?: number }).callbackAfterSeconds === patienceSeconds;
    if (isHeld && ['SCHEDULED', 'IN_PROGRESS'].includes(task.status)) await complete(api, task);
  }
}

async function complete(api: ApiClient, task: WireTask): Promise<void> {
  const { taskId, workflowInstanceId } = task;
  await api.request('POST', '/api/tasks', { taskId, workflowInstanceId, status: 'COMPLETED' });
}
