// Restricted task definitions (docs/access.md): using one in a workflow needs EXECUTE on it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let server: SecuredServer;
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
    tasks: [{ name: 'guarded', taskReferenceName: 't', type: 'SIMPLE' }],
    inputs: {},
  },
};
const join = { name: 'join', taskReferenceName: 'join', type: 'JOIN' };
const child = {
  name: 'child',
  taskReferenceName: 'child',
  type: 'SUB_WORKFLOW',
  subWorkflowParam: { workflowDefinition: { name: 'inner', tasks: [task('guarded')] } },
};

beforeAll(async () => {
  server = await SecuredServer.start();
  owner = await server.user('owner@x.org', ['USER']);
  other = await server.user('other@x.org', ['USER']);
  const defs = [{ name: 'guarded', restricted: true }, { name: 'open' }];
  expect(await owner.status('POST', '/api/metadata/taskdefs', defs)).toBe(200);
});
afterAll(() => server.stop());

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
    const named = { ...task('guarded'), type };
    const def = { name: `shows_${type}`, tasks: [named] };
    const inline = { name: def.name, workflowDef: def };
    for (const [route, body] of [
      [workflows, def],
      ['/api/workflow', inline],
    ] as const) {
      const refused = await other.post(route, body);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        'other@x.org has no EXECUTE access on TASK_DEF guarded',
      ]);
    }
    expect(await owner.status('POST', '/api/workflow', inline)).toBe(200);
    const brought = { ...child, subWorkflowParam: { workflowDefinition: def } };
    const outer = { name: 'outer', tasks: [brought] };
    const started = await other.post('/api/workflow', { name: 'outer', workflowDef: outer });
    const seen = await until('its end', async () => {
      const { body } = await other.get(`/api/workflow/${started.text}`);
      return body.status === 'RUNNING' ? undefined : body;
    });
    const reason = 'other@x.org has no EXECUTE access on TASK_DEF guarded';
    expect(seen.tasks[0].reasonForIncompletion).toContain(reason);
    expect(JSON.stringify(seen)).not.toContain('"restricted":true');
  });

  it.each(types)('is not shown by a branch of type %s that comes as data', async (type) => {
    const tasks = '${workflow.input.tasks}';
    const data = { ...fork, inputParameters: { tasks, inputs: '${workflow.input.inputs}' } };
    const loop = { ...task('looping'), type: 'DO_WHILE', loopCondition: 'false' };
    const named = { ...task('guarded'), type };
    const branches = [
      { ...named, taskReferenceName: 'first' },
      { ...loop, loopOver: [{ ...named, taskReferenceName: 'inner' }] },
    ];
    const start = {
      ...{ name: 'as_data', input: { tasks: branches, inputs: {} } },
      workflowDef: { name: 'as_data', tasks: [data, join] },
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
    const shown = await owner.get('/api/metadata/taskdefs/guarded');
    expect(shown.body).toMatchObject({ restricted: true });
    expect((await owner.get('/api/metadata/taskdefs/open')).body).not.toHaveProperty('restricted');
    const wrong = await owner.post('/api/metadata/taskdefs', [{ name: 'x', restricted: 'often' }]);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('restricted')]);
  });

  it('stands in definitions of those with EXECUTE on it', async () => {
    const refused = await other.post(workflows, { name: 'theirs', tasks: [task('guarded')] });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('EXECUTE access on TASK_DEF guarded'),
    ]);
    const list = [{ name: 'theirs', tasks: [task('guarded')] }];
    expect(await other.status('PUT', workflows, list)).toBe(403);
    const inline = { name: 'in', workflowDef: { name: 'in', tasks: [task('guarded')] } };
    expect(await other.status('POST', '/api/workflow', inline)).toBe(403);
    expect(await other.status('POST', workflows, { name: 'theirs', tasks: [task('open')] })).toBe(
      200,
    );
    expect(await owner.status('POST', workflows, { name: 'own', tasks: [task('guarded')] })).toBe(
      200,
    );
    expect(await owner.status('POST', '/api/workflow', inline)).toBe(200);
  });

  it('is used by starters of a definition whose author may use it', async () => {
    await server.grant(other, 'WORKFLOW_DEF', 'own', ['EXECUTE']);
    const { text } = await other.post('/api/workflow', { name: 'own' });
    expect(await taskOf(text)).toMatchObject({ status: 'SCHEDULED' });
  });

  it.each<[string, object[]]>([
    ['a computed name', [dynamic]],
    ['a dynamic fork', [fork, join]],
  ])('is not used through %s', async (_by, tasks) => {
    const start = { name: 'in', input: { task: 'guarded' }, workflowDef: { name: 'in', tasks } };
    const { text } = await other.post('/api/workflow', start);
    expect(await taskOf(text)).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: 'other@x.org has no EXECUTE access on TASK_DEF guarded',
    });
    const own = await owner.post('/api/workflow', start);
    expect(await taskOf(own.text)).toMatchObject({ status: 'SCHEDULED' });
  });

  it('is not used through a definition inside a task, which does not start', async () => {
    const start = { name: 'in', workflowDef: { name: 'in', tasks: [child] } };
    const { text } = await other.post('/api/workflow', start);
    const reason = 'other@x.org has no EXECUTE access on TASK_DEF guarded';
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
      target: { type: 'TASK_DEF', id: 'guarded' },
      access: ['EXECUTE'],
    };
    expect(await server.admin.status('DELETE', '/api/auth/authorization', grant)).toBe(200);
    const { text } = await other.post('/api/workflow', { name: 'own' });
    expect(await taskOf(text)).toMatchObject({ status: 'FAILED_WITH_TERMINAL_ERROR' });
    expect(await server.admin.status('POST', '/api/auth/authorization', grant)).toBe(200);
  });

  it('needs no role of an application that uses it', async () => {
    const app = await server.application('app', ['METADATA_API']);
    const def = { name: 'of-app', tasks: [task('guarded')] };
    expect(await app.status('POST', workflows, def)).toBe(403);
    await server.grant(app, 'TASK_DEF', 'guarded', ['EXECUTE']);
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
