// The last administrator stays one also where two nodes take away the last two in the same moment
// (docs/access.md, "Nobody gives what he does not have").
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SecuredPair, signedIn } from '../support/secured-pair.js';
import type { Session } from '../../testkit/secured-server.js';
import type { RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const rounds = 6;
const password = 'correct horse battery';

let pair: SecuredPair;
beforeAll(async () => void (pair = await SecuredPair.start()), 60_000);
afterAll(() => pair?.stop());

const pathOf = (email: string): string => `/api/users/${email}`;

/** An administrator who can sign in, with a session at a node. */
async function administrator(by: Session, at: RunningServer, email: string): Promise<Session> {
  const person = { name: email, roles: ['ADMIN'], password };
  expect(await by.status('PUT', pathOf(email), person)).toBe(200);
  return await signedIn(at, { email, password });
}

const countAt = async (session: Session, path: string): Promise<number> =>
  ((await session.get(path)).body as unknown[]).length;

it(
  'two nodes that each take one of the last two away leave one',
  { timeout: 120_000 },
  async () => {
    const [one, other] = pair.servers;
    const [made] = (await pair.admin.get('/api/applications')).body as { id: string }[];
    // The only administrator, and where it is taken away.
    let [left, path] = [pair.admin, `/api/applications/${made?.id}`];
    const ends: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const emails = [`ann${round}@x.org`, `bob${round}@x.org`] as const;
      const ann = await administrator(left, one, emails[0]);
      const bob = await administrator(left, other, emails[1]);
      expect(await ann.status('DELETE', path)).toBe(200);
      for (const each of [ann, bob]) {
        await until('two administrators and no third', async () => {
          const others = await countAt(each, '/api/applications');
          return (others === 0 && (await countAt(each, '/api/users')) === 2) || undefined;
        });
      }
      // Each takes itself away, at its own node.
      const [a, b] = await Promise.all([
        ann.status('DELETE', pathOf(emails[0])),
        bob.status('DELETE', pathOf(emails[1])),
      ]);
      ends.push([a, b].sort().join());
      [left, path] = a === 200 ? [bob, pathOf(emails[1])] : [ann, pathOf(emails[0])];
    }
    expect(ends).toEqual(ends.map(() => '200,409'));
  },
);
