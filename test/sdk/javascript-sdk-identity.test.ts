// The JavaScript SDK with authentication on: its token, and its clients of applications, users,
// groups, grants, secrets and tags.
import {
  createConductorClient,
  noopLogger,
  OrkesClients,
  TaskManager,
  type ConductorWorker,
} from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Key } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let secured: SecuredServer;
let clients: OrkesClients;

async function clientOf(key: Key): Promise<Awaited<ReturnType<typeof createConductorClient>>> {
  return await createConductorClient({
    serverUrl: `${secured.url}/api`,
    ...key,
    useEnvVars: false,
    logger: noopLogger,
    refreshTokenInterval: 0,
  });
}

beforeAll(async () => {
  secured = await SecuredServer.start();
  clients = new OrkesClients(await clientOf(secured.key));
});
afterAll(() => secured?.stop());

const tag = { key: 'team', value: 'sdk' };

describe('the clients of the JavaScript SDK', () => {
  it('manage applications and their keys', async () => {
    const applications = clients.getApplicationClient();
    const { id } = await applications.createApplication('sdk application');
    expect((await applications.getApplication(id as string)).name).toBe('sdk application');
    const renamed = await applications.updateApplication(id as string, 'sdk renamed');
    expect(renamed.name).toBe('sdk renamed');
    const key = await applications.createAccessKey(id as string);
    expect(await applications.getAccessKeys(id as string)).toMatchObject([
      { id: key.id, status: 'ACTIVE' },
    ]);
    expect((await applications.getAppByAccessKeyId(key.id)).id).toBe(id);
    const toggled = await applications.toggleAccessKeyStatus(id as string, key.id);
    expect(toggled.status).toBe('INACTIVE');
    await applications.addApplicationRole(id as string, 'WORKER');
    await applications.removeRoleFromApplicationUser(id as string, 'WORKER');
    await applications.addApplicationTag(id as string, tag);
    expect(await applications.getApplicationTags(id as string)).toEqual([tag]);
    await applications.deleteApplicationTag(id as string, tag);
    await applications.deleteAccessKey(id as string, key.id);
    const all = await applications.getAllApplications();
    expect(all.map((each) => each.id)).toContain(id);
    await applications.deleteApplication(id as string);
    await expect(applications.getApplication(id as string)).rejects.toThrow();
  });

  it('manage users, groups and grants', async () => {
    const identity = clients.getAuthorizationClient();
    await identity.upsertGroup('sdk-group', { description: 'a group', roles: 'USER' });
    expect((await identity.getGroup('sdk-group')).description).toBe('a group');
    // The integration test of the SDK sends one role as a text.
    const user = { name: 'SDK User', roles: 'USER', groups: [] } as never;
    expect((await identity.upsertUser('Sdk@x.org', user)).id).toBe('sdk@x.org');
    await identity.addUserToGroup('sdk-group', 'sdk@x.org');
    const members = await identity.getUsersInGroup('sdk-group');
    expect(members.map(({ id }) => id)).toEqual(['sdk@x.org']);
    const subject = { type: 'USER', id: 'sdk@x.org' } as const;
    // The typings take the explanation of the id for its only value.
    const target = { type: 'WORKFLOW_DEF', id: 'sdk_flow' } as never;
    await identity.grantPermissions({ subject, target, access: ['READ', 'EXECUTE'] });
    const checked = await identity.checkPermissions('sdk@x.org', 'WORKFLOW_DEF', 'sdk_flow');
    expect(checked).toMatchObject({ READ: true, EXECUTE: true, UPDATE: false });
    const granted = await identity.getGrantedPermissionsForUser('sdk@x.org');
    expect(granted.grantedAccess).toEqual([{ target, access: ['READ', 'EXECUTE'] }]);
    await identity.removePermissions({ subject, target, access: ['EXECUTE'] });
    const left = await identity.getPermissions('WORKFLOW_DEF', 'sdk_flow');
    expect(left).toMatchObject({ READ: [subject], EXECUTE: [] });
    await identity.removeUserFromGroup('sdk-group', 'sdk@x.org');
    await identity.deleteUser('sdk@x.org');
    await identity.deleteGroup('sdk-group');
    await expect(identity.getUser('sdk@x.org')).rejects.toThrow();
  });

  it('manage secrets and the tags of definitions', async () => {
    const secrets = clients.getSecretClient();
    await secrets.putSecret('sdk_secret', 'sdk value');
    expect(await secrets.getSecret('sdk_secret')).toBe('sdk value');
    expect(await secrets.listAllSecretNames()).toContain('sdk_secret');
    expect(await secrets.listSecretsThatUserCanGrantAccessTo()).toContain('sdk_secret');
    await secrets.setSecretTags([tag], 'sdk_secret');
    expect(await secrets.getSecretTags('sdk_secret')).toEqual([tag]);
    await secrets.deleteSecretTags([tag], 'sdk_secret');
    await secrets.deleteSecret('sdk_secret');
    await expect(secrets.getSecret('sdk_secret')).rejects.toThrow();

    const metadata = clients.getMetadataClient();
    await metadata.registerTask({ name: 'sdk_work', timeoutSeconds: 0, totalTimeoutSeconds: 0 });
    const task = { name: 'sdk_work', taskReferenceName: 'w', type: 'SIMPLE' } as never;
    const def = { name: 'sdk_flow', version: 1, tasks: [task], timeoutSeconds: 0 };
    await metadata.registerWorkflowDef(def, true);
    await metadata.addWorkflowTag(tag, 'sdk_flow');
    expect(await metadata.getWorkflowTags('sdk_flow')).toEqual([tag]);
    await metadata.deleteWorkflowTag(tag, 'sdk_flow');
    await metadata.setTaskTags([tag], 'sdk_work');
    expect(await metadata.getTaskTags('sdk_work')).toEqual([tag]);
    expect(await metadata.getWorkflowRateLimit('sdk_flow')).toBeUndefined();
    const limit = { rateLimitKey: 'sdk_flow', concurrentExecLimit: 4 };
    await metadata.setWorkflowRateLimit(limit, 'sdk_flow');
    expect(await metadata.getWorkflowRateLimit('sdk_flow')).toEqual(limit);
    await metadata.removeWorkflowRateLimit('sdk_flow');
  });

  it('work with exactly the rights that they were granted', async () => {
    const worker = await secured.application('sdk worker', ['WORKER']);
    const starter = await secured.application('sdk starter');
    await secured.grant(worker, 'TASK_DEF', 'sdk_work', ['EXECUTE']);
    const executor = new OrkesClients(await clientOf(starter.key)).getWorkflowClient();
    const start = { name: 'sdk_flow', version: 1, input: {} };
    await expect(executor.startWorkflow(start)).rejects.toThrow();
    await secured.grant(starter, 'WORKFLOW_DEF', 'sdk_flow', ['EXECUTE', 'READ']);
    const id = await executor.startWorkflow(start);
    const done: ConductorWorker = {
      taskDefName: 'sdk_work',
      execute: async () => ({ status: 'COMPLETED', outputData: { by: 'worker' } }),
    };
    const manager = new TaskManager(await clientOf(worker.key), [done], {
      logger: noopLogger,
      options: { pollInterval: 10, concurrency: 1 },
    });
    manager.startPolling();
    try {
      await until('the end of the execution', async () => {
        const { status } = await executor.getWorkflow(id, true);
        return status === 'COMPLETED';
      });
    } finally {
      await manager.stopPolling();
    }
  });
});
