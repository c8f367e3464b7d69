// Restricted task definitions (docs/access.md): using one in a workflow needs EXECUTE on it.
import { beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
let owner: Session;
let other: Session;

const task = (name: string): object => ({ name, taskReferenceName: 't', type: 'SIMPLE' });
const dynamic = {
  name: 'dynamic',
  taskReferenceName: 't',
  type: 'DYNAMIC',
  dynamicTaskNameParam: 'task',
  inputParameters: { task: '${workflow.input.task}' },
};
const fork = {
  name: 'fork',
  taskReferenceName: 'fork',
  type: 'FORK_JOIN_DYNAMIC',
  dynamicForkTasksParam: 'tasks',
  dynamicForkTasksInputParamName: 'inputs',
  inputParameters: {
    tasks: [{ name: 'restricted_tasks_guarded', taskReferenceName: 't', type: 'SIMPLE' }],
    inputs: {},
  },
};
const join = { name: 'join', taskReferenceName: 'join', type: 'JOIN' };
const child = {
  name: 'child',
  taskReferenceName: 'child',
  type: 'SUB_WORKFLOW',
  subWorkflowParam: {
    workflowDefinition: {
      name: 'restricted_tasks_inner',
      tasks: [task('restricted_tasks_guarded')],
    },
  },
};

beforeAll(async () => {
  owner = await server.user('restricted_tasks_owner@x.org', ['USER']);
  other = await server.user('restricted_tasks_other@x.org', ['USER']);
  const defs = [
    { name: 'restricted_tasks_guarded', restricted: true },
    { name: 'restricted_tasks_open' },
  ];
  expect(await owner.status('POST', '/api/metadata/taskdefs', defs)).toBe(200);
});

const workflows = '/api/metadata/workflow';
/** Not for workers; their definitions stand in what runs all the same. */
const types = ['SIMPLE', 'YIELD', 'WAIT', 'NOOP', 'HUMAN', 'JOIN'];

/** The first task `t`, once it is there, of the execution or of its child. */
async function taskOf(id: string): Promise<{ status: string; reasonForIncompletion?: string }> {
  return await until('the task', async () => {
    const { body } = await server.admin.get(`/api/workflow/${id}`);
    const tasks = body.tasks as { referenceTaskName: string; subWorkflowId?: string }[];
    const inner = tasks.find(({ subWorkflowId }) => subWorkflowId !== undefined);
    if (inner?.subWorkflowId !== undefined) return await taskOf(inner.subWorkflowId);
    return tasks.find(({ referenceTaskName }) => referenceTaskName === 't') as never;
  });
}

describe('a restricted task definition', () => {
  it.each(types)('is not shown by a task of type %s that has its name', async (type) => {
    const named = { ...task('restricted_tasks_guarded'), type };
    const def = { name: `restricted_tasks_shows_${type}`, tasks: [named] };
    const inline = { name: def.name, workflowDef: def };
    for (const [route, body] of [
      [workflows, def],
      ['/api/workflow', inline],
    ] as const) {
      const refused = await other.post(route, body);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        'restricted_tasks_other@x.org has no EXECUTE access on TASK_DEF restricted_tasks_guarded',
      ]);
    }
    expect(await owner.status('POST', '/api/workflow', inline)).toBe(200);
    const brought = { ...child, subWorkflowParam: { workflowDefinition: def } };
    const outer = { name: 'restricted_tasks_outer', tasks: [brought] };
    const started = await other.post('/api/workflow', {
      name: 'restricted_tasks_outer',
      workflowDef: outer,
    });
    const seen = await until('its end', async () => {
      const { body } = await other.get(`/api/workflow/${started.text}`);
      return body.status === 'RUNNING' ? undefined : body;
    });
    const reason =
      'restricted_tasks_other@x.org has no EXECUTE access on TASK_DEF restricted_tasks_guarded';
    expect(seen.tasks[0].reasonForIncompletion).toContain(reason);
    expect(JSON.stringify(seen)).not.toContain('"restricted":true');
  });

  it.each(types)('is not shown by a branch of type %s that comes as data', async (type) => {
    const tasks = '${workflow.input.tasks}';
    const data = { ...fork, inputParameters: { tasks, inputs: '${workflow.input.inputs}' } };
    const loop = { ...task('looping'), type: 'DO_WHILE', loopCondition: 'false' };
    const named = { ...task('restricted_tasks_guarded'), type };
    const branches = [
      { ...named, taskReferenceName: 'first' },
      { ...loop, loopOver: [{ ...named, taskReferenceName: 'inner' }] },
    ];
    const start = {
      ...{ name: 'restricted_tasks_as_data', input: { tasks: branches, inputs: {} } },
      workflowDef: { name: 'restricted_tasks_as_data', tasks: [data, join] },
    };
    const shown = async (by: Session): Promise<string> => {
      const { text } = await by.post('/api/workflow', start);
      return await until('its branches', async () => {
        const seen = (await by.get(`/api/workflow/${text}`)).text;
        return seen.includes('"referenceTaskName":"first"') ? seen : undefined;
      });
    };
    expect(await shown(other)).not.toContain('"restricted":true');
    expect(await shown(owner)).toContain('"restricted":true');
  });

  it('is shown as such, and others are not', async () => {
    const shown = await owner.get('/api/metadata/taskdefs/restricted_tasks_guarded');
    expect(shown.body).toMatchObject({ restricted: true });
    expect(
      (await owner.get('/api/metadata/taskdefs/restricted_tasks_open')).body,
    ).not.toHaveProperty('restricted');
    const wrong = await owner.post('/api/metadata/taskdefs', [
      { name: 'restricted_tasks_x', restricted: 'often' },
    ]);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('restricted')]);
  });

  it('stands in definitions of those with EXECUTE on it', async () => {
    const refused = await other.post(workflows, {
      name: 'restricted_tasks_theirs',
      tasks: [task('restricted_tasks_guarded')],
    });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('EXECUTE access on TASK_DEF restricted_tasks_guarded'),
    ]);
    const list = [{ name: 'restricted_tasks_theirs', tasks: [task('restricted_tasks_guarded')] }];
    expect(await other.status('PUT', workflows, list)).toBe(403);
    const inline = {
      name: 'restricted_tasks_in',
      workflowDef: { name: 'restricted_tasks_in', tasks: [task('restricted_tasks_guarded')] },
    };
    expect(await other.status('POST', '/api/workflow', inline)).toBe(403);
    expect(
      await other.status('POST', workflows, {
        name: 'restricted_tasks_theirs',
        tasks: [task('restricted_tasks_open')],
      }),
    ).toBe(200);
    expect(
      await owner.status('POST', workflows, {
        name: 'restricted_tasks_own',
        tasks: [task('restricted_tasks_guarded')],
      }),
    ).toBe(200);
    expect(await owner.status('POST', '/api/workflow', inline)).toBe(200);
  });

  it('is used by starters of a definition whose author may use it', async () => {
    await server.grant(other, 'WORKFLOW_DEF', 'restricted_tasks_own', ['EXECUTE']);
    const { text } = await other.post('/api/workflow', { name: 'restricted_tasks_own' });
    expect(await taskOf(text)).toMatchObject({ status: 'SCHEDULED' });
  });

  it.each<[string, object[]]>([
    ['a computed name', [dynamic]],
    ['a dynamic fork', [fork, join]],
  ])('is not used through %s', async (_by, tasks) => {
    const start = {
      name: 'restricted_tasks_in',
      input: { task: 'restricted_tasks_guarded' },
      workflowDef: { name: 'restricted_tasks_in', tasks },
    };
    const { text } = await other.post('/api/workflow', start);
    expect(await taskOf(text)).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion:
        'restricted_tasks_other@x.org has no EXECUTE access on TASK_DEF restricted_tasks_guarded',
    });
    const own = await owner.post('/api/workflow', start);
    expect(await taskOf(own.text)).toMatchObject({ status: 'SCHEDULED' });
  });

  it('is not used through a definition inside a task, which does not start', async () => {
    const start = {
      name: 'restricted_tasks_in',
      workflowDef: { name: 'restricted_tasks_in', tasks: [child] },
    };
    const { text } = await other.post('/api/workflow', start);
    const reason =
      'restricted_tasks_other@x.org has no EXECUTE access on TASK_DEF restricted_tasks_guarded';
    const failed = await until('the end of the task', async () => {
      const { body } = await other.get(`/api/workflow/${text}`);
      return body.status === 'FAILED' ? body.tasks[0] : undefined;
    });
    expect(failed.reasonForIncompletion).toContain(reason);
    expect(failed.subWorkflowId).toBeUndefined();
    const own = await owner.post('/api/workflow', start);
    expect(await taskOf(own.text)).toMatchObject({ status: 'SCHEDULED' });
  });

  it('is no longer used once the author has lost the right', async () => {
    const grant = {
      subject: { type: 'USER', id: owner.subject },
      target: { type: 'TASK_DEF', id: 'restricted_tasks_guarded' },
      access: ['EXECUTE'],
    };
    expect(await server.admin.status('DELETE', '/api/auth/authorization', grant)).toBe(200);
    const { text } = await other.post('/api/workflow', { name: 'restricted_tasks_own' });
    expect(await taskOf(text)).toMatchObject({ status: 'FAILED_WITH_TERMINAL_ERROR' });
    expect(await server.admin.status('POST', '/api/auth/authorization', grant)).toBe(200);
  });

  it('needs no role of an application that uses it', async () => {
    const app = await server.application('restricted_tasks_app', ['METADATA_API']);
    const def = { name: 'restricted_tasks_of_app', tasks: [task('restricted_tasks_guarded')] };
    expect(await app.status('POST', workflows, def)).toBe(403);
    await server.grant(app, 'TASK_DEF', 'restricted_tasks_guarded', ['EXECUTE']);
    expect(await app.status('POST', workflows, def)).toBe(200);
  });
});

describe('the setting restrictTaskDefinitions', () => {
  it('restricts every registered one', async () => {
    const strict = await SecuredServer.start({ args: ['--restrict-task-definitions'] });
    try {
      const first = await strict.user('first@x.org', ['USER']);
      const second = await strict.user('second@x.org', ['USER']);
      await first.post('/api/metadata/taskdefs', [{ name: 'plain' }]);
      const def = { name: 'uses', tasks: [task('plain')] };
      expect(await second.status('POST', workflows, def)).toBe(403);
      expect(await first.status('POST', workflows, def)).toBe(200);
      const free = { name: 'free', tasks: [task('undefined-by-anybody')] };
      expect(await second.status('POST', workflows, free)).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});
