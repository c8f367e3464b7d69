// Published clients of other languages, each driven by small programmes of its language that check
// what they get from a server with authentication on.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { tell } from '../support/figures.js';
import {
  goClient,
  isGoClientBuilt,
  javaClient,
  newestJavaClient,
  pythonClient,
  sdkProgram,
  type Sdk,
} from '../support/sdks.js';
import { SecuredServer } from '../../testkit/secured-server.js';
import { installTimeoutMs } from '../support/tool-cache.js';

const run = promisify(execFile);
/** For one programme. */
const programTimeoutMs = 60_000;
const testTimeoutMs = installTimeoutMs + 4 * programTimeoutMs;

let secured: SecuredServer;
beforeAll(async () => {
  secured = await SecuredServer.start({ args: ['--outbound-allow-inside=true'] });
});
afterAll(() => secured?.stop());

/** Runs programmes of a client to their ends; `base` is where its API begins. */
async function expectOk(
  skip: TestContext['skip'],
  sdk: Sdk,
  { programs, base }: { programs: readonly string[][]; base: string },
): Promise<void> {
  if ('missing' in sdk) {
    tell(sdk.missing);
    return skip(sdk.missing);
  }
  const { keyId, keySecret } = secured.key;
  for (const program of programs) {
    const args = [...sdk.args, ...program, `${secured.url}${base}`, keyId, keySecret];
    expect(await outputOf(sdk.command, args)).toContain('all ok');
  }
}

/** What the programme has printed; it tells what failed. */
async function outputOf(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(command, args, { timeout: programTimeoutMs })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}\n${stderr.slice(-4_000)}\n${String(error).slice(0, 200)}`;
  }
}

describe('the Python SDK', () => {
  it('works with the server', { timeout: testTimeoutMs }, async ({ skip }) => {
    const names = ['sdk_check.py', 'sdk_surface.py', 'sdk_identity.py', 'sdk_registries.py'];
    const programs = names.map((name) => [sdkProgram('python', name)]);
    await expectOk(skip, await pythonClient(), { programs, base: '' });
  });
});

describe('the Java SDK', () => {
  it('works with the server', { timeout: testTimeoutMs }, async ({ skip }) => {
    const names = ['SdkCheck.java', 'PayloadCheck.java'];
    const programs = names.map((name) => [sdkProgram('java', name)]);
    await expectOk(skip, await javaClient(), { programs, base: '/api' });
  });

  it('reaches the administrative areas', { timeout: testTimeoutMs }, async ({ skip }) => {
    const programs = [[sdkProgram('java', 'AdminCheck.java')]];
    await expectOk(skip, await newestJavaClient(), { programs, base: '/api' });
  });
});

// Compiling this client and what it needs takes a minute or two where nothing of it is cached, so
// it is left to those who ask for it or have set it up.
const isGoAsked = process.env['DOWNBEAT_TEST_GO'] !== undefined || isGoClientBuilt();
if (!isGoAsked)
  tell('skipped: the Go client, which takes minutes to build; npm run setup:sdks builds it');
describe.skipIf(!isGoAsked)('the Go SDK', () => {
  it('works with the server', { timeout: 2 * testTimeoutMs }, async ({ skip }) => {
    await expectOk(skip, await goClient(), { programs: [[]], base: '/api' });
  });
});
