// What strangers can do to a server with authentication on, and what another site can do with the
// session of a user (docs/access.md: Attempts to sign in, Requests of strangers, Answers).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultOf, rawCases, sendRaw } from '../attack/raw-http.js';
import { SecuredServer, Session } from '../../testkit/secured-server.js';
import { httpLibraries } from '../support/http-libraries.js';

describe.each(httpLibraries)('a server that asks for tokens, on %s', (library) => {
  let secured: SecuredServer;
  let port: number;
  const password = 'correct horse battery';

  beforeAll(async () => {
    secured = await SecuredServer.start({
      args: [`--http-server=${library}`, '--trusted-proxies=127.0.0.1'],
    });
    port = Number(new URL(secured.url).port);
    await secured.admin.put('/api/users/kim@x.org', { name: 'Kim', roles: ['USER'], password });
  });
  afterAll(() => secured?.stop());

  const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
  const signIn = (address: string, given: string, email = 'kim@x.org'): Promise<number> =>
    secured.nobody
      .request('POST', '/api/token', { email, password: given }, from(address))
      .then(({ status }) => status);

  it('refuses long names by the size of the body, before it is there', async () => {
    const body = JSON.stringify({ email: 'x'.repeat(16_000_000), password: 'x' });
    const head = `POST /api/token HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
    const answer = await sendRaw(port, head);
    expect([answer.statuses, answer.closed]).toEqual([[413], true]);
    // As long as a name can be, many times: each is one more failure and nothing else.
    const name = 'y'.repeat(60_000);
    for (let i = 0; i < 20; i++) {
      const given = { keyId: `${name}${i}`, keySecret: 'x' };
      const failed = await secured.nobody.request('POST', '/api/token', given, from('192.0.2.9'));
      expect(failed.status).toBe(401);
    }
  });

  it('refuses a body of lists without end for its size', async () => {
    const lists = `[${'[],'.repeat(20_000)}[]]`;
    expect((await secured.nobody.post('/api/token', lists)).status).toBe(400);
    const body = `[${lists},${lists}]`;
    expect((await fetch(`${secured.url}/api/token`, { method: 'POST', body })).status).toBe(413);
  });

  it('asks for the token before it takes a body', async () => {
    const head = 'POST /api/workflow HTTP/1.1\r\nHost: a\r\nContent-Length: 16000000\r\n\r\n';
    const answer = await sendRaw(port, `${head}{`);
    expect([answer.statuses, answer.closed]).toEqual([[401], true]);
    const forged =
      'PUT /api/external-payload?path=a.json&op=upload&exp=1&kid=a&sig=b HTTP/1.1\r\n' +
      'Host: a\r\nContent-Length: 16000000\r\n\r\n{';
    expect((await sendRaw(port, forged)).statuses).toEqual([403]);
  });

  it('makes ten attempts of 95 at the same moment, and its owner gets in beside them', async () => {
    expect(await signIn('192.0.2.1', password)).toBe(200);
    const wrong = Array.from({ length: 95 }, () => signIn('192.0.2.66', 'wrong password'));
    const owner = signIn('192.0.2.1', password);
    const statuses = await Promise.all(wrong);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect([...new Set(statuses)].sort()).toEqual([401, 429]);
    expect(await owner).toBe(200);
    expect(await signIn('192.0.2.66', password)).toBe(429);
  });

  it(
    'answers nobody who sends what servers could read differently',
    { timeout: 90_000 },
    async () => {
      const answers = rawCases.map(async (raw) => {
        const bytes = raw.bytes.replaceAll('/raw', '/api/workflow/raw');
        return faultOf(raw, await sendRaw(port, bytes), []);
      });
      expect((await Promise.all(answers)).filter((fault) => fault !== undefined)).toEqual([]);
      expect(await secured.admin.status('GET', '/health')).toBe(200);
    },
  );

  describe('a session', () => {
    let cookie: string;
    beforeAll(async () => {
      const { email, password: given } = { email: 'boss@x.org', password };
      await secured.admin.put(`/api/users/${email}`, {
        ...{ name: 'Boss', roles: ['ADMIN'], password: given },
      });
      const opened = await secured.nobody.post('/api/sign-in', { email, password: given });
      cookie = (opened.headers.get('set-cookie') as string).split(';')[0] as string;
    });
    const ask = (headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
      new Session(secured.url, { cookie, ...headers }).status(method, '/api/scheduler/admin/pause');

    it('changes nothing by a GET that another site made its browser send', async () => {
      expect(await ask({})).toBe(403);
      expect(await ask({ 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await ask({ 'sec-fetch-site': 'same-site' })).toBe(403);
      expect(await ask({ 'sec-fetch-site': 'none' })).toBe(403);
      expect(await ask({ referer: 'https://elsewhere.example/api' })).toBe(403);
      expect(await ask({ origin: 'https://elsewhere.example' })).toBe(403);
      expect(await ask({ 'sec-fetch-site': 'same-origin' })).toBe(200);
      expect(await ask({ referer: `${secured.url}/schedules` })).toBe(200);
      const poll = new Session(secured.url, { cookie });
      expect(await poll.status('GET', '/api/tasks/poll/anything')).toBe(403);
      expect(await poll.status('GET', '/api/scheduler/schedules')).toBe(200);
      expect(await secured.admin.status('GET', '/api/scheduler/admin/resume')).toBe(200);
    });

    it('does not make HEAD do what GET does', async () => {
      const head = (path: string): Promise<number> =>
        fetch(secured.url + path, { method: 'HEAD', headers: secured.admin.headers }).then(
          ({ status }) => status,
        );
      expect(await head('/api/scheduler/admin/pause')).toBe(405);
      expect(await head('/api/tasks/poll/batch/anything')).toBe(405);
      expect(await head('/api/scheduler/schedules')).toBe(200);
    });

    it('leaves nothing in caches', async () => {
      for (const path of ['/api/users', '/api/token/userInfo', '/health', '/api/nothing']) {
        const { headers } = await secured.admin.get(path);
        expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
      const token = await secured.nobody.post('/api/token', { email: 'kim@x.org', password });
      expect(token.headers.get('cache-control')).toBe('no-store');
      // This server is reached without TLS.
      expect(token.headers.get('strict-transport-security')).toBeNull();
    });
  });

  it('sends files as what they cannot do harm with', async () => {
    const { admin } = secured;
    await admin.put('/api/metadata/workflow', [
      { name: 'files', tasks: [{ name: 'w', taskReferenceName: 'w', type: 'WAIT' }] },
    ]);
    const workflowId = (await admin.post('/api/workflow', { name: 'files', version: 1 })).text;
    const create = (contentType: string) => admin.post('/api/files', { workflowId, contentType });
    for (const bad of ['text/html\r\nX-Evil: 1\r\n\r\n<script>', 'text', 'a/b; c', 'a/b\u0000']) {
      const refused = await create(bad);
      expect([bad, refused.status]).toEqual([bad, 400]);
      expect(refused.text).toContain('contentType');
    }
    const served: Record<string, string> = {
      'text/html': 'application/octet-stream',
      'image/svg+xml': 'application/octet-stream',
      'text/csv; charset=utf-8': 'text/csv',
    };
    for (const [given, type] of Object.entries(served)) {
      const { fileHandleId, uploadUrl } = (await create(given)).body;
      const fileId = String(fileHandleId).replace('conductor://file/', '');
      expect((await fetch(uploadUrl, { method: 'PUT', body: '<script>' })).status).toBe(204);
      await admin.post(`/api/files/${workflowId}/${fileId}/upload-complete`, {});
      const link = await admin.get(`/api/files/${workflowId}/${fileId}/download-url`);
      const content = await fetch(link.body.downloadUrl);
      expect(await content.text()).toBe('<script>');
      expect(content.headers.get('content-type')).toBe(type);
      expect(content.headers.get('content-disposition')).toBe('attachment');
      expect(content.headers.get('x-content-type-options')).toBe('nosniff');
      expect(content.headers.get('content-security-policy')).toContain('sandbox');
    }
  });
});

describe('payloads outside requests', () => {
  it('of a caller without roles are so many bytes in a day', async () => {
    const secured = await SecuredServer.start({ args: ['--payload-bytes-per-day-max=3000'] });
    try {
      const credentials = { email: 'kim@x.org', password: 'correct horse battery' };
      const user = { name: 'Kim', roles: [], password: credentials.password };
      await secured.admin.put('/api/users/kim@x.org', user);
      const { token } = (await secured.nobody.post('/api/token', credentials)).body;
      const kim = new Session(secured.url, { 'x-authorization': token });
      const ask = (session: Session) =>
        session.get(
          '/api/tasks/externalstoragelocation?path=a/&operation=WRITE&payloadType=TASK_OUTPUT',
        );
      const put = async (uri: string): Promise<number> => {
        const body = JSON.stringify({ text: 'x'.repeat(980) });
        return (await fetch(uri, { method: 'PUT', body })).status;
      };
      const uris: string[] = [];
      for (let i = 0; i < 5; i++) uris.push((await ask(kim)).body.uri);
      const statuses: number[] = [];
      for (const uri of uris) statuses.push(await put(uri));
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
      // The caller is part of what is signed.
      expect(await put((uris[4] as string).replace(/&by=[^&]*/, ''))).toBe(403);
      expect(await put((uris[4] as string).replace(/&by=[^&]*/, '&by=0123456789abcdef'))).toBe(403);
      expect(await put((await ask(secured.admin)).body.uri)).toBe(200);
    } finally {
      await secured.stop();
    }
  });
});

describe('behind a proxy with TLS', () => {
  it('has a cookie that no other host can set, and asks for TLS for ever', async () => {
    const origin = 'https://flows.example.org';
    const secured = await SecuredServer.start({ args: [`--web-origins=${origin}`] });
    try {
      const credentials = { email: 'kim@x.org', password: 'correct horse battery' };
      await secured.admin.put('/api/users/kim@x.org', {
        ...{ name: 'Kim', roles: ['USER'], password: credentials.password },
      });
      const opened = await secured.nobody.post('/api/sign-in', credentials);
      const set = opened.headers.get('set-cookie') as string;
      expect(set).toMatch(/^__Host-downbeat_session=[\w.-]+; Path=\/; .*Secure$/);
      expect(opened.headers.get('strict-transport-security')).toBe('max-age=31536000');
      const cookie = set.split(';')[0] as string;
      expect(await new Session(secured.url, { cookie }).status('GET', '/api/workflow/search')).toBe(
        200,
      );
      const tossed = cookie.replace('__Host-', '');
      const status = await new Session(secured.url, { cookie: tossed }).status(
        'GET',
        '/api/workflow/search',
      );
      expect(status).toBe(401);
    } finally {
      await secured.stop();
    }
  });
});
