import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { projectRoot } from '../support/project.js';
import { SecuredServer } from '../support/secured-server.js';
import { startServer, type RunningServer } from '../support/server.js';
import { cacheFolder, install, installTimeoutMs } from '../support/tool-cache.js';

// Published clients of other languages, each driven by a small programme of its language that
// checks what it gets.

const run = promisify(execFile);
/** For one programme. */
const programTimeoutMs = 60_000;
const pythonSdk = 'conductor-python==2.0.0';
const javaSdk = 'conductor-client-4.0.1';
const testTimeoutMs = installTimeoutMs + 2 * programTimeoutMs;
const sources = path.join(projectRoot, 'test', 'sdk');

let server: RunningServer;
/** With authentication on, where every programme runs that knows of keys. */
let secured: SecuredServer;
let key: readonly string[];
beforeAll(async () => {
  const args = ['--outbound-allow-inside=true'];
  server = await startServer({ args });
  secured = await SecuredServer.start({ args });
  key = [secured.key.keyId, secured.key.keySecret];
});
afterAll(async () => {
  await secured?.stop();
  await server?.stop();
});

/** Runs a programme to its end; its output tells what failed. */
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
    const installed = await install(pythonSdk, (folder) => [
      ['python3', '-m', 'venv', folder],
      [path.join(folder, 'bin', 'pip'), 'install', '--quiet', pythonSdk],
    ]);
    if ('missing' in installed) {
      tell(installed.missing);
      return skip(installed.missing);
    }
    const python = path.join(installed.folder, 'bin', 'python');
    const programs = [
      ['sdk_check.py', secured.url, ...key],
      ['sdk_surface.py', server.url],
      ['sdk_identity.py', secured.url, ...key],
    ];
    for (const [program = '', ...args] of programs) {
      const output = await outputOf(python, [path.join(sources, 'python', program), ...args]);
      expect(output).toContain('all ok');
    }
  });
});

describe('the Java SDK', () => {
  it('works with the server', { timeout: testTimeoutMs }, async ({ skip }) => {
    const pom = path.join(sources, 'java', 'pom.xml');
    const resolve = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies'];
    const installed = await install(javaSdk, (folder) => [
      ['java', '--version'],
      ['mvn', ...resolve, `-DoutputDirectory=${folder}`],
    ]);
    if ('missing' in installed) {
      tell(installed.missing);
      return skip(installed.missing);
    }
    const libraries = path.join(installed.folder, '*');
    const program = path.join(sources, 'java', 'SdkCheck.java');
    const args = ['-cp', libraries, program, `${secured.url}/api`, ...key];
    const output = await outputOf('java', args);
    expect(output).toContain('all ok');
  });
});

// Compiling this client and what it needs takes a minute or two where nothing of it is cached, so
// it is left to those who ask for it.
const isGoAsked = process.env['DOWNBEAT_TEST_GO'] !== undefined;
if (!isGoAsked)
  tell('skipped: the Go client, which takes minutes to build; DOWNBEAT_TEST_GO=1 runs it');
describe.skipIf(!isGoAsked)('the Go SDK', () => {
  it('works with the server', { timeout: 2 * testTimeoutMs }, async ({ skip }) => {
    const folder = cacheFolder('conductor-go-v1.5.4');
    fs.cpSync(path.join(sources, 'go'), folder, { recursive: true });
    try {
      await run('go', ['build', '-o', 'sdk-check', '.'], { cwd: folder, timeout: testTimeoutMs });
    } catch (error) {
      return skip(
        `skipped: the Go client could not be built here (${String(error).split('\n')[0]})`,
      );
    }
    const output = await outputOf(path.join(folder, 'sdk-check'), [`${secured.url}/api`, ...key]);
    expect(output).toContain('all ok');
  });
});
