// A body may come for minutes. What its caller may do is asked when it is whole: rights that have
// ended since the head came count no more (docs/access.md, "Callers").
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { httpLibraries } from '../support/http-libraries.js';

interface Late {
  /** Sends the rest of the body; resolves with the status. */
  finish(): Promise<number>;
}

/** Sends the head and the first byte of the body, and then asks something else. */
async function begin(by: Session, method: string, path: string, body: object): Promise<Late> {
  const text = JSON.stringify(body);
  const socket = net.connect(Number(new URL(by.url).port), '127.0.0.1');
  const headers = {
    ...{ Host: 'x', 'Content-Type': 'application/json', 'Content-Length': text.length },
    ...by.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text.slice(0, 1)}`);
  expect(await by.status('GET', '/api/token/userInfo')).toBe(200);
  return {
    finish: () =>
      new Promise((resolve, reject) => {
        socket.once('error', reject);
        socket.once('data', (data) => {
          socket.destroy();
          resolve(Number(/^HTTP\/1.1 (\d+)/.exec(data.toString())?.[1]));
        });
        socket.write(text.slice(1));
      }),
  };
}

const intruder = '/api/users/intruder@x.test';
const administrator = { name: 'intruder', roles: ['ADMIN'] };

describe.each(httpLibraries)('over %s, the rest of a body that comes behind', (library) => {
  let secured: SecuredServer;
  beforeAll(async () => {
    secured = await SecuredServer.start({ args: ['--http-server', library] });
  });
  afterAll(() => secured?.stop());

  it('the loss of a role', async () => {
    const demoted = await secured.user('demoted@x.test', ['ADMIN']);
    const late = await begin(demoted, 'PUT', intruder, administrator);
    await secured.admin.put('/api/users/demoted@x.test', { name: 'demoted', roles: ['USER'] });
    expect(await late.finish()).toBe(403);
    expect(await secured.admin.status('GET', intruder)).toBe(404);
  });

  it('the deletion of its user', async () => {
    const deleted = await secured.user('deleted@x.test', ['ADMIN']);
    const late = await begin(deleted, 'PUT', intruder, administrator);
    await secured.admin.delete('/api/users/deleted@x.test');
    expect(await late.finish()).toBe(401);
    expect(await secured.admin.status('GET', intruder)).toBe(404);
  });

  it('the deletion of its key', async () => {
    const reporter = await secured.application('reporter', ['ADMIN']);
    const late = await begin(reporter, 'PUT', intruder, administrator);
    const application = `/api/applications/${reporter.subject.slice(4)}`;
    await secured.admin.delete(`${application}/accessKeys/${reporter.key.keyId}`);
    expect(await late.finish()).toBe(401);
    expect(await secured.admin.status('GET', intruder)).toBe(404);
  });
});
