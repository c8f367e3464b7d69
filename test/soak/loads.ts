// The work of a round of the soak. Every load ends what it has started, and removes what it has
// registered under names of its own.
import http from 'node:http';
import { pause, until } from '../../testkit/until.js';
import type { ApiClient } from '../../testkit/api-client.js';
import { times } from '../../testkit/load.js';
import { finalStatuses, type WireWorkflowDef } from '../../testkit/wire.js';

export interface Round {
  readonly client: ApiClient;
  /** Of the round, from 0: names are made of it. */
  readonly round: number;
  /** Multiplies the work. */
  readonly size: number;
}

/** Resolves with how many executions it has started. */
export type Load = (round: Round) => Promise<number>;

/** Task types whose tasks workers complete. */
export const workedTypes: readonly string[] = ['soak_work'];

const atOnce = 8;
const webhookKey = 'soak-key';

type Task = WireWorkflowDef['tasks'][number];

function task(type: string, ref: string, more: Partial<Task> = {}): Task {
  return { name: ref, taskReferenceName: ref, type, ...more };
}

function worked(ref: string): Task {
  return task('SIMPLE', ref, { name: 'soak_work' });
}

function def(name: string, tasks: Task[], more: Partial<WireWorkflowDef> = {}): WireWorkflowDef {
  return { name, version: 1, ownerEmail: 'soak@example.com', tasks, ...more };
}

const wait = task('WAIT', 'w');

/** Definitions that stay for all rounds. */
export const registered: readonly WireWorkflowDef[] = [
  def('soak_chain', [worked('a'), worked('b')], { outputParameters: { v: '${b.output.v}' } }),
  def('soak_fails', [task('SIMPLE', 'a', { name: 'soak_failing' })]),
  def('soak_waits', [wait, worked('b')]),
  def('soak_loop', [
    task('DO_WHILE', 'l', {
      loopCondition: 'if ($.l.iteration < 3) { true; } else { false; }',
      loopOver: [worked('x')],
    }),
  ]),
  def('soak_parent', [
    task('SUB_WORKFLOW', 's', { subWorkflowParam: { name: 'soak_chain', version: 1 } }),
  ]),
  def('soak_fork', [
    task('FORK_JOIN', 'f', { forkTasks: [[worked('x')], [worked('y')]] }),
    task('JOIN', 'j', { joinOn: ['x', 'y'] }),
  ]),
  def('soak_dynamic', [
    task('FORK_JOIN_DYNAMIC', 'f', {
      ...{ dynamicForkTasksParam: 'tasks', dynamicForkTasksInputParamName: 'inputs' },
      inputParameters: { tasks: '${workflow.input.tasks}', inputs: {} },
    }),
    task('JOIN', 'j'),
  ]),
  def('soak_script', [
    task('INLINE', 'i', {
      inputParameters: { evaluatorType: 'javascript', expression: '$.n + 1', n: 1 },
    }),
  ]),
  def('soak_human', [
    task('HUMAN', 'h', { inputParameters: { __humanTaskDefinition: { assignments: [] } } }),
  ]),
  def('soak_hook', [
    task('WAIT_FOR_WEBHOOK', 'w', {
      inputParameters: { matches: { "$['id']": '${workflow.input.id}' } },
    }),
  ]),
  def('soak_limited', [wait], {
    rateLimitConfig: { rateLimitKey: '${workflow.input.group}', concurrentExecLimit: 2 },
  }),
  def('soak_event', [task('EVENT', 'e', { sink: 'conductor:soak', inputParameters: { x: 1 } })]),
];

/** Names of the loads of a round, in their order. */
export const loadNames = [
  'chains',
  'failures',
  'signals',
  'loops',
  'children',
  'forks',
  'terminated',
  'paused',
  'limited',
  'retried',
  'humans',
  'streams',
  'dynamic',
  'scripts',
  'idempotent',
  'synchronous',
  'webhooks',
  'events',
  'schedules',
  'definitions',
  'polls',
  'records',
  'identities',
  'bulk',
  'unknown',
] as const;

/** Starts a definition so many times a size, with a correlation id of its own each. */
function starting(name: string, many: number, after?: After): Load {
  return async ({ client, round, size }) => {
    await times(many * size, atOnce, async (i) => {
      const correlationId = `${name}-${round}-${i}`;
      const id = await client.start({ name, version: 1, input: { i }, correlationId });
      await after?.(client, id, i);
    });
    return many * size;
  };
}

type After = (client: ApiClient, id: string, i: number) => Promise<unknown>;

const report = (client: ApiClient, id: string, status: string): Promise<unknown> =>
  client.ask('POST', `/api/tasks/${id}/w/${status}`, {});

export const loads: Readonly<Record<(typeof loadNames)[number], Load>> = {
  chains: starting('soak_chain', 200),
  failures: starting('soak_fails', 40),
  signals: starting('soak_waits', 40, (client, id) => report(client, id, 'COMPLETED')),
  loops: starting('soak_loop', 20),
  children: starting('soak_parent', 20),
  forks: starting('soak_fork', 20),
  terminated: starting('soak_waits', 40, (client, id) => client.terminate(id)),
  paused: starting('soak_waits', 20, async (client, id) => {
    for (const control of ['pause', 'resume']) {
      await client.ask('PUT', `/api/workflow/${id}/${control}`);
    }
    await client.terminate(id);
  }),
  retried: starting('soak_waits', 20, async (client, id) => {
    await report(client, id, 'FAILED');
    await client.ask('POST', `/api/workflow/${id}/retry`);
    await report(client, id, 'COMPLETED');
  }),
  humans: starting('soak_human', 20, async (client, id) => {
    const { taskId } = await client.untilTask(id, 'h', 'IN_PROGRESS');
    await client.ask('POST', `/api/human/tasks/${taskId}/update?complete=true`, {});
  }),
  streams: starting('soak_waits', 10, async (client, id) => {
    await left(client, `/api/workflow/${id}/stream`, 100);
    await client.terminate(id);
  }),

  dynamic: async ({ client, round, size }) => {
    await times(20 * size, atOnce, async () => {
      const tasks = [worked(`d${round}_1`), worked(`d${round}_2`)];
      await client.start({ name: 'soak_dynamic', version: 1, input: { tasks } });
    });
    return 20 * size;
  },

  /** Most wait for a place of their group, which the end of others makes free. */
  limited: async ({ client, round, size }) => {
    const ids = await times(20 * size, atOnce, (i) =>
      client.start({ name: 'soak_limited', version: 1, input: { group: `${round}-${i % 3}` } }),
    );
    await times(ids.length, atOnce, (i) => client.terminate(ids[i] as string));
    return ids.length;
  },

  /** Each with scripts that no other one has. */
  scripts: async ({ client, round, size }) => {
    const expressionOf = (i: number): string => `$.n + ${round * 1000 + i}`;
    await times(40 * size, atOnce, async (i) => {
      const inline = { evaluatorType: 'graaljs', expression: expressionOf(i), n: 1 };
      const filter = { queryExpression: `.n + ${round * 1000 + i}`, n: 1 };
      const workflowDef = def('soak_own', [
        task('INLINE', 'i', { inputParameters: inline }),
        task('JSON_JQ_TRANSFORM', 'q', { inputParameters: filter }),
      ]);
      await client.start({ name: 'soak_own', version: 1, workflowDef });
    });
    return 40 * size;
  },

  /** Started once for each key, whose records go some time after the execution. */
  idempotent: async ({ client, round, size }) => {
    await times(20 * size, atOnce, (i) =>
      client.start({
        ...{ name: 'soak_script', version: 1, input: {}, idempotencyKey: `${round}-${i}` },
        idempotencyStrategy: 'RETURN_EXISTING',
      }),
    );
    return 20 * size;
  },

  synchronous: async ({ client, size }) => {
    const start = { name: 'soak_script', version: 1, input: {} };
    await times(40 * size, atOnce, () =>
      client.ask('POST', '/api/workflow/execute/soak_script/1', start),
    );
    return 40 * size;
  },

  /** The call of the webhook comes right after the start, and again: the task may not wait yet. */
  webhooks: async ({ client, round, size }) => {
    const name = `soak_hook_${round}`;
    const { id } = (
      await client.ask('POST', '/api/metadata/webhook', {
        ...{ name, sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
        headers: { 'x-key': webhookKey },
        receiverWorkflowNamesToVersions: { soak_hook: 1 },
      })
    ).body as { id: string };
    await times(20 * size, atOnce, async (i) => {
      const input = { id: `${round}-${i}` };
      const execution = await client.start({ name: 'soak_hook', version: 1, input });
      await until('the end of an execution', async () => {
        await client.request('POST', `/webhook/${id}`, input, { 'x-key': webhookKey });
        return await hasEnded(client, execution);
      });
    });
    await client.ask('DELETE', `/api/metadata/webhook/${id}`);
    return 20 * size;
  },

  events: async ({ client, round, size }) => {
    const name = `soak_handler_${round}`;
    await client.ask('POST', '/api/event', {
      ...{ name, event: 'conductor:soak', active: true },
      actions: [
        {
          action: 'start_workflow',
          start_workflow: { name: 'soak_script', version: 1, input: {} },
        },
      ],
    });
    await starting('soak_event', 20)({ client, round, size });
    await client.ask('DELETE', `/api/event/${name}`);
    return 20 * size;
  },

  schedules: async ({ client, round }) => {
    const name = `soak_schedule_${round}`;
    const startWorkflowRequest = { name: 'soak_script', version: 1, input: {} };
    await client.ask('POST', '/api/scheduler/schedules', {
      ...{ name, cronExpression: '* * * * * ?', startWorkflowRequest },
    });
    await pause(1500);
    await client.ask('DELETE', `/api/scheduler/schedules/${name}`);
    return 1;
  },

  /** Definitions and task types that nobody else has. */
  definitions: async ({ client, round, size }) => {
    await times(20 * size, atOnce, async (i) => {
      const [name, type] = [`soak_def_${round}_${i}`, `soak_type_${round}_${i}`];
      await client.registerTasks({ name: type });
      await client.registerWorkflows(def(name, [task('SIMPLE', 'a', { name: type })]));
      const id = await client.start({ name, version: 1 });
      await client.poll(type);
      await client.terminate(id);
      await client.ask('DELETE', `/api/metadata/workflow/${name}/1`);
      await client.ask('DELETE', `/api/metadata/taskdefs/${type}`);
    });
    return 20 * size;
  },

  /** Polls of types and domains without tasks, some of whose clients do not wait for the answer. */
  polls: async ({ client, round, size }) => {
    await times(40 * size, atOnce, async (i) => {
      const name = `${round}_${i}`;
      await client.poll(`soak_none_${name}`, { domain: name, workerId: name, timeoutMs: 20 });
      await left(client, `/api/tasks/poll/batch/soak_gone_${name}?timeout=3000&count=1`, 20);
    });
    return 0;
  },

  records: async ({ client, round }) => {
    const name = `soak_record_${round}`;
    const data = { type: 'object', properties: { [name]: { type: 'string' } } };
    const form = { name, version: 1, jsonSchema: data, templateUI: {} };
    const service = { name, type: 'HTTP', serviceURI: 'http://127.0.0.1:1' };
    const saved: [method: 'POST' | 'PUT', path: string, body: unknown][] = [
      ['PUT', `/api/secrets/${name}`, 'v'],
      ['PUT', `/api/environment/${name}`, 'v'],
      ['POST', `/api/prompts/${name}?description=d`, 'hello'],
      ['POST', `/api/integrations/provider/${name}`, provider],
      ['POST', '/api/schema', { name, version: 1, type: 'JSON', data }],
      ['POST', '/api/human/template', form],
      ['POST', '/api/registry/service', service],
    ];
    for (const [method, path, body] of saved) {
      await client.ask(method, path, body);
      const own = path.replace(/\?.*/, '');
      await client.ask('DELETE', own.endsWith(name) ? own : `${own}/${name}`);
    }
    return 0;
  },

  identities: async ({ client, round, size }) => {
    await times(10 * size, atOnce, async (i) => {
      const name = `soak_${round}_${i}`;
      const [user, group] = [`/api/users/${name}@example.com`, `/api/groups/${name}`];
      await client.ask('PUT', user, { name, roles: ['USER'] });
      await client.ask('PUT', group, { description: name, roles: [] });
      await client.ask('POST', `${group}/users/${name}@example.com`);
      const made = await client.ask('POST', '/api/applications', { name });
      const application = `/api/applications/${(made.body as { id: string }).id}`;
      await client.ask('POST', `${application}/accessKeys`);
      for (const path of [application, group, user]) await client.ask('DELETE', path);
    });
    return 0;
  },

  bulk: async ({ client, size }) => {
    const ids = await times(20 * size, atOnce, () =>
      client.start({ name: 'soak_waits', version: 1 }),
    );
    await client.ask('POST', '/api/workflow/bulk/terminate', ids);
    return ids.length;
  },

  /** Names and ids that nothing has, and words that nothing holds. */
  unknown: async ({ client, round, size }) => {
    await times(40 * size, atOnce, async (i) => {
      const name = `${round}-${i}`;
      await client.request('GET', `/api/workflow/none-${name}`);
      await client.request('GET', `/nothing/${name}`);
      await client.request('POST', '/api/workflow', { name: `none_${name}` });
      await client.request('GET', `/api/metadata/workflow/none_${name}`);
      const query = encodeURIComponent(`correlationId='${name}'`);
      await client.ask('GET', `/api/workflow/search?query=${query}&freeText=word${round}x${i}`);
    });
    return 0;
  },
};

const provider = {
  ...{ type: 'openai', category: 'AI_MODEL', enabled: true, description: 'd' },
  configuration: { api_key: 'x' },
};

/** It may be gone by then. */
async function hasEnded(client: ApiClient, id: string): Promise<boolean> {
  const { status, body } = await client.request('GET', `/api/workflow/${id}?includeTasks=false`);
  return status === 404 || finalStatuses.has((body as { status: string }).status);
}

/** Asks, and is gone after so many ms without the answer. */
function left({ url }: ApiClient, path: string, afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const request = http.get(url + path, (answer) => {
      answer.on('error', () => undefined);
      answer.resume();
    });
    request.on('error', () => undefined);
    request.on('close', () => resolve());
    setTimeout(() => request.destroy(), afterMs);
  });
}
