// Restate: a server of its own with its log and its state on disk, which calls a handler of the
// user's process (restate-chains.mjs) for each execution; the handler's steps are written to the
// server's log one after the other. Its package for this machine brings the program.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, signalProcess, startProgram } from '../../testkit/process.js';
import { until } from '../../testkit/until.js';
import { peersFolder, type Peer } from './contract.js';
import { runLibrary } from './library-run.js';

const startTimeoutMs = 60_000;
const program = path.join(
  peersFolder,
  `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
);

export function hasRestate(): boolean {
  return existsSync(program);
}

export async function startRestate(): Promise<Peer> {
  const folder = createFolder();
  const [node, admin, ingress] = [await freePort(), await freePort(), await freePort()];
  const config = path.join(folder, 'restate.toml');
  const lines = [
    `base-dir = "${folder}"`,
    `bind-address = "127.0.0.1:${node}"`,
    `advertised-address = "http://127.0.0.1:${node}/"`,
    'listen-mode = "tcp"',
    'disable-telemetry = true',
    'log-filter = "error"',
    ...['[admin]', `bind-address = "127.0.0.1:${admin}"`],
    ...['[ingress]', `bind-address = "127.0.0.1:${ingress}"`],
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const server = startProgram(program, ['--no-logo', '--config-file', config]);
  const stop = async (): Promise<void> => {
    signalProcess(server.pid, 'SIGKILL');
    await server.ended;
    removeFolder(folder);
  };
  const answers = async (url: string): Promise<boolean> => {
    if (server.hasEnded()) throw new Error(`Restate ended:\n${server.output()}`);
    return (await fetch(url).catch(() => undefined))?.ok === true;
  };
  try {
    const waits = { timeoutMs: startTimeoutMs };
    await until('Restate', () => answers(`http://127.0.0.1:${admin}/health`), waits);
    const path = `http://127.0.0.1:${ingress}/restate/health`;
    await until("Restate's ingress", () => answers(path), waits);
  } catch (error) {
    await stop();
    throw error;
  }
  let runs = 0;
  return {
    name: 'Restate',
    settings: 'defaults, which sync its log: one handler of five durable steps, called over HTTP',
    run: async (load) => {
      // A deployment is bound to its address, so that each process has one of its own.
      const job = { admin, ingress, port: await freePort(), service: `chain${runs++}` };
      return await runLibrary({
        ...{ program: 'restate-chains.mjs', load, server: server.pid, job },
      });
    },
    stop,
  };
}
