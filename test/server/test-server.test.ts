// A test server: waits of thirty days take no time, in order of their due times; its routes exist
// nowhere else; many stand side by side and leave nothing behind.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../cli/testing.js';
import { redisPidsIn } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const day = 86_400_000;
const testing = pathToFileURL(path.join(projectRoot, 'dist', 'cli', 'testing.js')).href;

function run(script: string): { stdout: string; stderr: string } {
  const args = ['--input-type=module', '--eval', script];
  return spawnSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8' });
}

/** A process that has ended and waits to be collected has no command line. */
function isRunning(pid: number): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

function wait(ref: string, duration: string): object {
  return {
    ...{ name: ref, taskReferenceName: ref, type: 'WAIT' },
    inputParameters: { duration },
  };
}

function definition(name: string, tasks: readonly object[], more: object = {}): object {
  return { name, version: 1, ownerEmail: 'test@example.com', tasks, ...more };
}

describe('a test server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it('writes its address to standard output and nothing else, its log beside that', async () => {
    const file = path.join(projectRoot, 'dist', 'test-server.js');
    const program = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [said, logged]: string[][] = [[], []];
    program.stdout.setEncoding('utf8').on('data', (text: string) => said?.push(text));
    program.stderr.setEncoding('utf8').on('data', (text: string) => logged?.push(text));
    await until('its log', () => logged?.join('').includes('Downbeat serves on'));
    program.kill('SIGTERM');
    await new Promise((resolve) => program.once('close', resolve));
    expect(said?.join('')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  it('says what keeps the clock where an execution has not ended', async () => {
    await server.register(
      definition('kept', [wait('long', '30 days')]),
      definition('keeps', [{ name: 'nobody', taskReferenceName: 'nobody', type: 'SIMPLE' }]),
    );
    const id = await server.start('kept');
    const other = await server.start('keeps');
    await expect(server.ended(id, 200)).rejects.toThrow(
      /has not ended\. The clock stands: Task nobody of execution .* waits for a worker/,
    );
    await server.request('DELETE', `/api/workflow/${other}`);
    expect((await server.ended(id)).status).toBe('COMPLETED');
  });

  it('passes a wait of thirty days, not a moment early', async () => {
    await server.register(definition('month', [wait('pause', '30 days')]));
    const id = await server.start('month');
    await server.advance(30 * day - 60_000);
    expect((await server.execution(id)).status).toBe('RUNNING');
    await expect(server.completed(id)).rejects.toThrow(/is RUNNING, not COMPLETED\.\nWhy: .*pause/);
    await server.advance(60_000);
    await server.completed(id);
    expect(await server.path(id)).toEqual(['pause']);
    expect(await server.inputOf(id, 'pause')).toMatchObject({ duration: '30 days' });
  });

  it('keeps what ended long ago by its clock, unless it is told otherwise', async () => {
    const other = await startTestServer({ settings: ['--retention-seconds', '604800'] });
    const servers = [server, other];
    for (const each of servers) await each.register(definition('hour', [wait('h', '1 hours')]));
    await Promise.all(servers.map((each) => each.start('hour')));
    for (const each of servers) await each.advance(30 * day);
    const found = async (each: TestServer): Promise<unknown> =>
      await each.request('GET', '/api/workflow/search?query=workflowType%3Dhour');
    // The sweep runs by real time.
    const isGone = async (): Promise<boolean> =>
      ((await found(other)) as { totalHits: number }).totalHits === 0;
    await until('the sweep of the other one', isGone, { timeoutMs: 30_000, everyMs: 100 });
    expect(await found(server)).toMatchObject({ totalHits: 1 });
    await other.stop();
  }, 40_000);

  it('passes due times in their order, and what follows from one before the next', async () => {
    const ended = async (id: string): Promise<number> => {
      const { endTime } = (await server.completed(id)) as unknown as { endTime: number };
      return endTime;
    };
    await server.register(
      definition('late', [wait('late', '5 days')]),
      definition('chain', [wait('one', '1 days'), wait('two', '1 days'), wait('three', '1 days')]),
    );
    const [late, chain] = [await server.start('late'), await server.start('chain')];
    const { stops } = await server.advance(10 * day);
    expect(stops).toBeGreaterThanOrEqual(4);
    expect((await ended(late)) - (await ended(chain))).toBeGreaterThan(1.9 * day);
    expect((await ended(late)) - (await ended(chain))).toBeLessThan(2.1 * day);
  });

  it('passes back-offs and response timeouts of tasks', async () => {
    await server.request('POST', '/api/metadata/taskdefs', [
      {
        ...{ name: 'slow', retryCount: 1, retryLogic: 'FIXED', retryDelaySeconds: 7200 },
        ...{ timeoutSeconds: 7200, responseTimeoutSeconds: 3600, ownerEmail: 'test@example.com' },
      },
    ]);
    const task = { name: 'slow', taskReferenceName: 'slow', type: 'SIMPLE' };
    await server.register(definition('worker', [task]));
    const id = await server.start('worker');
    const poll = (): Promise<unknown> => server.request('GET', '/api/tasks/poll/slow');
    expect(await poll()).toMatchObject({ workflowInstanceId: id, retryCount: 0 });
    await server.advance(3_700_000);
    expect((await server.execution(id)).tasks[0]?.status).toBe('TIMED_OUT');
    expect(await poll()).toBe('');
    await server.advance(7_200_000);
    expect(await poll()).toMatchObject({ workflowInstanceId: id, retryCount: 1 });
  });

  it('starts what a schedule is due for', async () => {
    const noop = { name: 'done', taskReferenceName: 'done', type: 'NOOP' };
    await server.register(definition('nightly', [noop]));
    await server.request('POST', '/api/scheduler/schedules', {
      ...{ name: 'every_night', cronExpression: '0 0 3 * * ?', zoneId: 'UTC' },
      startWorkflowRequest: { name: 'nightly', version: 1 },
    });
    await server.advance(7 * day);
    const found = await server.request(
      'GET',
      '/api/workflow/search?query=workflowType%3Dnightly&size=100',
    );
    expect(found).toMatchObject({ totalHits: 7 });
  });

  it('refuses what is no length of time', async () => {
    await expect(server.advance(-1)).rejects.toThrow(/answered 400: .*'ms' must be a whole number/);
    await expect(
      server.request('POST', '/api/test/clock/advance', { ms: 1, seconds: 1 }),
    ).rejects.toThrow(/answered 400: .*'seconds' is no field/);
  });

  it('ends when the process that started it is killed', async () => {
    const script = `
      import { startTestServer } from ${JSON.stringify(testing)};
      console.log((await startTestServer()).url);
      process.kill(process.pid, 'SIGKILL');`;
    const { stdout } = run(script);
    const url = stdout.trim();
    expect(url).toMatch(/^http:/);
    await until('the end of the server', async () => {
      const answer = await fetch(`${url}/health/live`).catch(() => undefined);
      return answer === undefined;
    });
  });

  it('is used as its page of the docs shows', () => {
    const page = fs.readFileSync(path.join(projectRoot, 'docs', 'test-server.md'), 'utf8');
    const code = /```js\n(.*?)```/s.exec(page)?.[1] ?? '';
    expect(code).toContain("'@downbeat/server/testing'");
    const { stdout, stderr } = run(
      code.replace("'@downbeat/server/testing'", JSON.stringify(testing)),
    );
    expect({ stdout, stderr }).toEqual({ stdout: "[ 'pause' ]\n", stderr: '' });
    expect(page).toContain(`This prints \`${stdout.trim()}\``);
  });

  it('stands beside nine others with a state of its own, and leaves nothing', async () => {
    // Apart from those of other tests.
    const { TMPDIR } = process.env;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tests-'));
    process.env['TMPDIR'] = folder;
    const starting = Array.from({ length: 10 }, () => startTestServer());
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    const ten = await Promise.all(starting);
    expect(new Set([server, ...ten].map(({ url }) => url)).size).toBe(11);
    await Promise.all(
      ten.map(async (each, n) => {
        await each.register(definition(`own_${n}`, [wait('pause', `${n + 1} days`)]));
        await each.advance((n + 1) * day);
      }),
    );
    for (const [n, each] of ten.entries()) {
      // Real time passes too while the clock moves, so the days are not exact to the millisecond.
      expect(Math.round((await each.clock()).skippedMs / day)).toBe(n + 1);
      expect(await each.request('GET', '/api/metadata/workflow')).toMatchObject([
        { name: `own_${n}` },
      ]);
    }
    expect(fs.readdirSync(folder)).toHaveLength(10);
    const stores = redisPidsIn(folder);
    expect(stores).toHaveLength(10);
    await Promise.all(ten.map((each) => each.stop()));
    expect(fs.readdirSync(folder)).toEqual([]);
    await until('the end of their stores', () => !stores.some(isRunning));
    fs.rmdirSync(folder);
  }, 60_000);
});

it('no other server has these routes', async () => {
  const server = await startServer();
  try {
    const asked = await fetch(`${server.url}/api/test/clock`);
    const moved = await fetch(`${server.url}/api/test/clock/advance`, { method: 'POST' });
    expect([asked.status, moved.status]).toEqual([404, 404]);
  } finally {
    await server.stop();
  }
});
