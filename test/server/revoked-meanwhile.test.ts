// A request that takes its time, or waits for its turn, does nothing more once its caller's token
// or role has ended (docs/access.md, Callers): rights are asked when the turn comes.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
const prefix = 'revoked_meanwhile';
let admin: Session;

beforeAll(() => {
  ({ admin } = server);
});

async function ok(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  const { status, text, body: answer } = await admin.request(method, path, body);
  expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
  return answer;
}

interface Late {
  /** How many are sent at once. */
  readonly count: number;
  readonly send: (by: Session, i: number) => Promise<Answer>;
  /** What has come of them. */
  readonly state: () => Promise<unknown>;
}

const lates: Record<string, Late> = {
  'makes no user': {
    count: 8,
    send: (by, i) =>
      by.put(`/api/users/${prefix}_${i}@x.org`, {
        ...{ name: 'late', roles: ['ADMIN'], password: `a password of ${i} of its own` },
      }),
    state: async () =>
      (await ok('GET', '/api/users')).filter(({ id }: { id: string }) => id.startsWith(prefix)),
  },
  'changes no secret': {
    count: 200,
    send: (by, i) => by.put(`/api/secrets/${prefix}_one`, `"late ${i}"`),
    state: () => ok('GET', `/api/secrets/${prefix}_one`),
  },
};

const ends: Record<string, (of: Session) => Promise<unknown>> = {
  'was demoted': ({ subject }) => ok('PUT', `/api/users/${subject}`, { name: 'x', roles: [] }),
  'was deleted': ({ subject }) => ok('DELETE', `/api/users/${subject}`),
};

describe('a request that waits for its turn', () => {
  it.each<readonly [string, string]>([
    ...Object.keys(lates).map((what) => [what, 'was demoted'] as const),
    ['makes no user', 'was deleted'],
    ['changes no secret', 'was deleted'],
  ])('%s of an administrator who %s', async (what, end) => {
    const { count, send, state } = lates[what] as Late;
    await ok('PUT', `/api/secrets/${prefix}_one`, '"first"');
    const eve = await server.user(`${prefix}_eve@x.org`, ['ADMIN']);
    const sent = Array.from({ length: count }, (_, i) => send(eve, i));
    await Promise.race(sent);
    await (ends[end] as (typeof ends)[string])(eve);
    const then = await state();
    const answers = await Promise.all(sent);
    expect(await state()).toEqual(then);
    const refused = end === 'was demoted' ? [403, 429] : [401, 429];
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([refused[0]]));
    for (const { status } of answers) expect([200, ...refused]).toContain(status);
  });
});

describe('one call for many executions', () => {
  it('ends none of them after the key of its caller was deleted', async () => {
    const name = `${prefix}_flow`;
    const child = { name: 'child', taskReferenceName: 'child', type: 'SUB_WORKFLOW' };
    const gate = { name: 'gate', taskReferenceName: 'gate', type: 'WAIT' };
    await ok('POST', '/api/metadata/workflow', { name: `${name}_child`, tasks: [gate] });
    const subWorkflowParam = { name: `${name}_child` };
    await ok('POST', '/api/metadata/workflow', { name, tasks: [{ ...child, subWorkflowParam }] });
    const ids = await Promise.all(
      Array.from({ length: 500 }, async () => (await admin.post(`/api/workflow/${name}`, {})).text),
    );
    const by = await server.application(name, ['ADMIN']);
    const call = by.post('/api/workflow/bulk/terminate', ids);
    await until('the first end', async () => {
      const { body } = await admin.get(`/api/workflow/${ids[0]}/status`);
      return body.status === 'TERMINATED';
    });
    await ok('DELETE', `/api/applications/${by.subject.slice(4)}/accessKeys/${by.key.keyId}`);
    const { body } = await call;
    const reasons = Object.values(body.bulkErrorResults as Record<string, string>);
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) {
      expect(reason).toBe('The access key of this token is inactive or deleted');
    }
    await ok('POST', '/api/workflow/bulk/terminate', Object.keys(body.bulkErrorResults));
  });
});
