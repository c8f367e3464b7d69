// Several nodes by one start (setting `processes`): real processes, killed with real signals.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/redis/data-folder.js';
import { ApiClient, UnexpectedAnswer } from '../support/api-client.js';
import { createFolder, removeFolder } from '../support/folder.js';
import { freePort, signalProcess, startProgram } from '../support/process.js';
import { nodeOptions, projectRoot } from '../support/project.js';
import { startServer, type RunningServer } from '../support/server.js';
import { pause, until } from '../support/until.js';

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

/** Process ids of the nodes, by their place. */
function pidsOf(server: RunningServer): number[] {
  const lines = (number: number): string =>
    path.join(server.dataDir, 'processes', String(number), 'node.pid');
  return [1, 2].map((number) => Number(fs.readFileSync(lines(number), 'utf8').split('\n')[0]));
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
          await pause(5);
        }
      }
    });
    const [first = 0] = pidsOf(server);
    await until('some starts', () => acknowledged.length > 50);
    signalProcess(first, 'SIGKILL');
    await until('another process', () => ![first, 0].includes(pidsOf(server)[0] ?? 0));
    await bothServe(server);
    isOver = true;
    await Promise.all(load);
    for (const id of acknowledged) expect((await client.workflow(id)).workflowId).toBe(id);
  });

  it('restarts one after the other on SIGHUP, and answers no request with an error', async () => {
    const server = await twoProcesses();
    const client = await clientOf(server);
    const before = pidsOf(server);
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
    await until('some starts', () => answered > 20);
    signalProcess(server.pid, 'SIGHUP');
    await until('the end of the restart', () =>
      server.output.includes('all processes were restarted'),
    );
    isOver = true;
    await Promise.all(load);
    expect(failures).toEqual([]);
    const after = pidsOf(server);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('leaves no process after SIGINT, nor after the supervisor is killed', async () => {
    const server = await twoProcesses();
    const redis = server.redisPid as number;
    const pids = pidsOf(server);
    expect(await server.kill('SIGINT')).toBe(0);
    expect([...pids, redis].filter((pid) => isAlive(pid))).toEqual([]);
    await server.restart();
    await bothServe(server);
    const orphans = pidsOf(server);
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
