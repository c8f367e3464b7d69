// `downbeat start`: the server, with its settings as they are. `--open` opens the page once it
// serves; `--demo` brings a definition, a worker and a schedule, so that something moves.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { demo } from '../demo/demo.js';
import { ApiClient } from '../shared/api-client.js';
import type { Context, Exit } from '../shared/context.js';
import { badInput } from '../shared/failure.js';
import {
  cloneProgramme,
  isClone,
  ownProgramme,
  serverProgramme,
  startProgramme,
  testServerProgramme,
  type Programme,
  type RunningProgramme,
} from '../shared/programmes.js';

type Make = (command: Command) => Context;

const group = 'The server:';
const serveWithinMs = 120_000;
const lookEveryMs = 200;
const lookAtParentEveryMs = 250;

/** The words after the name of the command on the command line, as they were typed. */
export type Words = () => readonly string[];

export function addStart(program: Command, contextOf: Make, words: Words, exit: Exit): void {
  passing(
    program,
    'start',
    'run a server here: downbeat start [--open] [--demo] [settings]',
  ).action(async (_: unknown, command: Command) => exit(await start(contextOf(command), words())));
  passing(
    program,
    'test-server',
    'a server for tests of workflows: its clock can be moved, its store is thrown away',
  ).action(async () => {
    const server = startProgramme(testServerProgramme(), words());
    endWithParent(server);
    exit(await server.ended);
  });
  const others: readonly [name: string, summary: string, programme: () => Programme][] = [
    [
      'cluster',
      'several nodes on this machine, with faults (in a clone)',
      () => cloneProgramme('cluster', 'cluster/main'),
    ],
    [
      'fsck',
      'check what is stored, and mend it',
      () => ownProgramme('fsck.mjs', 'fsck-command.js'),
    ],
    [
      'admin',
      'make the first administrator, or change what protects the keyspace',
      () => ownProgramme('admin.mjs', 'admin-command.js'),
    ],
    ['bench', 'measure (in a clone)', () => cloneProgramme('bench', 'bench/load')],
    [
      'torture',
      'kill nodes and Redis under load, and judge what is left (in a clone)',
      () => cloneProgramme('torture', 'test/torture/main'),
    ],
  ];
  for (const [name, summary, programme] of others) {
    passing(program, name, summary).action(async () =>
      exit(await startProgramme(programme(), words()).ended),
    );
  }
}

/** The server ends when this process does, and this one when the one that started it has gone. */
function endWithParent(server: RunningProgramme): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) server.end();
  }, lookAtParentEveryMs).unref();
}

/** A command whose words another programme reads. */
function passing(program: Command, name: string, summary: string): Command {
  return program
    .command(name)
    .helpGroup(group)
    .summary(summary)
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments();
}

async function start({ out }: Context, words: readonly string[]): Promise<number> {
  const own = new Set(['--open', '--demo']);
  const settings = words.filter((word) => !own.has(word));
  const isQuestion = words.some((word) => ['--help', '-h', '--version'].includes(word));
  if (isQuestion) {
    if (!words.includes('--version')) {
      out.line(
        'downbeat start [--open] [--demo] [settings]\n\n  --open  opens the page in a browser once it serves\n  --demo  brings a definition, a worker and a schedule, so that something moves\n',
      );
    }
    return await startProgramme(serverProgramme(), settings).ended;
  }
  if (!isClone) requireRedis(settings);
  const server = startProgramme(serverProgramme(), settings);
  const over = new AbortController();
  const around = besides({ out, words, url: urlOf(settings), signal: over.signal });
  const code = await server.ended;
  over.abort();
  await around;
  return code;
}

/** Runs the commands beside the server; they never end the server. */
async function besides({
  out,
  words,
  url,
  signal,
}: {
  out: Context['out'];
  words: readonly string[];
  url: string;
  signal: AbortSignal;
}): Promise<void> {
  const [opens, shows] = [words.includes('--open'), words.includes('--demo')];
  if (!opens && !shows) return;
  const client = new ApiClient({ root: url });
  try {
    if (!(await serves(url, signal))) return;
    if (shows) {
      out.note(`The demo runs: look at ${url}, or: downbeat search --workflow downbeat_demo`);
      const moving = demo(client, signal);
      if (opens) openPage(url, out);
      await moving;
      return;
    }
    openPage(url, out);
  } catch (error) {
    if (!signal.aborted) out.note(`The demo stopped: ${(error as Error).message}`);
  }
}

async function serves(url: string, signal: AbortSignal): Promise<boolean> {
  const giveUpAt = Date.now() + serveWithinMs;
  while (!signal.aborted && Date.now() < giveUpAt) {
    const answer = await fetch(`${url}/health`, { signal }).catch(() => undefined);
    if (answer?.ok === true) return true;
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Where the server of these settings listens: arguments, environment and file, in this order. */
export function urlOf(settings: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const fromFile = readConfig(valueOf(settings, 'config') ?? env['DOWNBEAT_CONFIG']);
  const host = valueOf(settings, 'host') ?? env['DOWNBEAT_HOST'] ?? fromFile['host'] ?? '127.0.0.1';
  const port = valueOf(settings, 'port') ?? env['DOWNBEAT_PORT'] ?? fromFile['port'] ?? '8080';
  const certificate =
    valueOf(settings, 'tls-cert-file') ??
    env['DOWNBEAT_TLS_CERT_FILE'] ??
    fromFile['tlsCertFile'] ??
    '';
  const scheme = certificate === '' ? 'http' : 'https';
  return `${scheme}://${reachable(String(host))}:${String(port)}`;
}

/** {} for a file that cannot be read: the server itself says why, and does not start. */
function readConfig(file: string | undefined): { readonly [name: string]: unknown } {
  if (file === undefined) return {};
  try {
    const read = JSON.parse(fs.readFileSync(file, 'utf8')) as { [name: string]: unknown } | null;
    return read ?? {};
  } catch {
    return {};
  }
}

/** A host as an address has it; one that stands for all is reached at loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function valueOf(settings: readonly string[], name: string): string | undefined {
  const equal = settings.find((word) => word.startsWith(`--${name}=`));
  if (equal !== undefined) return equal.slice(name.length + 3);
  const at = settings.indexOf(`--${name}`);
  return at < 0 ? undefined : settings[at + 1];
}

function openPage(url: string, out: Context['out']): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => out.note(`No browser could be opened here; the page is at ${url}`));
  child.unref();
}

/** A package cannot install Redis; it says how. */
function requireRedis(settings: readonly string[]): void {
  const isGiven =
    valueOf(settings, 'redis-url') ??
    process.env['DOWNBEAT_REDIS_URL'] ??
    process.env['REDIS_URL'] ??
    valueOf(settings, 'config') ??
    process.env['DOWNBEAT_CONFIG'];
  if (isGiven !== undefined && isGiven !== '') return;
  const answer = spawnSync('redis-server', ['--version'], { stdio: 'ignore' });
  if (answer.error === undefined && answer.status === 0) return;
  const how =
    process.platform === 'darwin' ? 'brew install redis' : 'sudo apt-get install redis-server';
  throw badInput(
    `redis-server is not on PATH. Install it (${how}), or give the address of one with --redis-url redis://HOST:6379.`,
  );
}
