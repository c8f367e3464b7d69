// Schedules and webhooks start executions as their owner of record, who created them or changed
// them last (docs/access.md), with the rights that are in force at that moment (contract-core 19.3,
// contract-admin 12.6).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../support/secured-server.js';
import { until } from '../support/until.js';

let server: SecuredServer;
let owner: Session;
let helper: Session;

const inline = { name: 'v', taskReferenceName: 'v', type: 'NOOP' };
const waits = {
  name: 'w',
  taskReferenceName: 'w',
  type: 'WAIT_FOR_WEBHOOK',
  inputParameters: { matches: { id: '${workflow.input.id}' } },
};

beforeAll(async () => {
  server = await SecuredServer.start();
  const { admin } = server;
  await admin.post('/api/metadata/workflow', { name: 'work', tasks: [inline] });
  await admin.post('/api/metadata/workflow', { name: 'other', tasks: [inline] });
  await admin.post('/api/metadata/workflow', { name: 'waits', tasks: [waits] });
  owner = await server.application('owner', ['METADATA_MANAGER']);
  helper = await server.application('helper', ['METADATA_MANAGER']);
});
afterAll(() => server.stop());

const access = (caller: Session, type: string, id: string, rights: string[]): unknown => ({
  subject: { type: 'USER', id: caller.subject },
  target: { type, id },
  access: rights,
});

async function grant(...of: Parameters<typeof access>): Promise<void> {
  expect(await server.admin.status('POST', '/api/auth/authorization', access(...of))).toBe(200);
}

async function revoke(...of: Parameters<typeof access>): Promise<void> {
  expect(await server.admin.status('DELETE', '/api/auth/authorization', access(...of))).toBe(200);
}

interface Run {
  readonly workflowId?: string;
  readonly reason?: string;
  readonly scheduledTime: number;
}

/** The newest run of the schedule in a state that came after `since`. */
async function nextRun(schedule: string, state: string, since = 0): Promise<Run> {
  const query = encodeURIComponent(`scheduleName IN (${schedule}) AND state IN (${state})`);
  return await until(`a run ${state}`, async () => {
    const found = await server.admin.get(`/api/scheduler/search/executions?query=${query}`);
    const runs = found.body.results as Run[];
    return runs.find(({ scheduledTime }) => scheduledTime > since);
  });
}

describe('a schedule', () => {
  const every = (name: string, workflow: string): unknown => ({
    name,
    cronExpression: '* * * * * *',
    startWorkflowRequest: { name: workflow },
  });

  it('starts as its creator, and as who changed it last', async () => {
    await grant(owner, 'WORKFLOW_DEF', 'work', ['EXECUTE']);
    await grant(helper, 'WORKFLOW_DEF', 'work', ['EXECUTE']);
    expect(await owner.status('POST', '/api/scheduler/schedules', every('mine', 'work'))).toBe(200);
    const first = await nextRun('mine', 'EXECUTED');
    const begun = await server.admin.get(`/api/workflow/${first.workflowId}`);
    expect(begun.body.createdBy).toBe(owner.subject);
    await grant(helper, 'WORKFLOW_SCHEDULE', 'mine', ['UPDATE']);
    const other = every('mine', 'other');
    expect(await helper.status('POST', '/api/scheduler/schedules', other)).toBe(403);
    const changed = await helper.post('/api/scheduler/schedules', every('mine', 'work'));
    expect(changed.body).toMatchObject({ createdBy: owner.subject, updatedBy: helper.subject });
    expect(changed.body.actsAs).toBe(helper.subject);
    const { workflowId } = await nextRun('mine', 'EXECUTED', changed.body.updatedTime as number);
    const execution = await server.admin.get(`/api/workflow/${workflowId}`);
    expect(execution.body.createdBy).toBe(helper.subject);
    const again = await owner.post('/api/scheduler/schedules', every('mine', 'work'));
    expect(again.body).not.toHaveProperty('actsAs');
  });

  it('fails at due times at which its creator may not start the workflow, with the reason', async () => {
    await revoke(owner, 'WORKFLOW_DEF', 'work', ['EXECUTE']);
    const failed = await nextRun('mine', 'FAILED');
    expect(failed.reason).toContain('EXECUTE');
    expect(failed).not.toHaveProperty('workflowId');
    await grant(owner, 'WORKFLOW_DEF', 'work', ['EXECUTE']);
    await nextRun('mine', 'EXECUTED', failed.scheduledTime);
  });

  it('fails once its creator is gone', async () => {
    const id = owner.subject.slice('app:'.length);
    expect(await server.admin.status('DELETE', `/api/applications/${id}`)).toBe(200);
    const { reason } = await until('the run after the end', async () => {
      const run = await nextRun('mine', 'FAILED');
      return run.reason?.includes('gone') === true ? run : undefined;
    });
    expect(reason).toContain(owner.subject);
  });
});

describe('a webhook', () => {
  const hook = (workflowsToStart: unknown, receiverWorkflowNamesToVersions = {}): unknown => ({
    id: 'hook',
    name: 'hook',
    sourcePlatform: 'Custom',
    verifier: 'HEADER_BASED',
    headers: { 'x-key': 'k' },
    ...{ workflowsToStart, receiverWorkflowNamesToVersions },
  });

  /** Ids of the executions that a call started or woke. */
  async function call(id: string): Promise<string[]> {
    const headers = { 'x-key': 'k' };
    const body = { id, mark: `mark ${++marks}` };
    expect((await server.nobody.request('POST', '/webhook/hook', body, headers)).status).toBe(200);
    return await until('the event was dealt with', async () => {
      const shown = await server.admin.get('/api/metadata/webhook/hook');
      const history = shown.body.webhookExecutionHistory as {
        payload: string;
        workflowIds: string[];
      }[];
      return history.find(({ payload }) => payload.includes(body.mark))?.workflowIds;
    });
  }
  let marks = 0;

  it('may only name workflows that its author may start', async () => {
    const path = '/api/metadata/webhook';
    expect(await helper.status('POST', path, hook({ other: 1 }))).toBe(403);
    expect(await helper.status('POST', path, hook({}, { waits: 1 }))).toBe(403);
    await grant(helper, 'WORKFLOW_DEF', 'waits', ['EXECUTE']);
    const made = await helper.post(path, hook({ work: 1 }, { waits: 1 }));
    expect(made.body).toMatchObject({ createdBy: helper.subject });
  });

  it('starts and wakes with the rights of its creator', async () => {
    const started = await server.admin.post('/api/workflow', { name: 'waits', input: { id: 'a' } });
    const waiting = started.text;
    await until('the task waits', async () => {
      const { body } = await server.admin.get(`/api/workflow/${waiting}`);
      return body.tasks[0]?.status === 'IN_PROGRESS' || undefined;
    });
    await revoke(helper, 'WORKFLOW_DEF', 'waits', ['EXECUTE']);
    const [begun, ...none] = await call('a');
    expect(none).toEqual([]);
    const execution = await server.admin.get(`/api/workflow/${begun}`);
    expect(execution.body).toMatchObject({ workflowName: 'work', createdBy: helper.subject });
    await revoke(helper, 'WORKFLOW_DEF', 'work', ['EXECUTE']);
    expect(await call('a')).toEqual([]);
    await grant(helper, 'WORKFLOW_DEF', 'waits', ['EXECUTE']);
    expect(await call('a')).toEqual([waiting]);
  });
});
