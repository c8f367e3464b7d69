// A real message broker for tests: its program in a folder of its own on a loopback port, started
// again after a kill with what it had on disk. `npm run setup:brokers` fetches what is missing; a
// test that finds none skips with a sentence.
import fs from 'node:fs';
import path from 'node:path';
import type { JsonMap } from '../../../src/model/json.js';
import { createFolder, removeFolder } from '../../../testkit/folder.js';
import {
  freePort,
  isListening,
  signalProcess,
  startProgram,
  type Program,
} from '../../../testkit/process.js';
import { until } from '../../../testkit/until.js';

export interface RunningBroker {
  /** Of an integration provider or a queue configuration. */
  readonly configuration: JsonMap;
  /** Of its second listener, where it has one: it asks for a login. */
  readonly loginConfiguration: JsonMap | undefined;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface BrokerProgram {
  /** The program, looked up in the path where it is no path itself. */
  readonly command: string;
  /** Makes what the program needs and says how it is started. */
  prepare(folder: string, port: number): Promise<Launch>;
}

export interface Launch {
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly configuration: JsonMap;
  /** Of a second listener, which asks for a login. */
  readonly loginConfiguration?: JsonMap;
  /** File that names the process to kill, where the program started is not the broker itself. */
  readonly pidFile?: string;
  /** Ends what outlives the broker. */
  readonly cleanUp?: () => Promise<void>;
}

const startTimeoutMs = 50_000;

const setUpHint = 'npm run setup:brokers fetches it';

/** The sentence that a skipped test shows, or undefined when the program is there. */
export function missingProgram(command: string): string | undefined {
  const folders = command.includes('/') ? [''] : (process.env['PATH'] ?? '').split(path.delimiter);
  const places = [...folders, '/usr/sbin', '/usr/lib/rabbitmq/bin'];
  const isThere = places.some((folder) => fs.existsSync(path.resolve(folder, command)));
  return isThere ? undefined : `skipped: there is no ${path.basename(command)} (${setUpHint})`;
}

/** The sentence for a broker whose Java artefacts lie behind a file; undefined when it can run. */
export function missingArtefacts(stamp: string): string | undefined {
  if (!fs.existsSync(stamp)) return `skipped: there is no ${stamp} (${setUpHint})`;
  return missingProgram('java');
}

/** The caller stops it. */
export async function startBroker({ command, prepare }: BrokerProgram): Promise<RunningBroker> {
  const folder = createFolder();
  const port = await freePort();
  const launch = await prepare(folder, port);
  const isOpen = (): Promise<boolean> => isListening({ port, host: '127.0.0.1' });
  let program: Program | undefined;
  const start = async (): Promise<void> => {
    const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin`, ...launch.env };
    const started = startProgram(command, launch.args, { cwd: folder, env });
    program = started;
    await until(
      `${path.basename(command)} on port ${port}`,
      async () => {
        if (started.hasEnded()) throw new Error(`${command} ended:\n${started.output()}`);
        return await isOpen();
      },
      { timeoutMs: startTimeoutMs, everyMs: 100 },
    );
  };
  const kill = async (): Promise<void> => {
    if (launch.pidFile !== undefined && fs.existsSync(launch.pidFile)) {
      signalProcess(Number(fs.readFileSync(launch.pidFile, 'utf8')), 'SIGKILL');
    }
    if (program === undefined) return;
    signalProcess(program.pid, 'SIGKILL');
    await program.ended;
    await until(`port ${port} to be closed`, async () => !(await isOpen()));
  };
  const stop = async (): Promise<void> => {
    await kill();
    await launch.cleanUp?.();
    removeFolder(folder);
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  const { configuration, loginConfiguration } = launch;
  return { configuration, loginConfiguration, kill, restart: start, stop };
}
