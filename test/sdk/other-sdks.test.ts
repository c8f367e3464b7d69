import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { projectRoot } from '../support/project.js';
import { SecuredServer } from '../support/secured-server.js';
import { cacheFolder, install, installTimeoutMs } from '../support/tool-cache.js';

// Published clients of other languages, each driven by small programmes of its language that check
// what they get from a server with authentication on.

const run = promisify(execFile);
/** For one programme. */
const programTimeoutMs = 60_000;
const pythonSdk = 'conductor-python==2.0.0';
const javaSdk = 'conductor-client-4.0.1';
const newestJavaSdk = 'conductor-client-6.0.0';
/** The newest Java client is compiled for it. */
const javaVersionMin = 21;
const testTimeoutMs = installTimeoutMs + 2 * programTimeoutMs;
const sources = path.join(projectRoot, 'test', 'sdk');

let secured: SecuredServer;
let key: readonly string[];
beforeAll(async () => {
  secured = await SecuredServer.start({ args: ['--outbound-allow-inside=true'] });
  key = [secured.key.keyId, secured.key.keySecret];
});
afterAll(() => secured?.stop());

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
    const programs = ['sdk_check.py', 'sdk_surface.py', 'sdk_identity.py', 'sdk_registries.py'];
    for (const program of programs) {
      const args = [path.join(sources, 'python', program), secured.url, ...key];
      expect(await outputOf(python, args)).toContain('all ok');
    }
  });
});

interface JavaProgram {
  readonly sdk: string;
  readonly pom: string;
  readonly program: string;
  readonly java: string;
}

/** What the programme printed; or why its SDK is missing. */
async function runJava(run: JavaProgram): Promise<{ output: string } | { missing: string }> {
  const pom = path.join(sources, 'java', run.pom);
  const resolve = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies'];
  const installed = await install(run.sdk, (folder) => [
    [run.java, '--version'],
    ['mvn', ...resolve, `-DoutputDirectory=${folder}`],
  ]);
  if ('missing' in installed) return installed;
  const program = path.join(sources, 'java', run.program);
  const libraries = path.join(installed.folder, '*');
  const args = ['-cp', libraries, program, `${secured.url}/api`, ...key];
  return { output: await outputOf(run.java, args) };
}

/** The first Java of at least `versionMin` on the path or where Debian keeps them. */
async function findJava(versionMin: number): Promise<string | undefined> {
  const kept = '/usr/lib/jvm';
  const folders = fs.existsSync(kept) ? fs.readdirSync(kept).sort().reverse() : [];
  const others = folders.map((folder) => path.join(kept, folder, 'bin', 'java'));
  for (const java of ['java', ...others]) {
    const { stdout } = await run(java, ['--version']).catch(() => ({ stdout: '' }));
    if (Number(/^\S+ (\d+)/.exec(stdout)?.[1] ?? 0) >= versionMin) return java;
  }
  return undefined;
}

describe('the Java SDK', () => {
  it('works with the server', { timeout: testTimeoutMs }, async ({ skip }) => {
    const program = { pom: 'pom.xml', program: 'SdkCheck.java', java: 'java' };
    const ran = await runJava({ sdk: javaSdk, ...program });
    if ('missing' in ran) {
      tell(ran.missing);
      return skip(ran.missing);
    }
    expect(ran.output).toContain('all ok');
  });

  it('reaches the administrative areas', { timeout: testTimeoutMs }, async ({ skip }) => {
    const java = await findJava(javaVersionMin);
    const ran =
      java === undefined
        ? { missing: `skipped: ${newestJavaSdk} needs Java ${javaVersionMin}, which is not here` }
        : await runJava({
            ...{ sdk: newestJavaSdk, pom: 'newest/pom.xml', program: 'AdminCheck.java', java },
          });
    if ('missing' in ran) {
      tell(ran.missing);
      return skip(ran.missing);
    }
    expect(ran.output).toContain('all ok');
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
