// Files that are made before their execution (docs/storage.md): whose they are, and how many one
// caller has.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../../testkit/secured-server.js';

let server: SecuredServer;
let maker: Session;
let other: Session;

beforeAll(async () => {
  server = await SecuredServer.start({
    args: ['--early-files-per-caller-max=3'],
  });
  maker = await server.user('maker@x.org', ['USER']);
  other = await server.user('other@x.org', ['USER']);
});
afterAll(() => server.stop());

async function made(by: Session, workflowId: string): Promise<string> {
  const { status, body } = await by.post('/api/files', { workflowId, fileName: 'a.txt' });
  expect(status).toBe(201);
  return String(body.fileHandleId).replace('conductor://file/', '');
}

it("is its maker's alone", async () => {
  const file = `/api/files/early-1/${await made(maker, 'early-1')}`;
  for (const what of ['', '/upload-url']) {
    expect(await maker.status('GET', file + what)).toBe(200);
    expect(await server.admin.status('GET', file + what)).toBe(200);
    expect(await other.status('GET', file + what)).toBe(403);
    expect(await server.nobody.status('GET', file + what)).toBe(401);
  }
  expect(await other.status('POST', `${file}/upload-complete`)).toBe(403);
});

it('counts for its maker', async () => {
  await made(other, 'early-2');
  await made(other, 'early-2');
  await made(other, 'early-3');
  const refused = await other.post('/api/files', { workflowId: 'early-4' });
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('3 files wait for executions that do not exist'),
  ]);
  await made(maker, 'early-4');
});
