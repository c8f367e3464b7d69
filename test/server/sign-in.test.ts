// Sign-in through an identity provider, TLS on the listener, trusted proxies, limits per key, and
// the refusal to listen without authentication.
import { execFileSync, execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { freePort } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { SecuredServer, Session } from '../../testkit/secured-server.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

let folder: string;
beforeAll(() => void (folder = createFolder()));
afterAll(() => removeFolder(folder));

describe('an identity provider', () => {
  const provider = new IdentityProvider();
  let secured: SecuredServer;

  beforeAll(async () => {
    await provider.start();
    const port = await freePort();
    secured = await SecuredServer.start({
      port,
      args: [
        `--oidc-issuer=${provider.issuer}`,
        '--oidc-client-id=downbeat',
        '--oidc-client-secret=client-secret',
        // As behind a proxy that serves only what is below this path.
        '--base-path=/tools/flows',
        `--oidc-redirect-url=http://127.0.0.1:${port}/tools/flows/api/sign-in/oidc/callback`,
        '--oidc-roles=*=USER,flow-admins=ADMIN',
        '--oidc-groups=flow-team=team',
      ],
    });
    await secured.admin.put('/api/groups/team', { description: 'from the provider' });
  });
  afterAll(async () => {
    await secured?.stop();
    await provider.stop();
  });

  /** Goes where a browser goes; the address of the callback and the cookie of the attempt. */
  async function attempt(): Promise<{ callback: string; cookie: string }> {
    const begun = await secured.nobody.get('/api/sign-in/oidc');
    expect(begun.status).toBe(302);
    const cookie = begun.headers.get('set-cookie') as string;
    expect(cookie).toMatch(/Path=\/tools\/flows\/api\/sign-in\/oidc\/callback;/);
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    const location = begun.headers.get('location') as string;
    const back = await fetch(location, { redirect: 'manual' });
    const callback = (back.headers.get('location') as string).slice(secured.url.length);
    return { callback, cookie: cookie.split(';')[0] as string };
  }

  async function signIn(claims: Record<string, unknown>): Promise<Session> {
    provider.claims = claims;
    const { callback, cookie } = await attempt();
    const answer = await new Session(secured.url, { cookie }).get(callback);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/tools/flows/']);
    const session = answer.headers.get('set-cookie') as string;
    return new Session(secured.url, { cookie: session.split(';')[0] as string });
  }

  it('signs users in, with roles and groups of their claims', async () => {
    const plain = await signIn({ email: 'Oidc@x.org', name: 'O', email_verified: true });
    const user = (await plain.get('/api/token/userInfo')).body;
    expect(user).toMatchObject({ id: 'oidc@x.org', name: 'O', groups: [] });
    expect(user.roles.map(({ name }: { name: string }) => name)).toEqual(['USER']);
    expect(await plain.status('GET', '/api/users')).toBe(403);
    const boss = await signIn({ email: 'oidc@x.org', groups: ['flow-admins', 'flow-team', 'x'] });
    expect(await boss.status('GET', '/api/users')).toBe(200);
    expect((await boss.get('/api/token/userInfo')).body.groups[0].id).toBe('team');
    // What the provider no longer says is taken away, in earlier sessions too.
    await signIn({ email: 'oidc@x.org', groups: [] });
    expect(await boss.status('GET', '/api/users')).toBe(403);
  });

  it('is not believed about another attempt, or without a usable identity', async () => {
    provider.claims = { email: 'oidc@x.org' };
    const first = await attempt();
    const second = await attempt();
    const mixed = new Session(secured.url, { cookie: second.cookie });
    expect(await mixed.status('GET', first.callback)).toBe(401);
    expect(await secured.nobody.status('GET', second.callback)).toBe(401);
    for (const claims of [
      { email: 'oidc@x.org', email_verified: false },
      { email: 'oidc@x.org', email_verified: undefined },
      { email: 'oidc@x.org', email_verified: 'true' },
      { email: 'app:1' },
      { email: 'oidc@x.org', nonce: 'another' },
      { email: 'oidc@x.org', aud: 'another' },
      { email: 'oidc@x.org', iss: 'http://127.0.0.1:1' },
      { email: 'oidc@x.org', exp: 1000 },
      {},
    ]) {
      provider.claims = claims;
      const { callback, cookie } = await attempt();
      expect(await new Session(secured.url, { cookie }).status('GET', callback)).toBe(401);
    }
  });
});

describe('an account that is there already', () => {
  const provider = new IdentityProvider();
  let secured: SecuredServer;

  beforeAll(async () => {
    await provider.start();
    const port = await freePort();
    secured = await SecuredServer.start({
      port,
      args: [
        `--oidc-issuer=${provider.issuer}`,
        '--oidc-client-id=downbeat',
        '--oidc-client-secret=client-secret',
        `--oidc-redirect-url=http://127.0.0.1:${port}/api/sign-in/oidc/callback`,
        '--oidc-roles=*=USER,flow-admins=ADMIN',
      ],
    });
    const group = { description: 'those who define', roles: ['METADATA_MANAGER'] };
    await secured.admin.put('/api/groups/definers', group);
  });
  afterAll(async () => {
    await secured?.stop();
    await provider.stop();
  });

  const signIn = (claims: Record<string, unknown>): Promise<number> =>
    statusOfSignIn(secured, provider, claims);

  it('is linked when it has no more than default rights', async () => {
    await secured.userWithPassword('plain@x.org', ['USER']);
    expect(await signIn({ email: 'plain@x.org', sub: 'one' })).toBe(302);
    // Not by another identity that shows the same address afterwards.
    expect(await signIn({ email: 'plain@x.org', sub: 'two' })).toBe(401);
    expect(await signIn({ email: 'plain@x.org', sub: 'one' })).toBe(302);
  });

  it.each<[string, string, (id: string) => Promise<unknown>]>([
    ['a role', 'role@x.org', (id) => secured.userWithPassword(id, ['ADMIN', 'WORKFLOW_MANAGER'])],
    [
      'a role of a group',
      'group@x.org',
      (id) => secured.userWithPassword(id, ['USER'], ['definers']),
    ],
    [
      'a grant',
      'grant@x.org',
      async (id) =>
        secured.grant(await secured.userWithPassword(id, ['USER']), 'WORKFLOW_DEF', 'any', [
          'READ',
        ]),
    ],
    [
      'a role and no password',
      'bare@x.org',
      (id) => secured.admin.put(`/api/users/${id}`, { name: id, roles: ['WORKFLOW_MANAGER'] }),
    ],
  ])('with %s is linked on the word of an administrator only', async (_what, id, make) => {
    await make(id);
    const link = `/api/users/${id}/provider`;
    expect(await signIn({ email: id, sub: id })).toBe(401);
    expect((await secured.admin.get(link)).body).toMatchObject({ state: 'NONE' });
    expect(await secured.admin.status('PUT', link)).toBe(200);
    expect(await signIn({ email: id, sub: id, email_verified: false })).toBe(401);
    expect(await signIn({ email: id, sub: id })).toBe(302);
    expect((await secured.admin.get(link)).body).toMatchObject({ state: 'LINKED', subject: id });
    expect(await signIn({ email: id, sub: 'another' })).toBe(401);
    expect(await secured.admin.status('DELETE', link)).toBe(200);
    expect(await signIn({ email: id, sub: id })).toBe(401);
  });

  it('keeps what the provider itself gives it', async () => {
    expect(await signIn({ email: 'boss@x.org', groups: ['flow-admins'] })).toBe(302);
    // As an account of a version that kept no links.
    expect(await secured.admin.status('DELETE', '/api/users/boss@x.org/provider')).toBe(200);
    expect(await signIn({ email: 'boss@x.org', groups: ['flow-admins'] })).toBe(302);
  });
});

describe.each(['uws', 'node'])('the listener of %s', (library) => {
  it('speaks TLS', async () => {
    const certFile = path.join(folder, `${library}.pem`);
    const keyFile = path.join(folder, `${library}.key`);
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', keyFile, '-out', certFile];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', ...kind, '-nodes', ...files, '-days', '1', ...subject], {
      stdio: 'ignore',
    });
    const port = await freePort();
    const main = path.join(projectRoot, 'dist', 'main.js');
    const tls = ['--tls-cert-file', certFile, '--tls-key-file', keyFile];
    const place = ['--port', String(port), '--data-dir', path.join(folder, library)];
    const server = execFile(process.execPath, [main, ...tls, ...place, '--http-server', library]);
    try {
      const answer = await overTls(port, certFile);
      expect(answer).toMatchObject({ healthy: true });
    } finally {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
    }
  });
});

/** Asks for the health, trusting this certificate only, until the server serves. */
async function overTls(port: number, certFile: string): Promise<unknown> {
  const ca = readFileSync(certFile);
  const ask = (): Promise<{ healthy: boolean } | undefined> =>
    new Promise((resolve) => {
      const request = https.get({ host: '127.0.0.1', port, path: '/health', ca }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () =>
          resolve(response.statusCode === 200 ? JSON.parse(body) : undefined),
        );
      });
      request.on('error', () => resolve(undefined));
    });
  return await until('health over TLS', ask, { timeoutMs: 20_000 });
}

describe('limits and proxies', () => {
  it('count per key, and see the client behind a trusted proxy', async () => {
    const secured = await SecuredServer.start({
      args: ['--requests-per-second-max=5', '--trusted-proxies=127.0.0.1'],
    });
    try {
      const wrong = { keyId: 'none', keySecret: 'x' };
      const forwarded = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' };
      await secured.nobody.request('POST', '/api/token', wrong, forwarded);
      const statuses: number[] = [];
      for (let i = 0; i < 10; i++) statuses.push(await secured.admin.status('GET', '/api/roles'));
      expect(statuses[0]).toBe(200);
      expect(statuses).toContain(429);
      const entries = await until('the entry of the refused sign-in', async () => {
        const { status, text } = await secured.admin.get('/api/admin/audit?action=createToken');
        return status === 200 && text;
      });
      expect(entries).toContain('203.0.113.9');
      expect(entries).not.toContain('198.51.100.7');
    } finally {
      await secured.stop();
    }
  });
});

describe('a start without authentication', () => {
  it('is refused beyond loopback unless told so by name', async () => {
    const main = path.join(projectRoot, 'dist', 'main.js');
    const run = promisify(execFile);
    const args = [main, '--host', '0.0.0.0', '--data-dir', path.join(folder, 'open')];
    const refused = await run(process.execPath, args, { timeout: 20_000 }).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('--auth');
  });

  it('on loopback says that everybody may do everything, and answers what asks for a token', async () => {
    const server = await startServer();
    try {
      await until('the hint', () => server.output.includes('authentication is off'));
      const session = new Session(server.url);
      const answer = await session.post('/api/token', { keyId: 'any', keySecret: 'any' });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ token: expect.any(String) });
    } finally {
      await server.stop();
    }
  });
});

describe('a claim that is no email', () => {
  const provider = new IdentityProvider();
  let secured: SecuredServer;

  beforeAll(async () => {
    await provider.start();
    const port = await freePort();
    secured = await SecuredServer.start({
      port,
      args: [
        `--oidc-issuer=${provider.issuer}`,
        '--oidc-client-id=downbeat',
        '--oidc-client-secret=client-secret',
        `--oidc-redirect-url=http://127.0.0.1:${port}/api/sign-in/oidc/callback`,
        '--oidc-user-claim=preferred_username',
        '--oidc-roles=*=USER',
      ],
    });
  });
  afterAll(async () => {
    await secured?.stop();
    await provider.stop();
  });

  const signIn = (claims: Record<string, unknown>): Promise<number> =>
    statusOfSignIn(secured, provider, claims);

  it("makes an account that is its identity's alone", async () => {
    expect(await signIn({ preferred_username: 'Kim', sub: 'one' })).toBe(302);
    expect((await secured.admin.get('/api/users/kim')).body).toMatchObject({ id: 'kim' });
    expect(await signIn({ preferred_username: 'kim', sub: 'two' })).toBe(401);
    expect(await signIn({ preferred_username: 'kim', sub: 'one' })).toBe(302);
  });

  it('opens no account that was there before, but on the word of an administrator', async () => {
    await secured.admin.put('/api/users/lee', { name: 'Lee', roles: ['USER'] });
    expect(await signIn({ preferred_username: 'lee', sub: 'three' })).toBe(401);
    expect(await secured.admin.status('PUT', '/api/users/lee/provider')).toBe(200);
    expect(await signIn({ preferred_username: 'lee', sub: 'three' })).toBe(302);
    expect(await signIn({ preferred_username: 'lee', sub: 'four' })).toBe(401);
  });

  it('is not believed where it shows an address that nobody has verified', async () => {
    const shown = { preferred_username: 'boss@x.org', sub: 'five' };
    for (const claims of [
      shown,
      { ...shown, email: 'boss@x.org', email_verified: undefined },
      { ...shown, email: 'boss@x.org', email_verified: false },
      { ...shown, email: 'other@x.org', email_verified: true },
    ]) {
      expect([claims, await signIn(claims)]).toEqual([claims, 401]);
    }
    expect(await signIn({ ...shown, email: 'Boss@x.org', email_verified: true })).toBe(302);
  });
});

/** Status of a sign-in through the provider. */
async function statusOfSignIn(
  secured: SecuredServer,
  provider: IdentityProvider,
  claims: Record<string, unknown>,
): Promise<number> {
  provider.claims = claims;
  const begun = await secured.nobody.get('/api/sign-in/oidc');
  const cookie = (begun.headers.get('set-cookie') as string).split(';')[0] as string;
  const back = await fetch(begun.headers.get('location') as string, { redirect: 'manual' });
  const callback = (back.headers.get('location') as string).slice(secured.url.length);
  return await new Session(secured.url, { cookie }).status('GET', callback);
}
