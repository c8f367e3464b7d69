// How a node ends: in good order by a signal, and what is left and found again when it or its Redis
// is killed.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/redis/data-folder.js';
import { ApiClient, UnexpectedAnswer } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { crowdedOutMs, stretched, timed } from '../../testkit/load.js';
import {
  codeOf,
  freePort,
  redisPidsIn,
  signalProcess,
  startProgram,
} from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { startLocalRedis } from '../../testkit/redis.js';
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

async function serverWithClient(settings: ServerSettings = {}): Promise<{
  server: RunningServer;
  client: ApiClient;
}> {
  const server = await startServer({ dataDir: folder(), ...settings });
  cleanUps.push(() => server.stop());
  const client = new ApiClient(server.url);
  cleanUps.push(() => client.close());
  await client.registerWorkflows({
    name: 'ends',
    version: 1,
    tasks: [{ name: 'ends_task', taskReferenceName: 't', type: 'SIMPLE' }],
  });
  return { server, client };
}

/** A Redis that is no child of the node. */
async function ownRedis(): Promise<{ url: string; pid: number; stop: () => Promise<void> }> {
  const { url, pid = 0, stop } = await startLocalRedis();
  let stopping: Promise<void> | undefined;
  const stopOnce = (): Promise<void> => (stopping ??= stop());
  cleanUps.push(stopOnce);
  return { url, pid, stop: stopOnce };
}

/**
 * Starts executions, several at once, until the server is gone; resolves with what was acknowledged
 * and how the rest failed.
 */
async function startUntilGone(
  client: ApiClient,
  acknowledged: string[],
): Promise<{ failures: unknown[] }> {
  const failures: unknown[] = [];
  const isGone = async (): Promise<boolean> => {
    try {
      acknowledged.push(await client.start({ name: 'ends' }));
      return false;
    } catch (error) {
      failures.push(error);
      return !(error instanceof UnexpectedAnswer);
    }
  };
  const one = (): Promise<boolean> =>
    until('the end of the server', isGone, { everyMs: 5, timeoutMs: 60_000 });
  await Promise.all(Array.from({ length: 8 }, one));
  return { failures };
}

/** A request met a server that had stopped listening or closed the connection. */
const goneCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s answers what waits, ends node and Redis, exits with 0, and loses nothing',
    async (signal) => {
      const { server, client } = await serverWithClient();
      const redis = server.redisPid as number;
      const poll = client.poll('nobody_does_this', { timeoutMs: 5000 });
      await until('the parked poll', async () =>
        / 1$/m.test(
          /^downbeat_parked_polls .*$/m.exec((await client.ask('GET', '/metrics')).text)?.[0] ?? '',
        ),
      );
      const acknowledged: string[] = [];
      const starting = startUntilGone(client, acknowledged);
      await until('starts', () => acknowledged.length >= 50);
      const { ms, result } = await timed(() => server.kill(signal));
      expect(result).toBe(0);
      expect(ms).toBeLessThan(stretched(2000));
      expect(await poll).toEqual([]);
      expect(isAlive(redis)).toBe(false);
      for (const failure of (await starting).failures) {
        if (failure instanceof UnexpectedAnswer) expect(failure.answer.status).toBe(503);
        else expect(goneCodes).toContain(codeOf(failure));
      }
      await server.restart();
      for (const id of acknowledged) {
        expect((await client.workflow(id, { includeTasks: false })).status).toBe('RUNNING');
      }
    },
  );

  it('ends node and Redis also in the middle of a start', async () => {
    const has = (dataDir: string, ...names: string[]): boolean =>
      fs.existsSync(path.join(dataDir, ...names));
    const moments: ((dataDir: string) => boolean)[] = [
      () => true,
      (dataDir) => has(dataDir, 'redis'),
      (dataDir) => has(dataDir, 'redis', 'redis.pid'),
      (dataDir) => redisPidsIn(dataDir).length > 0,
    ];
    for (const isThere of moments) {
      const dataDir = folder();
      const server = new RunningServer({ dataDir }, await freePort(), dataDir);
      await until('this far into the start', () => isThere(dataDir), { everyMs: 2 });
      // Before the handlers stand, a signal ends a process as any other; nothing has been started
      // by then.
      expect([0, null]).toContain(await server.kill('SIGTERM'));
      expect(redisPidsIn(dataDir)).toEqual([]);
    }
  });

  it('ends a node whose Redis is gone for good, and says what that leaves', async () => {
    const redis = await ownRedis();
    const { server, client } = await serverWithClient({ redisUrl: redis.url });
    const starting = startUntilGone(client, []);
    await redis.stop();
    await until('a node without store', async () => {
      const health = await fetch(`${server.url}/health`);
      await health.arrayBuffer();
      return health.status === 503;
    });
    const { ms, result } = await timed(() => server.kill('SIGTERM'));
    expect(ms).toBeLessThan(stretched(5000));
    expect(result).toBe(0);
    expect(server.output).toContain('Left without the store');
    await starting;
  });

  it('breaks a stop off that takes too long, with a sentence that names what it waited for', async () => {
    const redis = await ownRedis();
    const args = ['--drain-ms', '100', '--stop-ms', '400'];
    const { server } = await serverWithClient({ redisUrl: redis.url, args });
    // Answers nothing, and breaks no connection.
    signalProcess(redis.pid, 'SIGSTOP');
    const { ms, result } = await timed(() => server.kill('SIGTERM'));
    expect(ms).toBeLessThan(stretched(2500));
    expect(result).toBe(1);
    expect(server.output).toMatch(
      /longer than 500 ms \(--drain-ms and --stop-ms\).*waited for: \w+/,
    );
  });

  it('ends a start that waits for a Redis which nobody knows', async () => {
    const dataDir = folder();
    const redisUrl = `redis-sentinel://127.0.0.1:${await freePort()}/nobody`;
    const server = new RunningServer({ dataDir, redisUrl }, await freePort(), dataDir);
    await until('an answer', async () => {
      const answer = await fetch(`${server.url}/health`).catch(() => undefined);
      return answer?.status === 503;
    });
    const { ms, result } = await timed(() => server.kill('SIGTERM'));
    expect(ms).toBeLessThan(stretched(2000));
    expect(result).toBe(0);
  });

  it('reaches the server through npm start', async () => {
    const dataDir = folder();
    const port = await freePort();
    const npm = startProgram(
      'npm',
      ['start', '--', '--port', String(port), '--data-dir', dataDir],
      {
        cwd: projectRoot,
      },
    );
    await until(
      'health',
      async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
        return answer?.status === 200;
      },
      { timeoutMs: 20_000 },
    );
    npm.child.kill('SIGTERM');
    expect((await npm.ended).code).toBe(0);
    expect(redisPidsIn(dataDir)).toEqual([]);
  });
});

describe('after a kill of the node', () => {
  it('a start on the same folder takes over at once and adopts the Redis that is left', async () => {
    const { server, client } = await serverWithClient();
    const id = await client.start({ name: 'ends' });
    const [task] = await client.poll('ends_task', { timeoutMs: 1000 });
    const redis = server.redisPid;
    await server.kill('SIGKILL');
    const { ms } = await timed(() => server.restart());
    expect(ms - crowdedOutMs(server.pid)).toBeLessThan(stretched(1000));
    expect(server.redisPid).toBe(redis);
    await client.update({
      workflowInstanceId: id,
      taskId: task?.taskId ?? '',
      status: 'COMPLETED',
    });
    expect((await client.workflow(id)).status).toBe('COMPLETED');
  });

  it('its Redis ends by itself within 10 s, and the next start finds everything', async () => {
    const { server, client } = await serverWithClient();
    const id = await client.start({ name: 'ends' });
    const redis = server.redisPid as number;
    await server.kill('SIGKILL');
    await until('the end of the orphaned Redis', () => !isAlive(redis), { timeoutMs: 10_000 });
    await server.restart();
    expect((await client.workflow(id)).status).toBe('RUNNING');
  });
});

describe('a node that is killed while it starts its Redis', () => {
  it('leaves none that another one starts beside its own', async () => {
    const dataDir = folder();
    // A machine that takes its time between the start of a process and what it does.
    const slowBin = folder();
    const realRedis = execFileSync('/bin/sh', ['-c', 'command -v redis-server'], {
      encoding: 'utf8',
    }).trim();
    fs.writeFileSync(
      path.join(slowBin, 'redis-server'),
      `#!/bin/sh\nsleep 1\nexec ${realRedis} "$@"\n`,
      { mode: 0o755 },
    );
    const port = await freePort();
    const env = { ...process.env, PATH: `${slowBin}:${process.env['PATH']}` };
    const main = path.join(projectRoot, 'dist', 'main.js');
    const args = [main, '--port', String(port), '--data-dir', dataDir];
    const first = startProgram(process.execPath, args, { cwd: projectRoot, env });
    cleanUps.push(async () => void signalProcess(first.pid, 'SIGKILL'));
    await until('the start of a Redis', () =>
      fs.existsSync(path.join(dataDir, 'redis', 'redis.pid')),
    );
    signalProcess(first.pid, 'SIGKILL');
    await first.ended;
    const late = Number(fs.readFileSync(path.join(dataDir, 'redis', 'redis.pid'), 'utf8'));
    const { server } = await serverWithClient({ dataDir });
    const redis = redisPidsIn(dataDir);
    expect(redis.length).toBe(1);
    await until('the end of the slow one', () => late === redis[0] || !isAlive(late));
    expect(redisPidsIn(dataDir)).toEqual(redis);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
});

describe('after a kill of the private Redis', () => {
  it('starts it again within 2 s as often as it is killed', async () => {
    const { server } = await serverWithClient();
    for (let kill = 0; kill < 5; kill++) {
      const killed = server.redisPid as number;
      const { ms } = await timed(async () => {
        signalProcess(killed, 'SIGKILL');
        await server.redisAgain(killed);
      });
      expect(ms).toBeLessThan(stretched(2000));
    }
  });

  it('the node starts it again and serves within 2 s; what it refuses meanwhile is a 503', async () => {
    const { server, client } = await serverWithClient();
    const id = await client.start({ name: 'ends' });
    const seen: { status: number; retryAfter: string | null }[] = [];
    const killedAt = performance.now();
    expect(server.killRedis()).toBe(true);
    const servedAgainAt = await until(
      'service',
      async () => {
        const answer = await fetch(`${server.url}/api/workflow`, {
          method: 'POST',
          body: JSON.stringify({ name: 'ends' }),
        });
        await answer.arrayBuffer();
        seen.push({ status: answer.status, retryAfter: answer.headers.get('retry-after') });
        return answer.status === 200 && seen.length > 1 ? performance.now() : undefined;
      },
      { everyMs: 5 },
    );
    expect(servedAgainAt - killedAt).toBeLessThan(stretched(2000));
    const refused = seen.filter((answer) => answer.status !== 200);
    // Most requests wait for the shards to be taken again.
    for (const answer of refused) {
      expect(answer.status).toBe(503);
      expect(Number(answer.retryAfter)).toBeGreaterThan(0);
    }
    const health = await fetch(`${server.url}/health`);
    expect(health.status).toBe(200);
    expect((await client.workflow(id)).status).toBe('RUNNING');
    const [task] = await client.poll('ends_task', { timeoutMs: 2000 });
    expect(task?.workflowInstanceId).toBeDefined();
  });
});
