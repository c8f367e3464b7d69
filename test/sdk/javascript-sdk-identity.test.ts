// The JavaScript SDK with authentication on: its token, and its clients of applications, users,
// groups, grants, secrets and tags.
import {
  createConductorClient,
  noopLogger,
  OrkesClients,
  TaskManager,
  type ConductorWorker,
} from '@io-orkes/conductor-javascript';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Key } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const secured = sharedSecuredServer(import.meta.url);
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
  clients = new OrkesClients(await clientOf(secured.key));
});

const tag = { key: 'team', value: 'javascript_sdk_identity' };

describe('the clients of the JavaScript SDK', () => {
  it('manage applications and their keys', async () => {
    const applications = clients.getApplicationClient();
    const { id } = await applications.createApplication('javascript_sdk_identity_application');
    expect((await applications.getApplication(id as string)).name).toBe(
      'javascript_sdk_identity_application',
    );
    const renamed = await applications.updateApplication(
      id as string,
      'javascript_sdk_identity_renamed',
    );
    expect(renamed.name).toBe('javascript_sdk_identity_renamed');
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
    await identity.upsertGroup('javascript_sdk_identity_group', {
      description: 'a group',
      roles: 'USER',
    });
    expect((await identity.getGroup('javascript_sdk_identity_group')).description).toBe('a group');
    // The integration test of the SDK sends one role as a text.
    const user = { name: 'SDK User', roles: 'USER', groups: [] } as never;
    expect((await identity.upsertUser('javascript_sdk_identity_One@x.org', user)).id).toBe(
      'javascript_sdk_identity_one@x.org',
    );
    await identity.addUserToGroup(
      'javascript_sdk_identity_group',
      'javascript_sdk_identity_one@x.org',
    );
    const members = await identity.getUsersInGroup('javascript_sdk_identity_group');
    expect(members.map(({ id }) => id)).toEqual(['javascript_sdk_identity_one@x.org']);
    const subject = { type: 'USER', id: 'javascript_sdk_identity_one@x.org' } as const;
    // The typings take the explanation of the id for its only value.
    const target = { type: 'WORKFLOW_DEF', id: 'javascript_sdk_identity_flow' } as never;
    await identity.grantPermissions({ subject, target, access: ['READ', 'EXECUTE'] });
    const checked = await identity.checkPermissions(
      'javascript_sdk_identity_one@x.org',
      'WORKFLOW_DEF',
      'javascript_sdk_identity_flow',
    );
    expect(checked).toMatchObject({ READ: true, EXECUTE: true, UPDATE: false });
    const granted = await identity.getGrantedPermissionsForUser(
      'javascript_sdk_identity_one@x.org',
    );
    expect(granted.grantedAccess).toEqual([{ target, access: ['READ', 'EXECUTE'] }]);
    await identity.removePermissions({ subject, target, access: ['EXECUTE'] });
    const left = await identity.getPermissions('WORKFLOW_DEF', 'javascript_sdk_identity_flow');
    expect(left).toMatchObject({ READ: [subject], EXECUTE: [] });
    await identity.removeUserFromGroup(
      'javascript_sdk_identity_group',
      'javascript_sdk_identity_one@x.org',
    );
    await identity.deleteUser('javascript_sdk_identity_one@x.org');
    await identity.deleteGroup('javascript_sdk_identity_group');
    await expect(identity.getUser('javascript_sdk_identity_one@x.org')).rejects.toThrow();
  });

  it('manage secrets and the tags of definitions', async () => {
    const secrets = clients.getSecretClient();
    await secrets.putSecret('javascript_sdk_identity_secret', 'sdk value');
    expect(await secrets.getSecret('javascript_sdk_identity_secret')).toBe('sdk value');
    expect(await secrets.listAllSecretNames()).toContain('javascript_sdk_identity_secret');
    expect(await secrets.listSecretsThatUserCanGrantAccessTo()).toContain(
      'javascript_sdk_identity_secret',
    );
    await secrets.setSecretTags([tag], 'javascript_sdk_identity_secret');
    expect(await secrets.getSecretTags('javascript_sdk_identity_secret')).toEqual([tag]);
    await secrets.deleteSecretTags([tag], 'javascript_sdk_identity_secret');
    await secrets.deleteSecret('javascript_sdk_identity_secret');
    await expect(secrets.getSecret('javascript_sdk_identity_secret')).rejects.toThrow();

    const metadata = clients.getMetadataClient();
    await metadata.registerTask({
      name: 'javascript_sdk_identity_work',
      timeoutSeconds: 0,
      totalTimeoutSeconds: 0,
    });
    const task = {
      name: 'javascript_sdk_identity_work',
      taskReferenceName: 'w',
      type: 'SIMPLE',
    } as never;
    const def = {
      name: 'javascript_sdk_identity_flow',
      version: 1,
      tasks: [task],
      timeoutSeconds: 0,
    };
    await metadata.registerWorkflowDef(def, true);
    await metadata.addWorkflowTag(tag, 'javascript_sdk_identity_flow');
    expect(await metadata.getWorkflowTags('javascript_sdk_identity_flow')).toEqual([tag]);
    await metadata.deleteWorkflowTag(tag, 'javascript_sdk_identity_flow');
    await metadata.setTaskTags([tag], 'javascript_sdk_identity_work');
    expect(await metadata.getTaskTags('javascript_sdk_identity_work')).toEqual([tag]);
    expect(await metadata.getWorkflowRateLimit('javascript_sdk_identity_flow')).toBeUndefined();
    const limit = { rateLimitKey: 'javascript_sdk_identity_flow', concurrentExecLimit: 4 };
    await metadata.setWorkflowRateLimit(limit, 'javascript_sdk_identity_flow');
    expect(await metadata.getWorkflowRateLimit('javascript_sdk_identity_flow')).toEqual(limit);
    await metadata.removeWorkflowRateLimit('javascript_sdk_identity_flow');
  });

  it('work with exactly the rights that they were granted', async () => {
    const worker = await secured.application('javascript_sdk_identity_worker', ['WORKER']);
    const starter = await secured.application('javascript_sdk_identity_starter');
    await secured.grant(worker, 'TASK_DEF', 'javascript_sdk_identity_work', ['EXECUTE']);
    const executor = new OrkesClients(await clientOf(starter.key)).getWorkflowClient();
    const start = { name: 'javascript_sdk_identity_flow', version: 1, input: {} };
    await expect(executor.startWorkflow(start)).rejects.toThrow();
    await secured.grant(starter, 'WORKFLOW_DEF', 'javascript_sdk_identity_flow', [
      'EXECUTE',
      'READ',
    ]);
    const id = await executor.startWorkflow(start);
    const done: ConductorWorker = {
      taskDefName: 'javascript_sdk_identity_work',
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
