// Tokens that end after four seconds: published clients get new ones in the middle of what they do.
// Those of JavaScript and Python look at the answer, that of Java at a clock (docs/access.md).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createConductorClient, MetadataClient, noopLogger } from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { SecuredServer } from '../../testkit/secured-server.js';
import { newestJavaClient, pythonClient, sdkProgram, type Sdk } from '../support/sdks.js';
import { installTimeoutMs } from '../support/tool-cache.js';
import { until } from '../../testkit/until.js';

const run = promisify(execFile);
const programTimeoutMs = 90_000;

let secured: SecuredServer;
beforeAll(async () => {
  secured = await SecuredServer.start({ args: ['--token-seconds=4'] });
});
afterAll(() => secured?.stop());

it('do not stop the JavaScript SDK', { timeout: 60_000 }, async () => {
  const tokens = new Set<string>();
  const watchingFetch: typeof fetch = async (input, init) => {
    const headers = input instanceof Request ? input.headers : new Headers(init?.headers);
    tokens.add(headers.get('x-authorization') ?? '');
    return await fetch(input, init);
  };
  const config = {
    ...{ serverUrl: `${secured.url}/api/`, ...secured.key },
    ...{ useEnvVars: false, logger: noopLogger, refreshTokenInterval: 0 },
  };
  const metadata = new MetadataClient(await createConductorClient(config, watchingFetch));
  await metadata.registerTask({ name: 'read', ownerEmail: 'sdk@downbeat.test' });
  await until('three tokens', async () => {
    expect(await metadata.getTask('read')).toMatchObject({ name: 'read' });
    return [...tokens].filter((token) => token !== '').length >= 3;
  });
});

const others: readonly [string, () => Promise<Sdk>, string, string][] = [
  ['Python', pythonClient, sdkProgram('python', 'sdk_ended_token.py'), ''],
  ['Java', newestJavaClient, sdkProgram('java', 'EndedToken.java'), '/api'],
];

it.each(others)(
  'do not stop the %s SDK',
  { timeout: installTimeoutMs + programTimeoutMs },
  async (_name, client, program, base) => {
    const sdk = await client();
    if ('missing' in sdk) return tell(sdk.missing);
    const { keyId, keySecret } = secured.key;
    const args = [...sdk.args, program, `${secured.url}${base}`, keyId, keySecret];
    const { stdout } = await run(sdk.command, args, { timeout: programTimeoutMs });
    expect(stdout).toContain('all ok');
  },
);
