// Weights of callers on a started server (docs/access.md, "Shares and quotas"): of two callers
// whose scripts wait for the same process, the one with the larger weight is served first.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

const each = 20;
let server: SecuredServer;

beforeAll(async () => {
  server = await SecuredServer.start({
    args: ['--script-workers', '1', '--caller-weights', 'heavy@x.org=50'],
  });
});
afterAll(() => server?.stop());

/** A script of some tens of milliseconds, a second after the start. */
function definition(name: string): object {
  const expression =
    '(function () { let n = 0; for (let i = 0; i < 300000; i++) n += i; return n; })()';
  const inputParameters = { evaluatorType: 'javascript', expression };
  const wait = { type: 'WAIT', inputParameters: { duration: '1 seconds' } };
  return {
    ...{ name, version: 1, ownerEmail: 'a@b.co' },
    tasks: [
      { name: 'wait', taskReferenceName: 'wait', ...wait },
      { name: 'run', taskReferenceName: 'run', type: 'INLINE', inputParameters },
    ],
  };
}

async function completed(caller: Session, name: string): Promise<number> {
  const query = encodeURIComponent(`workflowType = '${name}' AND status = 'COMPLETED'`);
  const { body } = await caller.get(`/api/workflow/search?size=1&query=${query}`);
  return (body as { totalHits: number }).totalHits;
}

it('the scripts of a caller with a larger weight are done first', async () => {
  const heavy = await server.user('heavy@x.org', ['USER']);
  const light = await server.user('light@x.org', ['USER']);
  await heavy.put('/api/metadata/workflow', [definition('of_heavy')]);
  await light.put('/api/metadata/workflow', [definition('of_light')]);
  const starts = Array.from({ length: each }, () => [
    light.post('/api/workflow', { name: 'of_light', version: 1, input: {} }),
    heavy.post('/api/workflow', { name: 'of_heavy', version: 1, input: {} }),
  ]).flat();
  for (const answer of await Promise.all(starts)) expect(answer.status).toBe(200);
  const lightBy = await until(
    'the end of the heavy ones',
    async () =>
      (await completed(heavy, 'of_heavy')) === each
        ? await completed(light, 'of_light')
        : undefined,
    { timeoutMs: 50_000 },
  );
  expect(lightBy).toBeLessThan(each / 2);
});
