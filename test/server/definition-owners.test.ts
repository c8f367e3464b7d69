// Schedules and webhooks start executions as their owner of record, who created them or changed
// them last (docs/access.md), with the rights that are in force at that moment (contract-core 19.3,
// contract-admin 12.6).
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
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
  const { admin } = server;
  await admin.post('/api/metadata/workflow', { name: 'definition_owners_work', tasks: [inline] });
  await admin.post('/api/metadata/workflow', { name: 'definition_owners_other', tasks: [inline] });
  await admin.post('/api/metadata/workflow', { name: 'definition_owners_waits', tasks: [waits] });
  owner = await server.application('owner', ['METADATA_MANAGER']);
  helper = await server.application('definition_owners_helper', ['METADATA_MANAGER']);
});

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
    await grant(owner, 'WORKFLOW_DEF', 'definition_owners_work', ['EXECUTE']);
    await grant(helper, 'WORKFLOW_DEF', 'definition_owners_work', ['EXECUTE']);
    expect(
      await owner.status(
        'POST',
        '/api/scheduler/schedules',
        every('definition_owners_mine', 'definition_owners_work'),
      ),
    ).toBe(200);
    const first = await nextRun('definition_owners_mine', 'EXECUTED');
    const begun = await server.admin.get(`/api/workflow/${first.workflowId}`);
    expect(begun.body.createdBy).toBe(owner.subject);
    await grant(helper, 'WORKFLOW_SCHEDULE', 'definition_owners_mine', ['UPDATE']);
    const other = every('definition_owners_mine', 'definition_owners_other');
    expect(await helper.status('POST', '/api/scheduler/schedules', other)).toBe(403);
    const changed = await helper.post(
      '/api/scheduler/schedules',
      every('definition_owners_mine', 'definition_owners_work'),
    );
    expect(changed.body).toMatchObject({ createdBy: owner.subject, updatedBy: helper.subject });
    expect(changed.body.actsAs).toBe(helper.subject);
    const { workflowId } = await nextRun(
      'definition_owners_mine',
      'EXECUTED',
      changed.body.updatedTime as number,
    );
    const execution = await server.admin.get(`/api/workflow/${workflowId}`);
    expect(execution.body.createdBy).toBe(helper.subject);
    const again = await owner.post(
      '/api/scheduler/schedules',
      every('definition_owners_mine', 'definition_owners_work'),
    );
    expect(again.body).not.toHaveProperty('actsAs');
  });

  it('fails at due times at which its creator may not start the workflow, with the reason', async () => {
    await revoke(owner, 'WORKFLOW_DEF', 'definition_owners_work', ['EXECUTE']);
    const failed = await nextRun('definition_owners_mine', 'FAILED');
    expect(failed.reason).toContain('EXECUTE');
    expect(failed).not.toHaveProperty('workflowId');
    await grant(owner, 'WORKFLOW_DEF', 'definition_owners_work', ['EXECUTE']);
    await nextRun('definition_owners_mine', 'EXECUTED', failed.scheduledTime);
  });

  it('fails once its creator is gone', async () => {
    const id = owner.subject.slice('app:'.length);
    expect(await server.admin.status('DELETE', `/api/applications/${id}`)).toBe(200);
    const { reason } = await until('the run after the end', async () => {
      const run = await nextRun('definition_owners_mine', 'FAILED');
      return run.reason?.includes('gone') === true ? run : undefined;
    });
    expect(reason).toContain(owner.subject);
  });
});

describe('a webhook', () => {
  const hook = (workflowsToStart: unknown, receiverWorkflowNamesToVersions = {}): unknown => ({
    id: 'definition_owners_hook',
    name: 'definition_owners_hook',
    sourcePlatform: 'Custom',
    verifier: 'HEADER_BASED',
    headers: { 'x-key': 'k' },
    ...{ workflowsToStart, receiverWorkflowNamesToVersions },
  });

  /** Ids of the executions that a call started or woke. */
  async function call(id: string): Promise<string[]> {
    const headers = { 'x-key': 'k' };
    const body = { id, mark: `mark ${++marks}` };
    expect(
      (await server.nobody.request('POST', '/webhook/definition_owners_hook', body, headers))
        .status,
    ).toBe(200);
    return await until('the event was dealt with', async () => {
      const shown = await server.admin.get('/api/metadata/webhook/definition_owners_hook');
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
    expect(await helper.status('POST', path, hook({ definition_owners_other: 1 }))).toBe(403);
    expect(await helper.status('POST', path, hook({}, { definition_owners_waits: 1 }))).toBe(403);
    await grant(helper, 'WORKFLOW_DEF', 'definition_owners_waits', ['EXECUTE']);
    const made = await helper.post(
      path,
      hook({ definition_owners_work: 1 }, { definition_owners_waits: 1 }),
    );
    expect(made.body).toMatchObject({ createdBy: helper.subject });
  });

  it('starts and wakes with the rights of its creator', async () => {
    const started = await server.admin.post('/api/workflow', {
      name: 'definition_owners_waits',
      input: { id: 'a' },
    });
    const waiting = started.text;
    await until('the task waits', async () => {
      const { body } = await server.admin.get(`/api/workflow/${waiting}`);
      return body.tasks[0]?.status === 'IN_PROGRESS' || undefined;
    });
    await revoke(helper, 'WORKFLOW_DEF', 'definition_owners_waits', ['EXECUTE']);
    const [begun, ...none] = await call('a');
    expect(none).toEqual([]);
    const execution = await server.admin.get(`/api/workflow/${begun}`);
    expect(execution.body).toMatchObject({
      workflowName: 'definition_owners_work',
      createdBy: helper.subject,
    });
    await revoke(helper, 'WORKFLOW_DEF', 'definition_owners_work', ['EXECUTE']);
    expect(await call('a')).toEqual([]);
    await grant(helper, 'WORKFLOW_DEF', 'definition_owners_waits', ['EXECUTE']);
    expect(await call('a')).toEqual([waiting]);
  });
});
