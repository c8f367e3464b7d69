// Several nodes by one start (setting `processes`): real processes, killed with real signals.
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/redis/data-folder.js';
import { ApiClient, UnexpectedAnswer } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, signalProcess, startProgram } from '../../testkit/process.js';
import { nodeOptions, projectRoot } from '../../testkit/project.js';
import { killProcess, processPids } from '../../testkit/server-processes.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

interface View {
  nodeId: string;
  nodes: { nodeId: string; peerAddress: string; linked: boolean; shards: number; state: string }[];
  moving: number[];
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function folder(): string {
  const made = createFolder();
  cleanUps.push(() => removeFolder(made));
  return made;
}

async function twoProcesses(): Promise<RunningServer> {
  const server = await startServer({ dataDir: folder(), args: ['--processes', '2'] });
  cleanUps.push(() => server.stop());
  await bothServe(server);
  return server;
}

/** What one of the processes sees; each question has a connection of its own. */
async function viewOf(server: RunningServer): Promise<View | undefined> {
  try {
    const headers = { connection: 'close' };
    const response = await fetch(`${server.url}/api/admin/cluster`, { headers });
    return response.ok ? ((await response.json()) as View) : undefined;
  } catch {
    return undefined;
  }
}

function isServing(client: ApiClient): Promise<boolean> {
  return client.ask('GET', '/health').then(
    () => true,
    () => false,
  );
}

async function bothServe(server: RunningServer): Promise<void> {
  await until(`two linked nodes; the server wrote:\n${server.output}`, async () => {
    const view = await viewOf(server);
    return (
      view?.nodes.length === 2 &&
      view.moving.length === 0 &&
      view.nodes.every(({ linked, shards, state }) => linked && shards > 0 && state === 'serving')
    );
  });
}

/** Values of the metrics page by name and labels. */
async function pageOf(server: RunningServer): Promise<Map<string, number>> {
  const page = await until('the page of metrics', async () => {
    const answer = await fetch(`${server.url}/metrics`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(3_000),
    }).catch(() => undefined);
    return answer?.ok === true ? await answer.text() : undefined;
  });
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

async function clientOf(server: RunningServer): Promise<ApiClient> {
  const client = new ApiClient(server.url);
  cleanUps.push(() => client.close());
  await client.registerWorkflows({
    name: 'stays',
    version: 1,
    tasks: [{ name: 'stays_task', taskReferenceName: 't', type: 'SIMPLE' }],
  });
  return client;
}

describe('--processes 2', () => {
  it('serves on one port with both, linked by Unix sockets, and one log with their names', async () => {
    const server = await twoProcesses();
    const answered = new Set<string>();
    await until('answers of both', async () => {
      answered.add((await viewOf(server))?.nodeId ?? '');
      return [...answered].filter((name) => name !== '').length === 2;
    });
    const view = await viewOf(server);
    for (const { nodeId, peerAddress } of view?.nodes ?? []) {
      expect(peerAddress).toMatch(/^unix:\//);
      expect(server.output).toContain(`"node":"${nodeId}"`);
    }
  });

  it('loses nothing acknowledged when one is killed, and starts it again', async () => {
    const server = await twoProcesses();
    const client = await clientOf(server);
    const acknowledged: string[] = [];
    let isOver = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        try {
          acknowledged.push(await client.start({ name: 'stays' }));
        } catch {
          await until('an answer', () => isServing(client));
        }
      }
    });
    await until('some starts', () => acknowledged.length > 50);
    await killProcess(server, 0);
    await bothServe(server);
    isOver = true;
    await Promise.all(load);
    for (const id of acknowledged) expect((await client.workflow(id)).workflowId).toBe(id);
  });

  it('shows one page of metrics, which names a missing process and whose sums do not fall', async () => {
    const server = await twoProcesses();
    const client = await clientOf(server);
    for (let i = 0; i < 20; i++) await client.start({ name: 'stays' });
    const [one = '', two = ''] = ((await viewOf(server))?.nodes ?? []).map((n) => n.nodeId).sort();
    const started = 'downbeat_executions_total{event="started"}';
    const page = await pageOf(server);
    expect(page.get(`downbeat_process_up{process="${one}"}`)).toBe(1);
    expect(page.get(`downbeat_process_up{process="${two}"}`)).toBe(1);
    expect(page.get(started)).toBe(20);
    const memory = [one, two].map((name) => `downbeat_executions_in_memory{process="${name}"}`);
    expect(memory.map((name) => page.get(name) ?? 0).reduce((a, b) => a + b)).toBe(20);
    // What is told of the whole cluster stands once.
    const shards = [...page].filter(([name]) => name.startsWith('downbeat_shards_owned{'));
    expect(page.get('downbeat_shards')).toBe(shards.reduce((sum, [, owned]) => sum + owned, 0));
    expect([...page.keys()].filter((name) => /^downbeat_shards\b.*process/.test(name))).toEqual([]);

    const [first = 0] = processPids(server);
    signalProcess(first, 'SIGSTOP');
    const without = await pageOf(server);
    expect(without.get(`downbeat_process_up{process="${one}"}`)).toBe(0);
    expect(without.get(started)).toBe(20);
    expect(without.has(memory[0] as string)).toBe(false);
    await killProcess(server, 0);
    await bothServe(server);
    expect((await pageOf(server)).get(started)).toBe(20);
  });

  it('tells by /health of every process, and is well while one of them is', async () => {
    const server = await twoProcesses();
    interface Health {
      healthy: boolean;
      details: { processes: { node: string; healthy: boolean; why?: string }[] };
    }
    const health = async (): Promise<Health> => {
      const answer = await fetch(`${server.url}/health`, { headers: { connection: 'close' } });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Health;
    };
    const { processes } = (await health()).details;
    expect(processes.map(({ healthy }) => healthy)).toEqual([true, true]);
    const [first = 0] = processPids(server);
    signalProcess(first, 'SIGKILL');
    const seen = await until('one that is missing', async () => {
      // A connection to the killed process is cut off.
      const answer = await health().catch((error: unknown) => {
        if (error instanceof TypeError) return undefined;
        throw error;
      });
      return answer?.details.processes.find(({ healthy }) => !healthy);
    });
    expect(seen.node).toBe(processes[0]?.node);
    expect(seen.why).toMatch(/not running/);
  });

  it('restarts one after the other on SIGHUP, and answers no request with an error', async () => {
    const server = await twoProcesses();
    const client = await clientOf(server);
    const before = processPids(server);
    const failures: string[] = [];
    let isOver = false;
    let answered = 0;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        try {
          await client.start({ name: 'stays' });
          answered++;
        } catch (error) {
          if (error instanceof UnexpectedAnswer) failures.push(String(error));
          else failures.push(`connection: ${String(error)}`);
        }
      }
    });
    // Each on a connection of its own, which may end at any process that listens. What the system
    // resets because a listener closed in the middle of its handshake reached nobody
    // (docs/deployment.md), so it is no failure here; an answer of a process that starts is one.
    const strangers = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        const answer = await fetch(`${server.url}/api/version`, {
          headers: { connection: 'close' },
        }).catch((error: unknown) => (error as Error).cause as NodeJS.ErrnoException);
        if (answer instanceof Error) {
          if (answer.code !== 'ECONNRESET') failures.push(`new connection: ${String(answer)}`);
        } else if ((await answer.text()) === '' || !answer.ok) failures.push(`${answer.status}`);
      }
    });
    await until('some starts', () => answered > 20);
    signalProcess(server.pid, 'SIGHUP');
    await until('the end of the restart', () =>
      server.output.includes('all processes were restarted'),
    );
    isOver = true;
    await Promise.all([...load, ...strangers]);
    expect(failures).toEqual([]);
    const after = processPids(server);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('leaves no process after SIGINT, nor after the supervisor is killed', async () => {
    const server = await twoProcesses();
    const redis = server.redisPid as number;
    const pids = processPids(server);
    expect(await server.kill('SIGINT')).toBe(0);
    expect([...pids, redis].filter((pid) => isAlive(pid))).toEqual([]);
    await server.restart();
    await bothServe(server);
    const orphans = processPids(server);
    await server.kill('SIGKILL');
    await until('the end of the processes', () => !orphans.some((pid) => isAlive(pid)));
  });
});

describe('--processes', () => {
  it.each([
    [['--processes', '0'], /--processes must be auto or a whole number from 1 to 64, not '0'/],
    [['--processes', 'many'], /--processes must be auto or a whole number/],
    [['--processes', '2', '--port', '0'], /--port 0 is for one process/],
    [['--processes', '2', '--peer-port', '9'], /--peer-port and --peer-address are for one/],
  ])('refuses %j', async (args, sentence) => {
    const main = path.join(projectRoot, 'dist', 'main.js');
    const given = ['--data-dir', folder(), '--port', String(await freePort()), ...args];
    const program = startProgram(process.execPath, [...nodeOptions, main, ...given], {
      cwd: projectRoot,
    });
    expect((await program.ended).code).toBe(2);
    expect(program.output()).toMatch(sentence);
  });
});
