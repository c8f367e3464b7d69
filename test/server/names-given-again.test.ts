// A custom role, a group or a schedule is deleted and made again under its name: who had the former
// one has nothing of the new one, nor the other way round (docs/access.md, Ids that are given
// again).
import { beforeAll, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
let admin: Session;

beforeAll(() => {
  ({ admin } = server);
});

const reading = { permissions: ['READ_WORKFLOW_DEF'] };

it('a role has none of the holders of the former one: users, applications, groups', async () => {
  const name = 'names_given_again_role';
  await admin.post('/api/roles', { name, ...reading });
  const group = 'names_given_again_holding';
  await admin.put(`/api/groups/${group}`, { description: group, roles: [name] });
  const user = await server.user('names_given_again_holder@x.org', [name]);
  const member = await server.user('names_given_again_member@x.org', ['USER'], [group]);
  const application = await server.application('names_given_again_application', [name]);
  const holders = [user, member, application];
  const definition = 'names_given_again_definition';
  const tasks = [{ name: 'end', taskReferenceName: 'end', type: 'NOOP' }];
  await admin.post('/api/metadata/workflow', { name: definition, tasks });
  const seen = (): Promise<number[]> =>
    Promise.all(holders.map((each) => each.status('GET', `/api/metadata/workflow/${definition}`)));
  expect(await seen()).toEqual([200, 200, 200]);
  await admin.put(`/api/roles/${name}`, reading);
  expect(await seen()).toEqual([200, 200, 200]);
  expect(await admin.status('DELETE', `/api/roles/${name}`)).toBe(200);
  expect(await seen()).toEqual([403, 403, 403]);
  await admin.post('/api/roles', { name, ...reading });
  expect(await seen()).toEqual([403, 403, 403]);
  await admin.delete(`/api/roles/${name}`);
  await admin.put(`/api/roles/${name}`, reading);
  expect(await seen()).toEqual([403, 403, 403]);
  const roles = ['USER', name];
  await admin.put(`/api/users/${user.subject}`, { name: 'holder', roles });
  expect(await seen()).toEqual([200, 403, 403]);
});

it('an open invitation gives nothing of a role or a group that is made again', async () => {
  const [role, group] = ['names_given_again_invited', 'names_given_again_leaders'];
  const email = 'names_given_again_guest@x.org';
  await admin.post('/api/roles', { name: role, ...reading });
  await admin.put(`/api/groups/${group}`, { description: group, roles: ['USER'] });
  const invited = { email, roles: ['USER', role], groups: [group] };
  const { token } = (await admin.post('/api/admin/invitations', invited)).body;
  await admin.delete(`/api/roles/${role}`);
  await admin.delete(`/api/groups/${group}`);
  await admin.post('/api/roles', { name: role, ...reading });
  await admin.put(`/api/groups/${group}`, { description: group, roles: ['ADMIN'] });
  const password = 'the guest of an earlier group';
  const accepted = await server.nobody.post('/api/accept-invitation', { token, password });
  expect(accepted.status).toBe(200);
  const { body } = await admin.get(`/api/users/${email}`);
  expect((body.roles as { name: string }[]).map(({ name }) => name)).toEqual(['USER']);
  expect(body.groups).toEqual([]);
});

it('a schedule shows no runs of the former one, but to who may read all schedules', async () => {
  const name = 'names_given_again_schedule';
  const former = await server.user('names_given_again_former@x.org', ['USER']);
  const next = await server.user('names_given_again_next@x.org', ['USER']);
  const tasks = [{ name: 'end', taskReferenceName: 'end', type: 'NOOP' }];
  const schedule = async (by: Session, workflow: string): Promise<void> => {
    await by.post('/api/metadata/workflow', { name: workflow, tasks });
    const saved = await by.post('/api/scheduler/schedules', {
      ...{ name, cronExpression: '* * * * * *', zoneId: 'UTC' },
      startWorkflowRequest: { name: workflow, version: 1, input: { of: workflow } },
    });
    expect(saved.status).toBe(200);
  };
  const query = encodeURIComponent(`scheduleName=${name}`);
  const workflowsOf = async (by: Session): Promise<string[]> => {
    const { results } = (await by.get(`/api/scheduler/search/executions?query=${query}`)).body;
    const of = (results as { workflowName: string }[]).map(({ workflowName }) => workflowName);
    return [...new Set(of)].sort();
  };
  const [first, second] = [`${name}_first`, `${name}_second`] as const;
  const seen = (by: Session, what: readonly string[]) =>
    until(what.join(), async () => (await workflowsOf(by)).join() === what.join() || undefined);
  await schedule(former, first);
  await seen(former, [first]);
  await former.delete(`/api/scheduler/schedules/${name}`);
  await schedule(next, second);
  expect(await workflowsOf(next)).not.toContain(first);
  await seen(next, [second]);
  await seen(admin, [first, second]);
  await next.delete(`/api/scheduler/schedules/${name}`);
});
