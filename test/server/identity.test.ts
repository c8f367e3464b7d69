// Users, groups, roles, applications, keys, tokens and grants of a server with authentication on
// (contract-admin 1 to 6).
import { beforeAll, describe, expect, it } from 'vitest';
import { adminCommand, Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const secured = sharedSecuredServer(import.meta.url);
let admin: Session;
let nobody: Session;

beforeAll(async () => {
  ({ admin, nobody } = secured);
});

describe('a token', () => {
  it('is needed, and what is wrong with it tells a client library what to do', async () => {
    const missing = await nobody.get('/api/metadata/workflow');
    expect(missing.status).toBe(401);
    expect(missing.body).toMatchObject({ status: 401, error: 'UNAUTHORIZED' });
    const broken = new Session(secured.url, { 'x-authorization': 'no token' });
    expect((await broken.get('/api/metadata/workflow')).body).toMatchObject({
      status: 401,
      error: 'INVALID_TOKEN',
    });
    const short = await nobody.post('/api/token', { ...secured.key, expiration: 1 });
    const expired = new Session(secured.url, { 'x-authorization': short.body.token });
    const answer = await until('expired', async () => {
      const seen = await expired.get('/api/metadata/workflow');
      return seen.status === 401 ? seen : undefined;
    });
    expect(answer.body).toMatchObject({ status: 401, error: 'EXPIRED_TOKEN' });
  });

  it('may come as a bearer', async () => {
    const token = admin.headers['x-authorization'] as string;
    const bearer = new Session(secured.url, { authorization: `Bearer ${token}` });
    expect(await bearer.status('GET', '/api/users')).toBe(200);
  });

  it('is refused for wrong or missing credentials, and never with 404', async () => {
    const { keyId } = secured.key;
    const wrong = await nobody.post('/api/token', { keyId, keySecret: 'guess' });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toMatchObject({ error: 'INVALID_TOKEN' });
    expect(await nobody.status('POST', '/api/token', { keyId: 'none', keySecret: 'x' })).toBe(401);
    expect(await nobody.status('POST', '/api/token', {})).toBe(400);
    expect(await nobody.status('POST', '/api/token', { email: 'nobody@x', password: 'p' })).toBe(
      401,
    );
  });

  it('shows who its caller is', async () => {
    const app = await secured.application('identity_who', ['WORKER']);
    const user = (await app.get('/api/token/userInfo')).body;
    expect(user).toMatchObject({ id: app.subject, applicationUser: true, namespace: 'default' });
    expect(user.roles).toEqual([{ name: 'WORKER', permissions: [] }]);
    const { claims } = (await app.get('/api/token/userInfo?claims=true')).body;
    expect(claims).toMatchObject({ sub: app.subject });
    expect(claims.exp - claims.iat).toBe(86_400);
  });

  it('ceases when its key is made inactive, and works again with the key', async () => {
    const app = await secured.application('identity_toggled');
    const path = `/api/applications/${app.subject.slice(4)}/accessKeys/${app.key.keyId}/status`;
    expect(await app.status('GET', '/api/applications')).toBe(200);
    expect((await admin.post(path)).body).toMatchObject({ status: 'INACTIVE' });
    expect((await app.get('/api/applications')).body).toMatchObject({ error: 'INVALID_TOKEN' });
    expect(await nobody.status('POST', '/api/token', app.key)).toBe(401);
    expect((await admin.post(path)).body).toMatchObject({ status: 'ACTIVE' });
    expect(await app.status('GET', '/api/applications')).toBe(200);
  });

  it('ceases with its user, and with a new password', async () => {
    const user = await secured.user('identity_leaver@x.org', ['USER']);
    expect(await user.status('GET', '/api/applications')).toBe(200);
    await admin.put('/api/users/identity_leaver@x.org', {
      name: 'L',
      password: 'another password',
    });
    expect(await user.status('GET', '/api/applications')).toBe(401);
    const again = await secured.user('identity_leaver@x.org', ['USER']);
    expect(await again.status('GET', '/api/applications')).toBe(200);
    await admin.delete('/api/users/identity_leaver@x.org');
    expect(await again.status('GET', '/api/applications')).toBe(401);
  });
});

describe('failed attempts to sign in', () => {
  let tries = 0;
  it('are limited for the account, whatever the password', async () => {
    // A second try of this test has another account.
    const email = `identity_guessed${++tries}@x.org`;
    await secured.userWithPassword(email, ['USER']);
    const tried: number[] = [];
    for (let i = 0; i < 11; i++) {
      const attempt = { email, password: `guess ${i}` };
      tried.push(await nobody.status('POST', '/api/token', attempt));
    }
    expect(tried).toEqual([...Array<number>(10).fill(401), 429]);
    const right = { email, password: `password of ${email}` };
    const refused = await nobody.post('/api/token', right);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }, 30_000);
});

describe('a session of the web page', () => {
  it('is a cookie that scripts and other sites cannot use', async () => {
    const password = 'password of identity_page@x.org';
    await secured.userWithPassword('identity_page@x.org', ['ADMIN']);
    const signedIn = await nobody.post('/api/sign-in', { email: 'identity_page@x.org', password });
    expect(signedIn.body).toEqual({ id: 'identity_page@x.org' });
    const cookie = signedIn.headers.get('set-cookie') as string;
    expect(cookie).toMatch(/^downbeat_session=[\w.-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite/);
    expect(cookie).toContain('SameSite=Strict');
    const page = new Session(secured.url, { cookie: cookie.split(';')[0] as string });
    expect(await page.status('GET', '/api/users')).toBe(200);
    const group = { description: 'of the page' };
    expect(await page.status('PUT', '/api/groups/identity_paged', group)).toBe(403);
    const foreign = { origin: 'https://elsewhere.example' };
    expect((await page.request('PUT', '/api/groups/identity_paged', group, foreign)).status).toBe(
      403,
    );
    const own = { origin: secured.url };
    expect((await page.request('PUT', '/api/groups/identity_paged', group, own)).status).toBe(200);
    const out = await page.request('DELETE', '/api/sign-in', undefined, own);
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await page.status('GET', '/api/users')).toBe(401);
  });
});

describe('users', () => {
  it('are kept in lower case with roles and groups written out', async () => {
    await admin.put('/api/groups/identity_Writers', {
      description: 'who write',
      roles: ['WORKER'],
    });
    const stored = await admin.put('/api/users/identity_Some.One@x.org', {
      name: 'Some One',
      roles: 'USER',
      groups: ['identity_Writers'],
    });
    expect(stored.body).toMatchObject({
      id: 'identity_some.one@x.org',
      name: 'Some One',
      applicationUser: false,
      groups: [{ id: 'identity_Writers', description: 'who write', defaultAccess: {} }],
    });
    expect(stored.body.roles[0].permissions).toContainEqual({ name: 'CREATE_WORKFLOW_DEF' });
    const renamed = await admin.put('/api/users/identity_some.one@x.org', { name: 'Other' });
    expect(renamed.body).toMatchObject({ name: 'Other', groups: [{ id: 'identity_Writers' }] });
    expect((await admin.get('/api/users/identity_Some.One@x.org')).body.id).toBe(
      'identity_some.one@x.org',
    );
    const members = (await admin.get('/api/groups/identity_Writers/users')).body;
    expect(members.map(({ id }: { id: string }) => id)).toEqual(['identity_some.one@x.org']);
    expect((await admin.delete('/api/users/identity_some.one@x.org')).body).toEqual({
      message: "Deleted user 'identity_some.one@x.org'",
    });
    const gone = await admin.get('/api/users/identity_some.one@x.org');
    expect(gone.status).toBe(404);
    expect(gone.body.message).toContain('identity_some.one@x.org');
  });

  it('are refused with the field and the rule', async () => {
    const bad = async (body: unknown): Promise<string> => {
      const answer = await admin.put('/api/users/identity_bad@x.org', body);
      expect(answer.status).toBe(400);
      return answer.body.message as string;
    };
    expect(await bad({ roles: ['USER'] })).toContain('name');
    expect(await bad({ name: 'x', roles: ['NO_SUCH'] })).toContain('NO_SUCH');
    expect(await bad({ name: 'x', password: 'short' })).toContain('password');
    expect(await bad({ name: 'x', password: 'Password123' })).toContain('others try first');
    const grouped = { name: 'x', groups: ['no-such-group'] };
    expect(await admin.status('PUT', '/api/users/identity_bad@x.org', grouped)).toBe(404);
  });

  it('include applications when asked for', async () => {
    const app = await secured.application('identity_listed', ['USER']);
    const all = (await admin.get('/api/users?apps=true')).body as { id: string }[];
    expect(all.some(({ id }) => id === app.subject)).toBe(true);
    const persons = (await admin.get('/api/users')).body as { id: string }[];
    expect(persons.some(({ id }) => id === app.subject)).toBe(false);
    expect((await admin.get(`/api/users/${app.subject}`)).body.roles[0].name).toBe('USER');
  });
});

describe('groups', () => {
  it('take and lose members, all or none', async () => {
    await admin.put('/api/groups/identity_crew', { description: 'a crew' });
    for (const id of ['identity_a@crew', 'identity_b@crew'])
      await admin.put(`/api/users/${id}`, { name: id });
    const app = await secured.application('identity_crew_app');
    const ids = async (): Promise<string[]> =>
      (await admin.get('/api/groups/identity_crew/users')).body
        .map(({ id }: { id: string }) => id)
        .sort();
    expect(
      await admin.status('POST', '/api/groups/identity_crew/users', ['identity_a@crew', 'x@crew']),
    ).toBe(404);
    expect(await ids()).toEqual([]);
    await admin.post('/api/groups/identity_crew/users', ['identity_a@crew', 'identity_b@crew']);
    await admin.post(`/api/groups/identity_crew/users/${app.subject}`);
    await admin.post('/api/groups/identity_crew/users/identity_a@crew');
    expect(await ids()).toEqual(['identity_a@crew', app.subject, 'identity_b@crew'].sort());
    await admin.delete('/api/groups/identity_crew/users', ['identity_b@crew']);
    expect(await ids()).toEqual(['identity_a@crew', app.subject].sort());
    await admin.delete('/api/groups/identity_crew');
    expect((await admin.get('/api/users/identity_a@crew')).body.groups).toEqual([]);
    expect(await admin.status('GET', '/api/groups/identity_crew')).toBe(404);
  });

  it('pass their roles and grants on to members at once', async () => {
    await admin.put('/api/groups/identity_readers', { description: 'read', roles: ['ADMIN'] });
    const user = await secured.user('identity_member@x.org', []);
    expect(await user.status('GET', '/api/users')).toBe(403);
    await admin.post('/api/groups/identity_readers/users/identity_member@x.org');
    expect(await user.status('GET', '/api/users')).toBe(200);
    await admin.delete('/api/groups/identity_readers/users/identity_member@x.org');
    expect(await user.status('GET', '/api/users')).toBe(403);
  });

  it('do not take a user who may only read', async () => {
    await admin.put('/api/groups/identity_doers', { description: 'do' });
    await admin.put('/api/users/identity_reader@x.org', { name: 'r', roles: ['USER_READ_ONLY'] });
    expect(
      await admin.status('POST', '/api/groups/identity_doers/users/identity_reader@x.org'),
    ).toBe(400);
  });
});

describe('roles', () => {
  it('of the system are listed and stay', async () => {
    const system = (await admin.get('/api/roles/system')).body;
    expect(Object.keys(system)).toEqual(
      expect.arrayContaining(['USER', 'ADMIN', 'METADATA_MANAGER', 'WORKFLOW_MANAGER', 'WORKER']),
    );
    expect(await admin.status('DELETE', '/api/roles/ADMIN')).toBe(400);
    expect((await admin.get('/api/roles/permissions')).body.WORKFLOW_DEF).toContain(
      'READ_WORKFLOW_DEF',
    );
  });

  it('can be made, have effect, and go', async () => {
    const role = { name: 'identity_app_reader', permissions: ['READ_APPLICATION'] };
    const user = await secured.user('identity_custom@x.org', []);
    const app = await secured.application('identity_seen_by_role');
    const path = `/api/applications/${app.subject.slice(4)}`;
    expect((await admin.post('/api/roles', role)).body.name).toBe('identity_app_reader');
    expect(await admin.status('POST', '/api/roles', role)).toBe(409);
    expect(await admin.status('POST', '/api/roles', { name: 'x', permissions: ['FLY'] })).toBe(400);
    expect(await user.status('GET', path)).toBe(403);
    await admin.put('/api/users/identity_custom@x.org', {
      name: 'c',
      roles: ['identity_app_reader'],
    });
    expect(await user.status('GET', path)).toBe(200);
    const customs = (await admin.get('/api/roles/custom')).body as { name: string }[];
    expect(customs.filter(({ name }) => name.startsWith('identity_'))).toHaveLength(1);
    await admin.put('/api/roles/identity_app_reader', { permissions: ['READ_TASK_DEF'] });
    expect(await user.status('GET', path)).toBe(403);
    await admin.delete('/api/roles/identity_app_reader');
    expect(await admin.status('GET', '/api/roles/identity_app_reader')).toBe(404);
  });
});

describe('applications', () => {
  it('belong to who made them, with keys that are shown once', async () => {
    const owner = await secured.user('identity_owner@x.org', ['USER']);
    const other = await secured.user('identity_other@x.org', ['USER']);
    const made = (await owner.post('/api/applications', { name: ' identity_shop ' })).body;
    expect(made).toMatchObject({ name: 'identity_shop', createdBy: 'identity_owner@x.org' });
    expect(made.createTime).toBe(made.updateTime);
    const path = `/api/applications/${made.id}`;
    expect(await other.status('GET', path)).toBe(403);
    const key = (await owner.post(`${path}/accessKeys`)).body;
    expect((await owner.get(`${path}/accessKeys`)).body).toEqual([
      { id: key.id, createdAt: expect.any(Number), status: 'ACTIVE' },
    ]);
    expect((await owner.get(`/api/applications/key/${key.id}`)).body.id).toBe(made.id);
    expect(await other.status('GET', `/api/applications/key/${key.id}`)).toBe(403);
    expect(await owner.status('POST', `${path}/roles/WORKER`)).toBe(200);
    expect(await owner.status('POST', `${path}/roles/ADMIN`)).toBe(403);
    expect(await owner.status('POST', `${path}/roles/NONE`)).toBe(400);
    expect(await owner.status('PUT', path, { name: ' ' })).toBe(400);
    expect((await owner.put(path, { name: 'identity_store' })).body.name).toBe('identity_store');
    const listed = (await other.get('/api/applications')).body as { id: string }[];
    expect(listed.some(({ id }) => id === made.id)).toBe(false);
    expect((await owner.delete(`${path}/accessKeys/${key.id}`)).body).toEqual({
      message: `Deleted Access key '${key.id}'`,
    });
    expect((await owner.delete(path)).body).toEqual({
      message: `Deleted Application '${made.id}'`,
    });
    expect(await admin.status('GET', path)).toBe(404);
    const grants = await admin.get(`/api/auth/authorization/APPLICATION/${made.id}`);
    expect(Object.values(grants.body).flat()).toEqual([]);
  });

  it('carry tags', async () => {
    const app = await secured.application('identity_tagged');
    const path = `/api/applications/${app.subject.slice(4)}/tags`;
    const tag = { key: 'team', value: 'ops' };
    await admin.put(path, [tag, tag]);
    expect((await admin.get(path)).body).toEqual([tag]);
    await admin.delete(path, [tag]);
    expect((await admin.get(path)).body).toEqual([]);
    expect((await admin.get('/api/applications/none/tags')).body).toEqual([]);
  });
});

describe('grants', () => {
  const target = { type: 'WORKFLOW_DEF', id: 'identity_ship_order' };
  const path = '/api/auth/authorization';

  it('add to what is there, are listed both ways, and go one by one', async () => {
    const subject = { type: 'user', id: 'identity_G@x.org' };
    const granted = await admin.post(path, { subject, target, access: ['READ'] });
    expect(granted.body).toEqual({ message: 'Granted permission' });
    await admin.post(path, { subject, target, access: ['EXECUTE'] });
    const who = { type: 'USER', id: 'identity_g@x.org' };
    expect((await admin.get(`${path}/WORKFLOW_DEF/identity_ship_order`)).body).toEqual({
      CREATE: [],
      READ: [who],
      EXECUTE: [who],
      UPDATE: [],
      DELETE: [],
    });
    const bySubject = await admin.get(`${path}/WORKFLOW_DEF/identity_ship_order?groupBy=subject`);
    expect(bySubject.body).toEqual({ 'USER:identity_g@x.org': ['READ', 'EXECUTE'] });
    await admin.delete(path, { subject, target, access: ['EXECUTE'] });
    const grants = '/api/auth/subjects/USER/identity_g@x.org/grants';
    expect((await admin.get(grants)).body).toEqual([{ target, access: ['READ'] }]);
    expect((await admin.get(`${grants}?resourceType=SECRET`)).body).toEqual([]);
    expect((await admin.delete(grants)).body).toEqual({ message: 'Revoked grants' });
    expect((await admin.get(grants)).body).toEqual([]);
  });

  it('pass on only what the giver has', async () => {
    const giver = await secured.user('identity_giver@x.org', ['USER']);
    const subject = { type: 'USER', id: 'identity_taker@x.org' };
    const request = { subject, target, access: ['READ'] };
    expect(await giver.status('POST', path, request)).toBe(403);
    await secured.grant(giver, 'WORKFLOW_DEF', 'identity_ship_order', ['READ']);
    expect(await giver.status('POST', path, request)).toBe(200);
    expect(await giver.status('POST', path, { ...request, access: ['UPDATE'] })).toBe(403);
    expect(await giver.status('GET', '/api/auth/subjects/USER/identity_taker@x.org/grants')).toBe(
      403,
    );
    expect(await giver.status('GET', '/api/auth/subjects/USER/identity_giver@x.org/grants')).toBe(
      200,
    );
  });

  it('are refused with the field and the rule', async () => {
    const subject = { type: 'USER', id: 'x' };
    expect(await admin.status('POST', path, { subject, target })).toBe(400);
    expect(await admin.status('POST', path, { target, access: ['READ'] })).toBe(400);
    expect(await admin.status('POST', path, { subject, target, access: ['FLY'] })).toBe(400);
    expect(await admin.status('GET', `${path}/PLANET/x`)).toBe(400);
    expect(await admin.status('GET', `${path}/TAG/a:b?groupBy=planet`)).toBe(400);
  });

  it('reach through tags, and tell effective rights', async () => {
    const user = await secured.user('identity_tagged@x.org', []);
    const app = await secured.application('identity_by_tag');
    const id = app.subject.slice(4);
    expect((await admin.get('/api/users/identity_tagged@x.org/permissions')).body).toEqual({
      grantedAccess: [],
    });
    await admin.put(`/api/applications/${id}/tags`, [{ key: 'team', value: 'identity_tags' }]);
    await secured.grant(user, 'TAG', 'team:identity_tags', ['READ']);
    expect(await user.status('GET', `/api/applications/${id}`)).toBe(200);
    expect(await user.status('PUT', `/api/applications/${id}`, { name: 'n' })).toBe(403);
    const { grantedAccess } = (await admin.get('/api/users/identity_tagged@x.org/permissions'))
      .body;
    expect(grantedAccess).toEqual([
      { target: { type: 'TAG', id: 'team:identity_tags' }, access: ['READ'] },
      { target: { type: 'APPLICATION', id }, access: ['READ'], tag: 'team:identity_tags' },
    ]);
    const check = `/api/users/identity_tagged@x.org/checkPermissions?type=APPLICATION&id=${id}`;
    expect((await admin.get(check)).body).toEqual({
      CREATE: false,
      READ: true,
      EXECUTE: false,
      UPDATE: false,
      DELETE: false,
    });
    expect(
      await admin.status('GET', '/api/users/identity_tagged@x.org/checkPermissions?id=x'),
    ).toBe(400);
  });
});

describe('the admin command', () => {
  it('makes an administrator with a password beside the running server', async () => {
    const made = JSON.parse(
      await adminCommand(secured.server, ['create-user', 'identity_Boss@x.org']),
    ) as {
      email: string;
      password: string;
    };
    expect(made.email).toBe('identity_boss@x.org');
    const token = await until('the new user', async () => {
      const answer = await nobody.post('/api/token', made);
      return answer.status === 200 ? (answer.body.token as string) : undefined;
    });
    const boss = new Session(secured.url, { 'x-authorization': token });
    expect(await boss.status('GET', '/api/users')).toBe(200);
  });
});
