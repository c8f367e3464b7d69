// An execution has the rights of its starter (docs/access.md, "What runs in an execution's name"):
// what a caller may not do by a route, no task does for them.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const canary = 'canary-7f31';
const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
const end = { name: 'end', taskReferenceName: 'end', type: 'NOOP' };

const server = sharedSecuredServer(import.meta.url);
/** Owns what is attacked. */
let owner: Session;
/** USER without grants. */
let stranger: Session;
/** Running execution of the owner. */
let foreign: string;

beforeAll(async () => {
  owner = await server.user('execution_rights_owner@x.org', ['USER']);
  stranger = await server.user('execution_rights_stranger@x.org', ['USER']);
  await register(owner, { name: 'execution_rights_payment', tasks: [wait] });
  foreign = await start(owner, { name: 'execution_rights_payment', input: { canary } });
});

async function register(by: Session, def: object): Promise<void> {
  const { status, text } = await by.put('/api/metadata/workflow', [def]);
  expect([status, text]).toEqual([200, expect.anything()]);
}

async function start(by: Session, request: object): Promise<string> {
  const { status, text } = await by.post('/api/workflow', request);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return text;
}

/** The ended execution of an inline definition with these tasks. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function run(by: Session, tasks: readonly object[], more: object = {}): Promise<any> {
  const name = `of-${by.subject.split('@')[0]}`;
  const id = await start(by, { name, workflowDef: { name, tasks, ...more } });
  return await ended(id);
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function ended(id: string): Promise<any> {
  return await until(`the end of ${id}`, async () => {
    const { body } = await server.admin.get(`/api/workflow/${id}`);
    return body.status === 'RUNNING' ? undefined : body;
  });
}

async function executionsOf(name: string): Promise<number> {
  const { body } = await server.admin.get(
    `/api/workflow/search?query=${encodeURIComponent(`workflowType = ${name}`)}`,
  );
  return body.totalHits as number;
}

const refusal = (right: string): object => ({
  status: 'FAILED_WITH_TERMINAL_ERROR',
  reasonForIncompletion: expect.stringContaining(
    `execution_rights_stranger@x.org has no ${right} access on WORKFLOW ${foreign}`,
  ),
});

describe('tasks that reach other executions', () => {
  it('read none that the starter may not READ', async () => {
    const task = { name: 'get', taskReferenceName: 'get', type: 'GET_WORKFLOW' };
    const inputParameters = { id: foreign, includeTasks: true };
    const workflow = await run(stranger, [{ ...task, inputParameters }]);
    expect(workflow.tasks[0]).toMatchObject(refusal('READ'));
    expect(JSON.stringify(workflow)).not.toContain(canary);
    const own = await run(owner, [{ ...task, inputParameters }]);
    expect(own.output.input).toEqual({ canary });
  });

  it('report no task that the starter may not report', async () => {
    const task = { name: 'update', taskReferenceName: 'update', type: 'UPDATE_TASK' };
    const inputParameters = {
      ...{ taskStatus: 'COMPLETED', workflowId: foreign, taskRefName: 'wait' },
      taskOutput: { forged: true },
    };
    const workflow = await run(stranger, [{ ...task, inputParameters }]);
    expect(workflow.tasks[0].status).toBe('FAILED_WITH_TERMINAL_ERROR');
    expect(workflow.tasks[0].reasonForIncompletion).toContain(
      'execution_rights_stranger@x.org has no EXECUTE',
    );
    const { body } = await owner.get(`/api/workflow/${foreign}`);
    expect([body.status, body.tasks[0].status]).toEqual(['RUNNING', 'IN_PROGRESS']);
  });

  it('end none that the starter may not EXECUTE', async () => {
    const task = { name: 'end', taskReferenceName: 'end', type: 'TERMINATE_WORKFLOW' };
    const inputParameters = { workflowId: [foreign] };
    const workflow = await run(stranger, [{ ...task, inputParameters }]);
    expect(workflow.tasks[0]).toMatchObject(refusal('EXECUTE'));
    expect((await owner.get(`/api/workflow/${foreign}`)).body.status).toBe('RUNNING');
  });
});

const child = (name: string, more: object = {}): object => ({
  name: 'child',
  taskReferenceName: 'child',
  type: 'SUB_WORKFLOW',
  subWorkflowParam: { name, ...more },
});
const starter = (request: object | string): object => ({
  name: 'starter',
  taskReferenceName: 'starter',
  type: 'START_WORKFLOW',
  inputParameters: { startWorkflow: request },
});

describe('starts that an execution orders', () => {
  it.each([
    ['SUB_WORKFLOW', [child('execution_rights_payment')]],
    ['START_WORKFLOW', [starter({ name: 'execution_rights_payment' })]],
    [
      'START_WORKFLOW with a definition',
      [starter({ workflowDef: { name: 'execution_rights_payment', tasks: [end] } })],
    ],
    [
      'SUB_WORKFLOW with a definition',
      [
        child('execution_rights_payment', {
          workflowDefinition: { name: 'execution_rights_payment', tasks: [end] },
        }),
      ],
    ],
    [
      'FORK_JOIN_DYNAMIC',
      [
        {
          name: 'fork',
          taskReferenceName: 'fork',
          type: 'FORK_JOIN_DYNAMIC',
          inputParameters: { forkTaskWorkflow: 'execution_rights_payment', forkTaskInputs: [{}] },
        },
        { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
      ],
    ],
  ])('need the right of the starter of an inline definition: %s', async (_kind, tasks) => {
    const before = await executionsOf('execution_rights_payment');
    const workflow = await run(stranger, tasks);
    expect(workflow.status).toBe('FAILED');
    expect(workflow.reasonForIncompletion).toContain(
      'execution_rights_stranger@x.org has no EXECUTE access on WORKFLOW_DEF execution_rights_payment',
    );
    expect(await executionsOf('execution_rights_payment')).toBe(before);
  });

  it('a failure workflow needs it too, and the output says what it lacks', async () => {
    const before = await executionsOf('execution_rights_payment');
    const fail = {
      name: 'fail',
      taskReferenceName: 'fail',
      type: 'TERMINATE',
      inputParameters: { terminationStatus: 'FAILED' },
    };
    const workflow = await run(stranger, [fail], { failureWorkflow: 'execution_rights_payment' });
    const told = await until('the refusal of the failure workflow', async () => {
      const { body } = await server.admin.get(`/api/workflow/${workflow.workflowId}`);
      const text = JSON.stringify(body.output);
      return text.includes('failed to start') ? text : undefined;
    });
    expect(told).toContain('has no EXECUTE access on WORKFLOW_DEF execution_rights_payment');
    expect(await executionsOf('execution_rights_payment')).toBe(before);
  });

  it('a name in a registered definition goes by who saved it, a computed one by the starter', async () => {
    await register(owner, {
      name: 'execution_rights_entry',
      tasks: [child('execution_rights_payout')],
    });
    await register(owner, { name: 'execution_rights_payout', tasks: [end] });
    await register(owner, {
      name: 'execution_rights_computed',
      tasks: [child('${workflow.input.name}', { version: 0 })],
    });
    for (const name of ['execution_rights_entry', 'execution_rights_computed']) {
      await server.grant(stranger, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE']);
    }
    expect((await ended(await start(stranger, { name: 'execution_rights_entry' }))).status).toBe(
      'COMPLETED',
    );
    const input = { name: 'execution_rights_payout' };
    const computed = await ended(
      await start(stranger, { name: 'execution_rights_computed', input }),
    );
    expect(computed.status).toBe('FAILED');
    expect(computed.reasonForIncompletion).toContain(
      'EXECUTE access on WORKFLOW_DEF execution_rights_payout',
    );
    const byOwner = await ended(await start(owner, { name: 'execution_rights_computed', input }));
    expect(byOwner.status).toBe('COMPLETED');
  });

  it.each([
    ['SUB_WORKFLOW', () => child('', { workflowDefinition: '${workflow.input.workflowDef}' })],
    ['START_WORKFLOW', () => starter('${workflow.input}')],
  ])('a computed definition goes by the starter under any name: %s', async (type, task) => {
    const name = `execution_rights_given_${type}`;
    const named = { ...child('execution_rights_payment'), taskReferenceName: 'named' };
    const choice = {
      ...{ name: 'choice', taskReferenceName: 'choice', type: 'SWITCH' },
      ...{ evaluatorType: 'value-param', expression: 'p', inputParameters: { p: 'none' } },
    };
    await register(owner, { name, tasks: [{ ...choice, decisionCases: { x: [named] } }, task()] });
    await server.grant(stranger, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE']);
    const before = await executionsOf('execution_rights_payment');
    const workflowDef = { name: 'execution_rights_payment', version: 1, tasks: [end] };
    const input = { name: 'execution_rights_payment', workflowDef };
    const refused = await ended(await start(stranger, { name, input }));
    expect(refused.reasonForIncompletion).toContain(
      'no EXECUTE access on WORKFLOW_DEF execution_rights_payment',
    );
    expect(await executionsOf('execution_rights_payment')).toBe(before);
    expect((await ended(await start(owner, { name, input }))).status).toBe('COMPLETED');
  });

  it('who saved a definition and is gone has no rights left', async () => {
    const leaver = await server.user('leaver@x.org', ['USER']);
    await register(leaver, { name: 'execution_rights_left', tasks: [end] });
    await register(leaver, {
      name: 'execution_rights_of-leaver',
      tasks: [child('execution_rights_left')],
    });
    await server.grant(stranger, 'WORKFLOW_DEF', 'execution_rights_of-leaver', ['READ', 'EXECUTE']);
    expect(
      (await ended(await start(stranger, { name: 'execution_rights_of-leaver' }))).status,
    ).toBe('COMPLETED');
    await server.admin.delete('/api/users/leaver@x.org');
    const after = await ended(await start(stranger, { name: 'execution_rights_of-leaver' }));
    expect(after.reasonForIncompletion).toContain(
      'has no EXECUTE access on WORKFLOW_DEF execution_rights_left',
    );
  });

  it('a definition that names what its author may not execute is refused by name', async () => {
    for (const def of [
      { name: 'mine1', tasks: [child('execution_rights_payment')] },
      { name: 'mine2', tasks: [starter({ name: 'execution_rights_payment' })] },
      { name: 'mine3', tasks: [end], failureWorkflow: 'execution_rights_payment' },
    ]) {
      const { status, body } = await stranger.put('/api/metadata/workflow', [def]);
      expect([status, body.message]).toEqual([
        403,
        'execution_rights_stranger@x.org has no EXECUTE access on WORKFLOW_DEF execution_rights_payment',
      ]);
    }
    await register(stranger, { name: 'execution_rights_mine4', tasks: [child('not-there-yet')] });
  });
});

describe('inline starts under a registered name', () => {
  it('need EXECUTE on it', async () => {
    const workflowDef = { name: 'execution_rights_payment', tasks: [end] };
    for (const route of ['/api/workflow', '/api/workflow/execute/execution_rights_payment/1']) {
      const { status, body } = await stranger.post(route, {
        name: 'execution_rights_payment',
        workflowDef,
      });
      expect([route, status]).toEqual([route, 403]);
      expect(body.message).toContain(
        'has no EXECUTE access on WORKFLOW_DEF execution_rights_payment',
      );
    }
    expect(
      (await owner.post('/api/workflow', { name: 'execution_rights_payment', workflowDef })).status,
    ).toBe(200);
  });

  it('keys of one starter find nothing of another under a name that nobody has', async () => {
    const request = {
      name: 'ad-hoc',
      workflowDef: { name: 'ad-hoc', tasks: [wait] },
      idempotencyKey: 'guessed',
    };
    const one = await start(owner, { ...request, idempotencyStrategy: 'RETURN_EXISTING' });
    const other = await start(stranger, { ...request, idempotencyStrategy: 'RETURN_EXISTING' });
    expect(other).not.toBe(one);
    expect(await start(owner, { ...request, idempotencyStrategy: 'RETURN_EXISTING' })).toBe(one);
    const refused = await stranger.post('/api/workflow', request);
    expect([refused.status, refused.text.includes(one)]).toEqual([409, false]);
    expect(refused.text).toContain(other);
  });
});

describe('events under the name of a definition', () => {
  it('are taken from those only who may EXECUTE it', async () => {
    const event = 'conductor:execution_rights_payment:paid';
    await server.admin.post('/api/event', {
      ...{ name: 'execution_rights_onPaid', event, active: true },
      actions: [{ action: 'start_workflow', start_workflow: { name: 'execution_rights_payment' } }],
    });
    await server.grant(stranger, 'EVENT_HANDLER', 'execution_rights_onPaid', ['EXECUTE']);
    const refused = await stranger.post('/api/event/handleIncomingEvent', { event });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'execution_rights_stranger@x.org has no EXECUTE access on WORKFLOW_DEF execution_rights_payment',
    ]);
    await server.grant(stranger, 'WORKFLOW_DEF', 'execution_rights_payment', ['EXECUTE']);
    expect((await stranger.post('/api/event/handleIncomingEvent', { event })).status).toBe(200);
    await server.admin.delete('/api/auth/authorization', {
      subject: { type: 'USER', id: stranger.subject },
      target: { type: 'WORKFLOW_DEF', id: 'execution_rights_payment' },
      access: ['EXECUTE'],
    });
  });
});

describe('environment variables', () => {
  it('are read by those executions only whose starter may READ them', async () => {
    await server.admin.put('/api/environment/execution_rights_REGION', canary);
    const task = {
      ...end,
      type: 'SET_VARIABLE',
      inputParameters: { region: '${workflow.env.execution_rights_REGION}' },
    };
    const workflow = await run(stranger, [task]);
    expect(workflow.tasks[0]).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion:
        'execution_rights_stranger@x.org has no READ access on ENV_VARIABLE execution_rights_REGION',
    });
    const output = await run(stranger, [end], {
      outputParameters: { region: '${workflow.env.execution_rights_REGION}' },
    });
    expect(output.reasonForIncompletion).toContain(
      'no READ access on ENV_VARIABLE execution_rights_REGION',
    );
    expect(JSON.stringify([workflow, output])).not.toContain(canary);
    await server.grant(stranger, 'ENV_VARIABLE', 'execution_rights_REGION', ['READ']);
    const granted = await run(stranger, [task]);
    expect(granted.tasks[0].inputData.region).toBe(canary);
  });
});
