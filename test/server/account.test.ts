// What people do with their accounts (docs/access.md, "Account"): passwords, sessions, a second
// factor, invitations; keys that end and tell of their use; what asks for a token on demand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneTimeCode } from '../support/one-time-code.js';
import { adminCommand, SecuredServer, Session, type Answer } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

let secured: SecuredServer;
beforeAll(async () => void (secured = await SecuredServer.start()));
afterAll(() => secured?.stop());

const account = '/api/account';

/** A session of the page, by its cookie. */
async function signIn(email: string, password: string, code?: string): Promise<Session> {
  const answer = await secured.nobody.post('/api/sign-in', { email, password, code });
  expect(answer.status, answer.text).toBe(200);
  const cookie = (answer.headers.get('set-cookie') as string).split(';')[0] as string;
  return new Session(secured.url, { cookie, origin: secured.url }, email, secured.forms);
}

/** A user with a password, signed in at the page. */
async function user(id: string): Promise<{ page: Session; password: string }> {
  const password = `the secret words of ${id}`;
  const made = await secured.admin.put(`/api/users/${id}`, { name: id, roles: ['USER'], password });
  expect(made.status, made.text).toBe(200);
  return { page: await signIn(id, password), password };
}

async function sessionsOf(session: Session): Promise<{ id: string; isOwn: boolean }[]> {
  return (await session.get(`${account}/sessions`)).body as { id: string; isOwn: boolean }[];
}

describe('the own password', () => {
  it('is changed by who knows it, which ends the other sessions', async () => {
    const { page, password } = await user('changing@x.org');
    const other = await signIn('changing@x.org', password);
    const next = 'other secret words entirely';
    const change = (fields: object): Promise<Answer> => page.put(`${account}/password`, fields);
    expect((await change({ password: 'not this one', newPassword: next })).status).toBe(403);
    expect((await change({ password, newPassword: 'short' })).status).toBe(400);
    expect((await change({ password })).status).toBe(400);
    const changed = await change({ password, newPassword: next });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.text).not.toContain(next);
    const cookie = (changed.headers.get('set-cookie') as string).split(';')[0] as string;
    const newer = new Session(secured.url, { ...page.headers, cookie });
    expect(await newer.status('GET', account)).toBe(200);
    expect(await other.status('GET', account)).toBe(401);
    expect(await page.status('GET', account)).toBe(401);
    expect(await sessionsOf(newer)).toMatchObject([{ isOwn: true }]);
    const attempt = (given: string): Promise<number> =>
      secured.nobody.status('POST', '/api/token', { email: 'changing@x.org', password: given });
    expect([await attempt(password), await attempt(next)]).toEqual([401, 200]);
  });

  it('is guessed as seldom as at the sign-in', async () => {
    const { page } = await user('guessed@x.org');
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const guess = { password: `guess ${i}`, newPassword: 'other secret words' };
      statuses.push(await page.status('PUT', `${account}/password`, guess));
    }
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 403));
    expect(statuses.slice(10)).toEqual([429, 429]);
  });

  it('is nothing that an application has', async () => {
    const application = await secured.application('no account');
    expect(await application.status('GET', account)).toBe(400);
  });
});

describe('sessions', () => {
  it('are listed and ended one by one, and all others at once', async () => {
    const { page, password } = await user('sessions@x.org');
    const [second, third, fourth] = [
      await signIn('sessions@x.org', password),
      await signIn('sessions@x.org', password),
      await signIn('sessions@x.org', password),
    ] as const;
    expect(await sessionsOf(page)).toHaveLength(4);
    const own = (await sessionsOf(second)).find(({ isOwn }) => isOwn);
    expect(await page.status('DELETE', `${account}/sessions/${own?.id}`)).toBe(200);
    expect(await page.status('DELETE', `${account}/sessions/${own?.id}`)).toBe(404);
    expect(await second.status('GET', account)).toBe(401);
    expect(await third.status('DELETE', '/api/sign-in')).toBe(200);
    expect(await sessionsOf(page)).toHaveLength(2);
    expect((await page.delete(`${account}/sessions`)).body).toEqual({ ended: 1 });
    expect(await fourth.status('GET', account)).toBe(401);
    expect(await sessionsOf(page)).toMatchObject([{ isOwn: true, kind: 'page' }]);
  });

  it('of others are nobody’s but an administrator’s', async () => {
    const { page: mine } = await user('mine@x.org');
    const { page: theirs } = await user('theirs@x.org');
    const [{ id } = { id: '' }] = await sessionsOf(theirs);
    expect(await mine.status('DELETE', `${account}/sessions/${id}`)).toBe(404);
    expect(await mine.status('GET', '/api/users/theirs@x.org/sessions')).toBe(403);
    const path = '/api/users/theirs@x.org/sessions';
    expect((await secured.admin.get(path)).body).toMatchObject([{ id, isOwn: false }]);
    expect(await secured.admin.status('DELETE', `/api/users/mine@x.org/sessions/${id}`)).toBe(404);
    expect(await secured.admin.status('DELETE', `${path}/${id}`)).toBe(200);
    expect(await theirs.status('GET', account)).toBe(401);
    expect((await secured.admin.delete('/api/users/mine@x.org/sessions')).body).toEqual({
      ended: 1,
    });
    expect(await mine.status('GET', account)).toBe(401);
  });
});

describe('a second factor', () => {
  async function enrolled(id: string) {
    const { page, password } = await user(id);
    const enrol = `${account}/second-factor`;
    expect(await page.status('POST', enrol, { password: 'not this one' })).toBe(403);
    const { secret, uri } = (await page.post(enrol, { password })).body;
    expect(uri).toContain(secret);
    // It does not count before a code has confirmed it.
    expect(await secured.nobody.status('POST', '/api/token', { email: id, password })).toBe(200);
    expect(await page.status('POST', `${enrol}/confirm`, { code: '000000x' })).toBe(400);
    const code = oneTimeCode(secret, Date.now());
    const confirmed = await page.post(`${enrol}/confirm`, { code });
    expect(confirmed.status, confirmed.text).toBe(200);
    const { recoveryCodes } = confirmed.body as { recoveryCodes: string[] };
    expect(recoveryCodes).toHaveLength(10);
    return { page, password, secret: secret as string, code, recoveryCodes };
  }

  const token = (email: string, password: string, code?: string): Promise<Answer> =>
    secured.nobody.post('/api/token', { email, password, code });

  it('is asked for after the password, at the page and for tokens', async () => {
    const { password, secret, code } = await enrolled('second@x.org');
    for (const path of ['/api/token', '/api/sign-in']) {
      const without = await secured.nobody.post(path, { email: 'second@x.org', password });
      expect([without.status, without.body.error]).toEqual([401, 'SECOND_FACTOR']);
      const guessing = { email: 'second@x.org', password: 'not this one' };
      expect((await secured.nobody.post(path, guessing)).body.error).toBe('INVALID_TOKEN');
    }
    expect((await token('second@x.org', password, '000000')).status).toBe(401);
    // The code that has confirmed it counts no second time; the next one counts once.
    expect((await token('second@x.org', password, code)).status).toBe(401);
    const next = oneTimeCode(secret, Date.now() + 30_000);
    expect((await token('second@x.org', password, next)).status).toBe(200);
    expect((await token('second@x.org', password, next)).status).toBe(401);
  });

  it('is replaced by a recovery code once', async () => {
    const { page, password, recoveryCodes } = await enrolled('recovering@x.org');
    const [code = ''] = recoveryCodes;
    expect((await page.get(account)).body).toMatchObject({
      ...{ secondFactor: true, recoveryCodesLeft: 10 },
    });
    expect((await token('recovering@x.org', password, code.toLowerCase())).status).toBe(200);
    expect((await token('recovering@x.org', password, code)).status).toBe(401);
    expect((await page.get(account)).body).toMatchObject({ recoveryCodesLeft: 9 });
  });

  it('is removed by its person with password and code, and by an administrator', async () => {
    const { page, password, recoveryCodes } = await enrolled('removing@x.org');
    const remove = `${account}/second-factor/remove`;
    expect(await page.status('POST', remove, { password })).toBe(403);
    expect(await page.status('POST', remove, { password: 'no', code: recoveryCodes[0] })).toBe(403);
    expect(await page.status('POST', `${account}/second-factor`, { password })).toBe(409);
    expect(await page.status('POST', remove, { password, code: recoveryCodes[0] })).toBe(200);
    expect((await token('removing@x.org', password)).status).toBe(200);
    await enrolled('lost@x.org');
    const reset = '/api/users/lost@x.org/second-factor';
    expect(await page.status('DELETE', reset)).toBe(403);
    expect(await secured.admin.status('DELETE', reset)).toBe(200);
    expect((await token('lost@x.org', 'the secret words of lost@x.org')).status).toBe(200);
  });

  it('rests sealed, and shows nowhere', async () => {
    const { secret, recoveryCodes } = await enrolled('sealed@x.org');
    const shown = [
      ...['/api/users', '/api/users/sealed@x.org', '/api/admin/audit/export'].map(
        async (path) => (await secured.admin.get(path)).text,
      ),
    ];
    const text = (await Promise.all(shown)).join('');
    expect(text).toContain('sealed@x.org');
    for (const value of [secret, ...recoveryCodes]) expect(text).not.toContain(value);
  });
});

describe('an invitation', () => {
  const invitations = '/api/admin/invitations';
  const accept = (token: unknown, password: string): Promise<Answer> =>
    secured.nobody.post('/api/accept-invitation', { token, password });

  it('lets somebody set the password of a new account, once', async () => {
    const request = { email: 'Invited@x.org', name: 'Invited', roles: ['METADATA_MANAGER'] };
    const { token, id } = (await secured.admin.post(invitations, request)).body;
    const listed = await secured.admin.get(invitations);
    expect(listed.body).toMatchObject([{ id, email: 'invited@x.org' }]);
    expect(listed.text).not.toContain(token.split('.')[1]);
    expect((await accept(token, 'short')).status).toBe(400);
    expect((await accept(`${id}.${'x'.repeat(43)}`, 'some secret words')).status).toBe(403);
    expect((await accept(token, 'some secret words')).body).toEqual({ id: 'invited@x.org' });
    expect((await accept(token, 'some other words')).status).toBe(403);
    const page = await signIn('invited@x.org', 'some secret words');
    const { roles } = (await page.get('/api/token/userInfo')).body;
    expect(roles).toMatchObject([{ name: 'METADATA_MANAGER' }]);
    expect((await secured.admin.post(invitations, request)).status).toBe(409);
    expect(await page.status('POST', invitations, { email: 'more@x.org' })).toBe(403);
  });

  it('can be taken back, and refuses what an account may not be', async () => {
    const { token, id } = (await secured.admin.post(invitations, { email: 'back@x.org' })).body;
    expect(await secured.admin.status('DELETE', `${invitations}/${id}`)).toBe(200);
    expect(await secured.admin.status('DELETE', `${invitations}/${id}`)).toBe(404);
    expect((await accept(token, 'some secret words')).status).toBe(403);
    for (const [request, status] of [
      [{}, 400],
      [{ email: '' }, 400],
      [{ email: 'app:1' }, 400],
      [{ email: 'a@x.org', roles: ['NO_SUCH_ROLE'] }, 400],
      [{ email: 'a@x.org', groups: ['no such group'] }, 404],
      [{ email: 'a@x.org', password: 'some secret words' }, 400],
      [{ email: 'a@x.org', contactInformation: 'by mail' }, 400],
      [{ email: 'a@x.org', contactInformation: { phone: { home: '1' } } }, 400],
    ] as const) {
      expect((await secured.admin.post(invitations, request)).status).toBe(status);
    }
  });
});

describe('an access key', () => {
  it('tells when it was used, and counts until its end', async () => {
    const { id } = (await secured.admin.post('/api/applications', { name: 'ending' })).body;
    const keys = `/api/applications/${id}/accessKeys`;
    expect(await secured.admin.status('POST', `${keys}?expiresInSeconds=0`)).toBe(400);
    const lasting = (await secured.admin.post(keys)).body;
    const ending = (await secured.admin.post(`${keys}?expiresInSeconds=2`)).body;
    expect(lasting.expiresAt).toBeUndefined();
    expect(ending.expiresAt).toBeGreaterThan(Date.now() - 60_000);
    const tokenOf = async (key: { id: string; secret: string }): Promise<Answer> =>
      secured.nobody.post('/api/token', { keyId: key.id, keySecret: key.secret });
    const { token } = (await tokenOf(ending)).body;
    const session = new Session(secured.url, { 'x-authorization': token });
    await until('the end of the key', async () => {
      return (await session.status('GET', '/api/applications')) === 401;
    });
    expect((await tokenOf(ending)).status).toBe(401);
    const used = new Session(secured.url, {
      'x-authorization': (await tokenOf(lasting)).body.token,
    });
    expect(await used.status('GET', '/api/applications')).toBe(200);
    const uses = await until('the use of the key', async () => {
      const listed = (await secured.admin.get(keys)).body as { id: string; lastUsedAt?: number }[];
      return listed.find((key) => key.id === lasting.id)?.lastUsedAt;
    });
    const hourMs = 3_600_000;
    expect(Math.abs(uses - Date.now())).toBeLessThan(hourMs);
  });
});

describe('a server that is set so', () => {
  let strict: SecuredServer;
  beforeAll(async () => {
    const args = [
      ...['--session-idle-seconds=3', '--sessions-per-user-max=3', '--metrics-token'],
      '--unknown-secrets-as-null',
    ];
    strict = await SecuredServer.start({ args });
  });
  afterAll(() => strict?.stop());

  it('ends sessions of the page that nobody uses, and no other tokens', async () => {
    const password = 'the secret words of idle';
    await strict.admin.put('/api/users/idle@x.org', { name: 'i', roles: ['USER'], password });
    const begin = async (): Promise<Session> => {
      const answer = await strict.nobody.post('/api/sign-in', { email: 'idle@x.org', password });
      const cookie = (answer.headers.get('set-cookie') as string).split(';')[0] as string;
      return new Session(strict.url, { cookie });
    };
    const { body } = await strict.nobody.post('/api/token', { email: 'idle@x.org', password });
    const program = new Session(strict.url, { 'x-authorization': body.token });
    const [idle, busy] = [await begin(), await begin()];
    const sessions = '/api/users/idle@x.org/sessions';
    // The list of an administrator is no use of a session.
    await until('the end of the idle session', async () => {
      expect(await busy.status('GET', account)).toBe(200);
      return ((await strict.admin.get(sessions)).body as unknown[]).length === 2;
    });
    expect(await idle.status('GET', account)).toBe(401);
    expect(await busy.status('GET', account)).toBe(200);
    expect(await program.status('GET', account)).toBe(200);
  });

  it('ends the oldest session of a user where there are too many', async () => {
    const password = 'the secret words of many';
    await strict.admin.put('/api/users/many@x.org', { name: 'm', roles: ['USER'], password });
    const begin = async (): Promise<Session> => {
      const { body } = await strict.nobody.post('/api/token', { email: 'many@x.org', password });
      return new Session(strict.url, { 'x-authorization': body.token });
    };
    const [first, second] = [await begin(), await begin(), await begin()] as const;
    expect(await first.status('GET', account)).toBe(200);
    await begin();
    expect(await first.status('GET', account)).toBe(401);
    expect(await second.status('GET', account)).toBe(200);
  });

  it('asks for a token for metrics', async () => {
    expect(await strict.nobody.status('GET', '/metrics')).toBe(401);
    expect(await strict.admin.status('GET', '/metrics')).toBe(200);
    expect(await strict.nobody.status('GET', '/health')).toBe(200);
  });

  it('gives null to a task that names a secret which does not exist', async () => {
    const inputParameters = {
      alone: '${workflow.secrets.no_such}',
      within: 'a ${workflow.secrets.no_such} b',
    };
    const work = { name: 'nulls', taskReferenceName: 'nulls', type: 'SIMPLE', inputParameters };
    const def = { name: 'takes_nulls', tasks: [work] };
    expect(await strict.admin.status('POST', '/api/metadata/workflow', def)).toBe(200);
    expect(await strict.admin.status('POST', '/api/workflow', { name: def.name })).toBe(200);
    const { body } = await strict.admin.get('/api/tasks/poll/nulls?timeout=2000');
    expect(body.inputData).toMatchObject({ alone: null, within: 'a  b' });
  });
});

describe('a server whose description of the API asks for a token', () => {
  let asked: RunningServer;
  beforeAll(async () => {
    asked = await startServer({ args: ['--auth', '--api-docs-token'] });
  });
  afterAll(() => asked?.stop());

  it('gives it to callers alone, in each of its forms', async () => {
    const key = JSON.parse(await adminCommand(asked, ['create-key'])) as object;
    const nobody = new Session(asked.url);
    const token = await until('the token', async () => {
      const answer = await nobody.post('/api/token', key);
      return answer.status === 200 ? (answer.body.token as string) : undefined;
    });
    const admin = new Session(asked.url, { 'x-authorization': token });
    for (const route of ['/api-docs', '/api-docs.json', '/api-docs.html', '/v3/api-docs']) {
      expect([route, await nobody.status('GET', route)]).toEqual([route, 401]);
      expect([route, await admin.status('GET', route)]).toEqual([route, 200]);
    }
  });
});
