// What protects a keyspace stands in it: a node that asks nobody for a token, or has not the keys
// of its secrets, is refused at its start with a sentence that says what to do (docs/access.md).
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it, afterAll } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, signalProcess, startProgram } from '../../testkit/process.js';
import { nodeOptions, projectRoot } from '../../testkit/project.js';
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { adminCommand, Session, type Key } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const firstKey = `first:${Buffer.alloc(32, 1).toString('base64')}`;
const secondKey = `second:${Buffer.alloc(32, 2).toString('base64')}`;
/** The name of the first key, other bytes. */
const falseKey = `first:${Buffer.alloc(32, 3).toString('base64')}`;

let redis: RunningRedis;
let count = 0;
const cleanUps: (() => unknown)[] = [];

beforeAll(async () => void (redis = await startLocalRedis()));
afterAll(() => redis.stop());
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Arguments that stand for a keyspace of its own on the one Redis. */
function newKeyspace(): string[] {
  return ['--redis-url', redis.url, '--redis-prefix', `protected${count++}`];
}

async function node(keyspace: readonly string[], ...args: string[]): Promise<RunningServer> {
  const server = await startServer({ redisUrl: redis.url, args: [...keyspace.slice(2), ...args] });
  cleanUps.push(() => server.stop());
  return server;
}

/** Exit code and words of a node that is refused. */
async function refusal(keyspace: readonly string[], ...args: string[]): Promise<string> {
  const folder = createFolder();
  cleanUps.push(() => removeFolder(folder));
  const place = ['--port', String(await freePort()), '--data-dir', folder];
  const main = path.join(projectRoot, 'dist', 'main.js');
  const program = startProgram(
    process.execPath,
    [...nodeOptions, main, ...place, ...keyspace, ...args],
    { cwd: projectRoot },
  );
  const { code } = await Promise.race([
    program.ended,
    until(
      'an open port of a node that should be refused',
      async () => {
        const answers = await fetch(`http://127.0.0.1:${place[1]}/health`).then(
          ({ status }) => status === 200,
          () => false,
        );
        return answers && { code: 'it serves' as const };
      },
      { timeoutMs: 40_000 },
    ),
  ]);
  if (code === 'it serves') signalProcess(program.pid, 'SIGKILL');
  expect([code, program.output()]).toEqual([1, expect.stringMatching(/Downbeat could not start/)]);
  expect(program.output()).not.toMatch(/^\s+at .*:\d+:\d+/m);
  return program.output();
}

async function admin(keyspace: readonly string[], ...command: string[]): Promise<string> {
  const program = path.join(projectRoot, 'dist', 'admin-command.js');
  const run = promisify(execFile)(process.execPath, [program, ...command, ...keyspace]);
  return await run.then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

describe('a keyspace whose nodes ask for tokens', () => {
  it('refuses a node without --auth, beside the others and alone', async () => {
    const keyspace = newKeyspace();
    const guarded = await node(keyspace, '--auth');
    expect(await refusal(keyspace)).toMatch(/--auth/);
    await guarded.kill('SIGTERM');
    const said = await refusal(keyspace);
    expect(said).toMatch(/asks for tokens/);
    expect(said).toMatch(/npm run admin -- unprotect auth/);
  });

  it('may be opened by a command while no node runs', async () => {
    const keyspace = newKeyspace();
    const guarded = await node(keyspace, '--auth');
    expect(await admin(keyspace, 'unprotect', 'auth')).toMatch(/runs in this keyspace/);
    await guarded.kill('SIGTERM');
    expect(JSON.parse(await admin(keyspace, 'unprotect', 'auth'))).toMatchObject({ auth: false });
    const open = await node(keyspace);
    expect((await fetch(`${open.url}/api/users`)).status).toBe(200);
  });
});

describe('a keyspace whose nodes ask nobody', () => {
  it('is closed by a node with --auth once no other one runs, and says so', async () => {
    const keyspace = newKeyspace();
    const open = await node(keyspace);
    expect(await refusal(keyspace, '--auth')).toMatch(/runs in this keyspace without/);
    expect(await admin(keyspace, 'protect', 'auth')).toMatch(/runs in this keyspace/);
    await open.kill('SIGTERM');
    const guarded = await node(keyspace, '--auth');
    expect(guarded.output).toContain('from now on nodes of this keyspace ask for tokens');
    expect(await refusal(keyspace)).toMatch(/--auth/);
  });

  it('may be closed by a command', async () => {
    const keyspace = newKeyspace();
    const open = await node(keyspace);
    await open.kill('SIGTERM');
    expect(JSON.parse(await admin(keyspace, 'protect', 'auth'))).toMatchObject({ auth: true });
    expect(await refusal(keyspace)).toMatch(/--auth/);
  });
});

describe('a keyspace whose nodes restrict every task definition', () => {
  const restricted = '--restrict-task-definitions';

  it('refuses a node that does not, beside the others and alone', async () => {
    const keyspace = newKeyspace();
    const strict = await node(keyspace, '--auth', restricted);
    expect(await refusal(keyspace, '--auth')).toMatch(/--restrict-task-definitions/);
    const second = await node(keyspace, '--auth', restricted);
    for (const server of [strict, second]) await server.kill('SIGTERM');
    const said = await refusal(keyspace, '--auth');
    expect(said).toMatch(/restricts every task definition/);
    expect(said).toMatch(/npm run admin -- unprotect task-definitions/);
  });

  it('becomes one once no node without the setting runs, and is opened by a command', async () => {
    const keyspace = newKeyspace();
    const open = await node(keyspace, '--auth');
    expect(await refusal(keyspace, '--auth', restricted)).toMatch(/runs in this keyspace without/);
    expect(await admin(keyspace, 'protect', 'task-definitions')).toMatch(/runs in this keyspace/);
    await open.kill('SIGTERM');
    const strict = await node(keyspace, '--auth', restricted);
    expect(strict.output).toContain('nodes of this keyspace restrict every task definition');
    await strict.kill('SIGTERM');
    expect(JSON.parse(await admin(keyspace, 'unprotect', 'task-definitions'))).toMatchObject({
      ...{ auth: true, restrictTaskDefinitions: false },
    });
    await node(keyspace, '--auth');
  });
});

describe('a keyspace of a version that wrote nothing down', () => {
  it('with users is refused to a node without --auth', async () => {
    const keyspace = newKeyspace();
    await admin(keyspace, 'create-user', 'somebody@example.org');
    const said = await refusal(keyspace);
    expect(said).toMatch(/users or access keys/);
    expect(said).toMatch(/--auth/);
    await node(keyspace, '--auth');
  });
});

describe('a keyspace with sealed secrets', () => {
  const value = 'the value that was sealed';

  /** A node with a secret that it has sealed, and the administrator's session at it. */
  async function withSecret(keyspace: string[], keys: string): Promise<Session> {
    const server = await node(keyspace, '--auth', '--secrets-key', keys);
    const key = JSON.parse(await adminCommand(server, ['create-key', ...keyspace])) as Key;
    const session = await until('the new key', async () => {
      const { status, body } = await new Session(server.url).post('/api/token', key);
      return status === 200 && new Session(server.url, { 'x-authorization': body.token });
    });
    expect(await session.status('PUT', '/api/secrets/protected', value)).toBe(200);
    return session;
  }

  it('refuses a node without their keys, or with other bytes under the same name', async () => {
    const keyspace = newKeyspace();
    await withSecret(keyspace, firstKey);
    expect(await refusal(keyspace, '--auth')).toMatch(/key "first".*secretsKeyFile/);
    expect(await refusal(keyspace, '--auth', '--secrets-key', secondKey)).toMatch(/key "first"/);
    expect(await refusal(keyspace, '--auth', '--secrets-key', falseKey)).toMatch(/key "first"/);
    const second = await node(keyspace, '--auth', '--secrets-key', firstKey);
    expect((await fetch(`${second.url}/health`)).status).toBe(200);
  });

  it('lets keys be rotated: the old one may go once nothing is sealed with it', async () => {
    const keyspace = newKeyspace();
    const session = await withSecret(keyspace, firstKey);
    const next = await node(keyspace, '--auth', '--secrets-key', `${secondKey}\n${firstKey}`);
    const keysOf = async (): Promise<string[]> =>
      (JSON.parse(await admin(keyspace, 'protection')) as { keys: { id: string }[] }).keys.map(
        ({ id }) => id,
      );
    await until('the old key to seal nothing', async () => (await keysOf()).join() === 'second');
    const last = await node(keyspace, '--auth', '--secrets-key', secondKey);
    const read = new Session(last.url, session.headers);
    expect((await read.get('/api/secrets/protected')).text).toContain(value);
    expect(next.output).not.toContain('was not opened');
  });

  it('may be given up by a command where the key is lost', async () => {
    const keyspace = newKeyspace();
    await withSecret(keyspace, firstKey);
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    expect(await refusal(keyspace, '--auth')).toMatch(/npm run admin -- unprotect secrets/);
    expect(JSON.parse(await admin(keyspace, 'unprotect', 'secrets'))).toMatchObject({ keys: [] });
    await node(keyspace, '--auth');
  });
});
