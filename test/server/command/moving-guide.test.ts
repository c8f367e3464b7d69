// The commands of docs/moving/README.md as a team types them, in the order of the page: a move from
// an old server to a new one, a proxy before both, and the way back.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { PackedCommand } from '../../support/command.js';
import { freePort, signalProcess, startProgram, type Program } from '../../../testkit/process.js';
import { projectRoot } from '../../../testkit/project.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';
import type { WireTask } from '../../../testkit/wire.js';
import { toResult } from '../../support/workers.js';

const timeoutMs = 180_000;
const patient = { timeoutMs: 60_000, everyMs: 200 };
const page = fs.readFileSync(path.join(projectRoot, 'docs', 'moving', 'README.md'), 'utf8');

/** The commands of the page, in its order: in its table, its block, its text. */
const commands = [
  ...[...page.matchAll(/`((?:printf|downbeat) [^`]+)`/g)].map(([, line = '']) => line),
  ...[...page.matchAll(/^downbeat .*$/gm)].map(([line]) => line),
].map((line) => line.replaceAll('\\|', '|'));
const typed = new Set<string>();

let old: RunningServer;
let server: RunningServer;
let oldApi: ApiClient;
let api: ApiClient;
let downbeat: PackedCommand;
let ended: string;
let left: WireTask;

beforeAll(async () => {
  old = await startServer();
  server = await startServer();
  [oldApi, api] = [new ApiClient(old.url), new ApiClient(server.url)];
  downbeat = new PackedCommand(server.url);
  const bin = path.join(downbeat.root, 'bin', 'downbeat.mjs');
  fs.symlinkSync(bin, path.join(downbeat.folder, 'downbeat'));
  await fill(oldApi);
}, timeoutMs);
afterAll(async () => {
  downbeat?.remove();
  await Promise.all([oldApi?.close(), api?.close()]);
  await Promise.all([old?.stop(), server?.stop()]);
});

/** A definition that needs a secret, a schedule, an execution that ended and one that is open. */
async function fill(at: ApiClient): Promise<void> {
  const pack = { name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' };
  const inputParameters = { key: '${workflow.secrets.carrier_key}' };
  await at.ask('PUT', '/api/secrets/carrier_key', 'old');
  await at.registerWorkflows({
    ...{ name: 'parcel', version: 1, tasks: [{ ...pack, inputParameters }] },
  } as never);
  await at.ask('POST', '/api/scheduler/schedules', {
    ...{ name: 'nightly', cronExpression: '0 0 3 * * *' },
    startWorkflowRequest: { name: 'parcel', version: 1 },
  });
  ended = await at.start({ name: 'parcel', version: 1 });
  const [task] = await at.poll('pack', { timeoutMs: 5000 });
  await at.update(toResult(task as WireTask, { status: 'COMPLETED' }));
  await at.untilWorkflow(ended, ({ status }) => status === 'COMPLETED');
  await at.start({ name: 'parcel', version: 1 });
  [left] = (await at.poll('pack', { timeoutMs: 5000 })) as [WireTask];
}

/** Types the command of the page with the values of this move, in a shell. */
function start(line: string, values: Readonly<Record<string, string>> = {}): Program {
  expect(commands).toContain(line);
  typed.add(line);
  const all: Record<string, string> = {
    ...{ 'http://conductor:8080': old.url, 'http://downbeat:8080': server.url },
    ...{ OLD: old.url, NEW: server.url, ...values },
  };
  const filled = Object.entries(all).reduce((text, [name, value]) => {
    return text.replaceAll(new RegExp(`(?<=^|\\s)${name}(?=$|\\s)`, 'g'), value);
  }, line);
  const { PATH = '' } = process.env;
  // In the place of the shell, where it is one command: a signal that ends the shell ends it.
  const alone = filled.includes(' | ') ? filled : `exec ${filled}`;
  return startProgram('sh', ['-c', alone], {
    env: {
      ...{ PATH: `${downbeat.folder}:${PATH}`, HOME: downbeat.folder, VALUE: 'brought' },
      CONDUCTOR_SERVER_URL: server.url,
    },
    cwd: downbeat.folder,
  });
}

async function type(line: string, values?: Readonly<Record<string, string>>): Promise<string> {
  const program = start(line, values);
  const { code } = await program.ended;
  expect(code, `${line}\n${program.output()}`).toBe(0);
  return program.output();
}

const isThere = async (route: string): Promise<boolean> =>
  (await api.request('GET', route)).status === 200;
const isPaused = async (at: ApiClient): Promise<unknown> =>
  ((await at.ask('GET', '/api/scheduler/schedules/nightly')).body as { paused: unknown }).paused;

it('looks, brings, and stores a secret', { timeout: timeoutMs }, async () => {
  await type('downbeat import --from OLD --dry-run');
  expect(await isThere('/api/metadata/workflow/parcel')).toBe(false);
  await type('downbeat import --from OLD');
  expect(await isThere('/api/metadata/workflow/parcel')).toBe(true);
  await type('printf %s "$VALUE" | downbeat secret set NAME', { NAME: 'carrier_key' });
  expect((await api.ask('GET', '/api/secrets/carrier_key')).body).toBe('brought');
});

it('hands over, waits, and keeps what has ended', { timeout: timeoutMs }, async () => {
  const follow = start('downbeat import --from OLD --follow');
  await until('the hand-over', async () => (await isPaused(oldApi)) === true, patient);
  await until('the schedule here', async () => (await isPaused(api)) === false, patient);
  expect(follow.hasEnded()).toBe(false);
  await oldApi.update(toResult(left, { status: 'COMPLETED' }));
  expect((await follow.ended).code, follow.output()).toBe(0);
  await type('downbeat import --from OLD --history');
  expect(await isThere(`/api/workflow/${ended}`)).toBe(true);
});

it('serves both behind one address', { timeout: timeoutMs }, async () => {
  const port = String(await freePort());
  const line = commands.find((each) => each.startsWith('downbeat proxy --old http')) ?? '';
  const proxy = start(line, { 8090: port });
  const status = async (): Promise<boolean> => {
    if (proxy.hasEnded()) throw new Error(`the proxy ended:\n${proxy.output()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/proxy/status`).catch(() => undefined);
    return answer?.ok === true;
  };
  await until('the proxy', status, patient);
  signalProcess(proxy.pid, 'SIGTERM');
  await proxy.ended;
});

it('goes back', { timeout: timeoutMs }, async () => {
  await type('downbeat schedule pause NAME', { NAME: 'nightly' });
  expect(await isPaused(api)).toBe(true);
  await api.registerWorkflows({
    ...{ name: 'newer', version: 1, tasks: [{ name: 'w', taskReferenceName: 'w', type: 'WAIT' }] },
  } as never);
  await type('downbeat import --server OLD --from NEW');
  expect((await oldApi.request('GET', '/api/metadata/workflow/newer')).status).toBe(200);
  expect(await type('downbeat search --status RUNNING')).not.toContain('parcel');
});

it('types every command of the page that is whole', () => {
  // Names of commands in sentences, and what needs a server that asks for tokens.
  const named = ['downbeat import', 'downbeat key create', 'downbeat proxy --history FOLDER'];
  expect(commands.filter((line) => !typed.has(line) && !named.includes(line))).toEqual([]);
});
