// The published clients of other languages that tests drive: which versions, and how each comes
// into the user's cache folder. `npm run setup:sdks` fetches all; a test fetches what it misses.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../testkit/project.js';
import { cacheFolder, install, type Installation } from './tool-cache.js';

const run = promisify(execFile);
const pythonSdk = 'conductor-python==2.0.0';
const pytest = 'pytest==8.3.4';
const javaSdk = 'conductor-client-4.0.1';
const newestJavaSdk = 'conductor-client-6.0.0';
/** The newest Java client is compiled for it. */
const javaVersionMin = 21;
const goSdk = 'conductor-go-v1.5.4';
const goBuildTimeoutMs = 300_000;

/** What a programme of the SDK is run with, or why the SDK is missing. */
export type Sdk = { readonly command: string; readonly args: readonly string[] } | Missing;
type Missing = Extract<Installation, { missing: string }>;

/** The programmes of tests, by language. */
export function sdkProgram(...names: string[]): string {
  return path.join(projectRoot, 'test', 'sdk', ...names);
}

export async function pythonClient(): Promise<Sdk> {
  const installed = await install(pythonSdk, (folder) => [
    ['python3', '-m', 'venv', folder],
    [path.join(folder, 'bin', 'pip'), 'install', '--quiet', pythonSdk],
  ]);
  if ('missing' in installed) return installed;
  return { command: path.join(installed.folder, 'bin', 'python'), args: [] };
}

/** The same client with pytest, for packages/pytest-downbeat. */
export async function pythonTestTools(): Promise<Sdk> {
  const installed = await install(`${pythonSdk}-${pytest}`, (folder) => [
    ['python3', '-m', 'venv', folder],
    [path.join(folder, 'bin', 'pip'), 'install', '--quiet', pythonSdk, pytest],
  ]);
  if ('missing' in installed) return installed;
  return { command: path.join(installed.folder, 'bin', 'python'), args: [] };
}

/**
 * What packages/junit-downbeat is compiled and tested with; the argument is the class path. Its
 * compiler is `javac`.
 */
export async function javaTestTools(): Promise<Sdk> {
  const pom = path.join(projectRoot, 'packages', 'junit-downbeat', 'pom.xml');
  const resolve = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies'];
  const installed = await install('junit-downbeat-0.1.0', (folder) => [
    ['javac', '--version'],
    ['mvn', ...resolve, `-DoutputDirectory=${folder}`],
  ]);
  if ('missing' in installed) return installed;
  return { command: 'java', args: [path.join(installed.folder, '*')] };
}

/** The client that runs on every Java that is in use. */
export function javaClient(): Promise<Sdk> {
  return javaOf(javaSdk, 'java', 'pom.xml');
}

/** The client that reaches the administrative areas. */
export async function newestJavaClient(): Promise<Sdk> {
  const java = await findJava(javaVersionMin);
  if (java !== undefined) return javaOf(newestJavaSdk, java, path.join('newest', 'pom.xml'));
  return { missing: `skipped: ${newestJavaSdk} needs Java ${javaVersionMin}, which is not here` };
}

async function javaOf(sdk: string, java: string, pom: string): Promise<Sdk> {
  const resolve = ['-q', '-B', '-f', sdkProgram('java', pom), 'dependency:copy-dependencies'];
  const installed = await install(sdk, (folder) => [
    [java, '--version'],
    ['mvn', ...resolve, `-DoutputDirectory=${folder}`],
  ]);
  if ('missing' in installed) return installed;
  return { command: java, args: ['-cp', path.join(installed.folder, '*')] };
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

/** Whether the Go client has been built here before: building it anew takes a minute or two. */
export function isGoClientBuilt(): boolean {
  return fs.existsSync(path.join(cacheFolder(goSdk), 'sdk-check'));
}

/** Builds the programme of tests together with the Go client. */
export async function goClient(): Promise<Sdk> {
  const folder = cacheFolder(goSdk);
  fs.cpSync(sdkProgram('go'), folder, { recursive: true });
  const command = path.join(folder, 'sdk-check');
  try {
    await run('go', ['build', '-o', command, '.'], { cwd: folder, timeout: goBuildTimeoutMs });
  } catch (error) {
    const [reason] = String(error).split('\n');
    return { missing: `skipped: the Go client could not be built here (${reason})` };
  }
  return { command, args: [] };
}
