// Users, groups, roles, applications, grants, sessions, secrets and variables.
import { expect, it } from 'vitest';
import { Session } from '../../support/secured-server.js';
import { done, shown, secured, tagged } from './steps.js';

const password = 'a password of ann';

export function identityReplies(): void {
  it('come from users and sessions', async () => {
    const user = { name: 'Ann', roles: ['USER'], password };
    await done('PUT', '/api/users/ann@x.org', user);
    await shown(
      '/api/users',
      '/api/users/ann@x.org',
      '/api/users/ann@x.org/permissions',
      '/api/users/ann@x.org/checkPermissions?type=WORKFLOW_DEF&id=flow',
      '/api/token/userInfo',
      '/api/token/userInfo?claims=true',
    );
    await done('POST', '/api/users/ann@x.org/sendInviteEmail', {});
    await done('PUT', '/api/users/ann@x.org/provider');
    await shown('/api/users/ann@x.org/provider');
    await done('DELETE', '/api/users/ann@x.org/provider');
    const credentials = { email: 'ann@x.org', password };
    const signedIn = await secured.nobody.post('/api/sign-in', credentials);
    expect(signedIn.status).toBe(200);
    const cookie = (signedIn.headers.get('set-cookie') as string).split(';')[0] as string;
    const headers = { cookie, origin: secured.url };
    const ann = new Session(secured.url, headers, 'ann@x.org', secured.forms);
    expect(await ann.status('DELETE', '/api/sign-in')).toBe(200);
    expect(await ann.status('GET', '/api/token/userInfo')).toBe(401);
  });

  it('come from groups', async () => {
    const group = '/api/groups/team';
    await done('PUT', group, { description: 'The team', roles: ['USER'] });
    await done('POST', `${group}/users/ann@x.org`);
    await shown('/api/groups', group, `${group}/users`, `${group}/permissions`);
    await done('DELETE', `${group}/users/ann@x.org`);
    await done('POST', `${group}/users`, ['ann@x.org']);
    await done('DELETE', `${group}/users`, ['ann@x.org']);
    await done('DELETE', group);
  });

  it('come from roles', async () => {
    const permissions = ['READ_TASK_DEF'];
    await done('POST', '/api/roles', { name: 'reader', permissions });
    await done('PUT', '/api/roles/reader', { permissions });
    await shown(
      '/api/roles',
      '/api/roles/custom',
      '/api/roles/permissions',
      '/api/roles/system',
      '/api/roles/reader',
    );
    await done('DELETE', '/api/roles/reader');
  });

  it('come from grants', async () => {
    const subject = { type: 'USER', id: 'ann@x.org' };
    const target = { type: 'WORKFLOW_DEF', id: 'flow' };
    await done('POST', '/api/auth/authorization', { subject, target, access: ['READ', 'UPDATE'] });
    await shown(
      '/api/auth/authorization/WORKFLOW_DEF/flow',
      '/api/auth/subjects/USER/ann@x.org/grants',
    );
    await done('DELETE', '/api/auth/authorization', { subject, target, access: ['UPDATE'] });
    await done('DELETE', '/api/auth/subjects/USER/ann@x.org/grants');
    await done('DELETE', '/api/users/ann@x.org');
  });

  it('come from applications and keys', async () => {
    const { id } = (await done('POST', '/api/applications', { name: 'robot' })).body;
    const application = `/api/applications/${id}`;
    await done('PUT', application, { name: 'robots' });
    await tagged(application);
    await done('POST', `${application}/roles/USER`);
    await done('DELETE', `${application}/roles/USER`);
    const key = (await done('POST', `${application}/accessKeys`)).body.id;
    await shown(
      '/api/applications',
      application,
      `${application}/accessKeys`,
      `/api/applications/key/${key}`,
    );
    await done('POST', `${application}/accessKeys/${key}/status`);
    await done('DELETE', `${application}/accessKeys/${key}`);
    await done('DELETE', application);
  });

  it('come from secrets and variables', async () => {
    const secret = '/api/secrets/hidden';
    await done('PUT', secret, 'value');
    await done('PUT', `${secret}/tags`, [{ key: 'team', value: 'ops' }]);
    await shown(
      secret,
      `${secret}/exists`,
      '/api/secrets',
      '/api/secrets-v2',
      '/api/secrets/v2',
      '/api/secrets/clearLocalCache',
      '/api/secrets/clearRedisCache',
    );
    await done('POST', '/api/secrets', {});
    await tagged(secret);
    await done('DELETE', secret);
    const variable = '/api/environment/region';
    await done('PUT', variable, 'north');
    await shown('/api/environment', variable);
    await tagged(variable);
    await done('DELETE', variable);
  });
}
