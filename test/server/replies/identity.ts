// Users, groups, roles, applications, grants, sessions, secrets and variables.
import { expect, it } from 'vitest';
import { oneTimeCode } from '../../support/one-time-code.js';
import { Session } from '../../../testkit/secured-server.js';
import { done, shown, secured, tagged } from './steps.js';

const password = 'a password of ann';

/** The session has ended afterwards. */
async function accountReplies(ann: Session): Promise<void> {
  const credentials = { email: ann.subject, password };
  const sessions = '/api/users/ann@x.org/sessions';
  await shown(sessions, '/api/admin/sessions');
  expect(await ann.status('GET', '/api/account')).toBe(200);
  expect(await ann.status('GET', '/api/account/sessions')).toBe(200);
  await secured.nobody.post('/api/sign-in', credentials);
  await secured.nobody.post('/api/sign-in', credentials);
  const listed = (await ann.get('/api/account/sessions')).body as { id: string; isOwn: boolean }[];
  const [first, second] = listed.filter(({ isOwn }) => !isOwn);
  expect(await ann.status('DELETE', `/api/account/sessions/${first?.id}`)).toBe(200);
  await done('DELETE', `${sessions}/${second?.id}`);
  expect(await ann.status('DELETE', '/api/account/sessions')).toBe(200);
  const factor = '/api/account/second-factor';
  for (const isRemovedByItself of [true, false]) {
    const { secret } = (await ann.post(factor, { password })).body as { secret: string };
    const code = oneTimeCode(secret, Date.now());
    const { recoveryCodes } = (await ann.post(`${factor}/confirm`, { code })).body;
    if (isRemovedByItself) {
      const proof = { password, code: recoveryCodes[0] };
      expect(await ann.status('POST', `${factor}/remove`, proof)).toBe(200);
    } else await done('DELETE', '/api/users/ann@x.org/second-factor');
  }
  const change = { password, newPassword: password };
  const changed = await ann.put('/api/account/password', change);
  expect(changed.status).toBe(200);
  await done('DELETE', sessions);
  const invitations = '/api/admin/invitations';
  const { token } = (await done('POST', invitations, { email: 'bob@x.org' })).body;
  const { id } = (await done('POST', invitations, { email: 'bea@x.org' })).body;
  await shown(invitations);
  await done('DELETE', `${invitations}/${id}`);
  const accepted = { token, password: 'a password of the invited' };
  expect(await secured.nobody.status('POST', '/api/accept-invitation', accepted)).toBe(200);
}

export function identityReplies(): void {
  it('come from users and sessions', async () => {
    const user = { name: 'Ann', roles: ['USER'], password };
    await done('PUT', '/api/users/ann@x.org', user);
    await shown(
      '/api/users',
      '/api/users/ann@x.org',
      '/api/users/ann@x.org/permissions',
      '/api/users/ann@x.org/checkPermissions?type=WORKFLOW_DEF&id=flow',
      '/api/users/ann@x.org/access?type=WORKFLOW_DEF&id=flow',
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

  it('come from accounts and invitations', async () => {
    const credentials = { email: 'ann@x.org', password };
    const { token } = (await secured.nobody.post('/api/token', credentials)).body;
    const headers = { 'x-authorization': token };
    await accountReplies(new Session(secured.url, headers, 'ann@x.org', secured.forms));
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
      '/api/admin/grants',
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
