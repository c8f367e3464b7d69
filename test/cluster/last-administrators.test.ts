// The last administrator stays one also where two nodes take away the last two in the same moment
// (docs/access.md, "Nobody gives what he does not have").
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLocalRedis, type RunningRedis } from '../support/redis.js';
import { adminCommand, Session, type Key } from '../support/secured-server.js';
import { startServer, type RunningServer } from '../support/server.js';
import { until } from '../support/until.js';

const rounds = 6;
const password = 'correct horse battery';

let redis: RunningRedis;
let servers: RunningServer[] = [];

beforeAll(async () => {
  redis = await startLocalRedis();
  const args = ['--auth', '--secrets-key', Buffer.alloc(32, 7).toString('base64')];
  const settings = { redisUrl: redis.url, args };
  servers = await Promise.all([startServer(settings), startServer(settings)]);
}, 60_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await redis.stop();
});

async function signIn(at: RunningServer, credentials: object): Promise<Session | undefined> {
  const { status, body } = await new Session(at.url).post('/api/token', credentials);
  if (status !== 200) return undefined;
  return new Session(at.url, { 'x-authorization': (body as { token: string }).token });
}

/** An administrator who can sign in, with a session at a node. */
async function administrator(by: Session, at: RunningServer, email: string): Promise<Session> {
  const person = { name: email, roles: ['ADMIN'], password };
  expect(await by.status('PUT', `/api/users/${email}`, person)).toBe(200);
  return await until(`the session of ${email}`, () => signIn(at, { email, password }));
}

it(
  'two nodes that each take one of the last two away leave one',
  { timeout: 120_000 },
  async () => {
    const [one, other] = servers as [RunningServer, RunningServer];
    const stored = await adminCommand(one, ['create-key', '--redis-url', redis.url]);
    const first = await until('the key', () => signIn(one, JSON.parse(stored) as Key));
    let [ann, bob] = await Promise.all([
      administrator(first, one, 'ann0@x.org'),
      administrator(first, other, 'bob0@x.org'),
    ]);
    const [made] = (await first.get('/api/applications')).body as { id: string }[];
    await until('no other administrator', async () =>
      (await ann.status('DELETE', `/api/applications/${made?.id}`)) === 200 ? true : undefined,
    );
    await until('that at the other node', async () => {
      const { body } = await bob.get('/api/applications');
      return (body as unknown[]).length === 0 ? true : undefined;
    });
    const ends: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const names = [`ann${round}@x.org`, `bob${round}@x.org`] as const;
      // Each takes itself away, at its own node.
      const [a, b] = await Promise.all([
        ann.status('DELETE', `/api/users/${names[0]}`),
        bob.status('DELETE', `/api/users/${names[1]}`),
      ]);
      ends.push([a, b].sort().join());
      const [left, at] = a === 200 ? [bob, other] : [ann, one];
      const elsewhere = at === one ? other : one;
      const again = `${at === one ? 'bob' : 'ann'}${round + 1}@x.org`;
      const next = await administrator(left, elsewhere, again);
      const stays = `${at === one ? 'ann' : 'bob'}${round + 1}@x.org`;
      const renamed = await administrator(left, at, stays);
      const former = `${at === one ? 'ann' : 'bob'}${round}@x.org`;
      expect(await renamed.status('DELETE', `/api/users/${former}`)).toBe(200);
      [ann, bob] = at === one ? [renamed, next] : [next, renamed];
      // Both nodes know of two, and of no third.
      for (const each of [ann, bob]) {
        await until('two administrators', async () => {
          const { body } = await each.get('/api/users');
          return (body as unknown[]).length === 2 ? true : undefined;
        });
      }
    }
    expect(ends).toEqual(ends.map(() => '200,409'));
  },
);
