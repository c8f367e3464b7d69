// How a node comes up: what it answers before it serves, where its settings come from, how it
// writes its log, how fast it is there.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { crowdedOutMs, stretched, timed, times } from '../../testkit/load.js';
import { freePort, signalProcess, startProgram } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { startRedis } from '../../testkit/redis.js';
import { RunningServer, startServer, type ServerSettings } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function folder(): string {
  const made = createFolder();
  cleanUps.push(async () => removeFolder(made));
  return made;
}

/** Started, not waited for. */
async function spawnServer(settings: ServerSettings): Promise<RunningServer> {
  const server = new RunningServer(settings, await freePort(), settings.dataDir ?? folder());
  cleanUps.push(() => server.stop());
  return server;
}

async function clientOf(server: RunningServer): Promise<ApiClient> {
  const client = new ApiClient(server.url);
  cleanUps.push(() => client.close());
  return client;
}

interface Answer {
  status: number;
  retryAfter: string | null;
  body: unknown;
}

/** undefined while nobody listens. */
async function ask(url: string, init?: RequestInit): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  } catch {
    return undefined;
  }
}

const oneTask = {
  name: 'kept',
  version: 1,
  tasks: [{ name: 'kept_task', taskReferenceName: 't', type: 'SIMPLE' }],
};

describe('a start', () => {
  it('answers 503 with a Retry-After to everything until it serves, then 200 with healthy', async () => {
    const redis = await startRedis();
    cleanUps.push(() => redis.stop());
    if (redis.pid === undefined) return; // A container cannot be stopped in its tracks.
    signalProcess(redis.pid, 'SIGSTOP');
    const server = await spawnServer({ redisUrl: redis.url });
    const health = await until('the first answer', () => ask(`${server.url}/health`));
    expect(health).toMatchObject({ status: 503, body: { healthy: false } });
    const start = { method: 'POST', body: '{"name":"x"}' };
    for (const refused of [
      await ask(`${server.url}/api/workflow`, start),
      await ask(`${server.url}/api/metadata/workflow`),
      await ask(`${server.url}/api/tasks/poll/any`),
    ]) {
      expect(refused?.status).toBe(503);
      expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
      expect(refused?.body).toMatchObject({ status: 503, retryable: true });
    }
    signalProcess(redis.pid, 'SIGCONT');
    await server.healthy();
    const serving = await ask(`${server.url}/health`);
    expect(serving).toMatchObject({ status: 200, body: { healthy: true } });
    expect((await ask(`${server.url}/api/metadata/workflow`))?.status).toBe(200);
  });

  it('takes settings from arguments, then the environment, then the settings file', async () => {
    const dir = folder();
    const file = path.join(dir, 'settings.json');
    const [portOfFile, portOfEnvironment, port] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
    ]);
    fs.writeFileSync(
      file,
      JSON.stringify({ port: portOfFile, dataDir: path.join(dir, 'data'), bodyBytesMax: 2048 }),
    );
    const main = path.join(projectRoot, 'dist', 'main.js');
    const env = {
      ...process.env,
      DOWNBEAT_CONFIG: file,
      DOWNBEAT_PORT: String(portOfEnvironment),
      DOWNBEAT_JSON_DEPTH_MAX: '5',
    };
    const program = startProgram(process.execPath, [main, `--port=${port}`], { env });
    cleanUps.push(async () => {
      signalProcess(program.pid, 'SIGTERM');
      await program.ended;
    });
    const base = `http://127.0.0.1:${port}`;
    await until('health', async () => (await ask(`${base}/health`))?.status === 200);
    expect(await ask(`http://127.0.0.1:${portOfFile}/health`)).toBeUndefined();
    expect(await ask(`http://127.0.0.1:${portOfEnvironment}/health`)).toBeUndefined();
    expect(fs.existsSync(path.join(dir, 'data', 'redis'))).toBe(true);
    const post = (body: string): Promise<Answer | undefined> =>
      ask(`${base}/api/workflow`, { method: 'POST', body });
    expect((await post(JSON.stringify({ name: 'x'.repeat(3000) })))?.status).toBe(413);
    const deep = await post('{"name":"x","input":{"a":[[[[1]]]]}}');
    expect(deep).toMatchObject({ status: 400, body: { message: expect.stringMatching(/deeper/) } });
  });

  it.each([
    [['--port', 'many'], /port must be a whole number/],
    [['--no-such-thing', '1'], /There is no setting --no-such-thing/],
    [['--host', '0.0.0.0'], /loopback/],
  ])('refuses %s with a sentence and exit code 2', async (args, sentence) => {
    const main = path.join(projectRoot, 'dist', 'main.js');
    const program = startProgram(process.execPath, [main, ...args]);
    expect((await program.ended).code).toBe(2);
    expect(program.output()).toMatch(sentence);
  });

  it('refuses a data folder that a running node has, and a port that is taken, with exit code 1', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    const main = path.join(projectRoot, 'dist', 'main.js');
    const free = String(await freePort());
    const second = startProgram(process.execPath, [
      ...[main, '--port', free, '--data-dir', server.dataDir],
    ]);
    expect((await second.ended).code).toBe(1);
    expect(second.output()).toContain('in use by a running node');
    const third = startProgram(process.execPath, [
      ...[main, '--port', String(server.port), '--data-dir', folder()],
    ]);
    expect((await third.ended).code).toBe(1);
    expect(third.output()).toContain(`Port ${server.port} of 127.0.0.1 is taken`);
    await server.healthy();
  });

  it('logs JSON lines where its output is no terminal, and readable text on one', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    await until('the line that it serves', () => server.output.includes('Downbeat serves on'));
    const lines = server.output.trim().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { msg: string });
    expect(records.map((record) => record.msg).join('\n')).toContain('Downbeat serves on http://');
    if (!hasScript()) return;
    const main = path.join(projectRoot, 'dist', 'main.js');
    const command = `exec node ${main} --port ${await freePort()} --data-dir ${folder()}`;
    const terminal = startProgram('script', ['-qefc', command, '/dev/null']);
    const line = await until(
      'the line that it serves',
      () => /^.*Downbeat serves on.*$/m.exec(terminal.output())?.[0],
    );
    expect(line).not.toMatch(/^\{/);
    expect(line).toMatch(/INFO/);
    // The terminal goes away: the server ends in good order, as on every SIGTERM.
    for (const child of childrenOf(terminal.pid)) signalProcess(child, 'SIGTERM');
    expect((await terminal.ended).code).toBe(0);
  });

  it('finds everything again, within a second with thousands of live executions', async () => {
    const server = await startServer({ dataDir: folder() });
    cleanUps.push(() => server.stop());
    const client = await clientOf(server);
    await client.registerTasks({ name: 'kept_task', retryCount: 7 });
    await client.registerWorkflows(oneTask);
    const ids = await times(1500, 64, (index) => client.start({ name: 'kept', input: { index } }));
    const [leased] = await client.poll('kept_task', { timeoutMs: 1000 });
    const firstAnswers: number[] = [];
    for (let round = 0; round < 3; round++) {
      expect(await server.kill('SIGTERM')).toBe(0);
      const { ms } = await timed(() => server.restart());
      firstAnswers.push(ms - crowdedOutMs(server.pid));
    }
    expect(Math.min(...firstAnswers)).toBeLessThan(stretched(1000));
    const workflow = await client.workflow(ids[1234] as string);
    expect(workflow).toMatchObject({ status: 'RUNNING', input: { index: 1234 } });
    expect((await client.ask('GET', '/api/metadata/taskdefs/kept_task')).body).toMatchObject({
      retryCount: 7,
    });
    const polled = new Set<string>();
    await until('all other tasks', async () => {
      const some = await client.poll('kept_task', { count: 500, timeoutMs: 1000 });
      for (const { taskId } of some) polled.add(taskId);
      return polled.size >= 1499;
    });
    expect(polled).not.toContain(leased?.taskId);
    expect(polled.size).toBe(1499);
    await client.update({
      workflowInstanceId: leased?.workflowInstanceId ?? '',
      taskId: leased?.taskId ?? '',
      status: 'COMPLETED',
    });
    expect((await client.workflow(leased?.workflowInstanceId ?? '')).status).toBe('COMPLETED');
  });
});

function hasScript(): boolean {
  try {
    execFileSync('script', ['-qefc', 'true', '/dev/null'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Process ids of the children of a process (Linux). */
function childrenOf(pid: number): number[] {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
