// Runs the server as a process: arguments, log, signals, exit codes. The private Redis is launched
// before the rest of the server is loaded, so that both take their time together.
//   0  stopped by SIGINT or SIGTERM, everything acknowledged is on disk
//   1  could not start, did not stop within its time, or a defect
//   2  a setting cannot be used, such as a folder that cannot be made
//  70  the event loop was blocked for too long (telemetry/watchdog.ts)
import { readSettings } from './config.js';
import type { Settings } from './settings-table.js';
import { SettingError } from '../settings/setting.js';
import { asksUsage, settingsUsage } from './settings-usage.js';
import type { NodeOptions, RunningNode } from './node.js';
import { launchStore, type StoreReport } from '../redis/launch-store.js';
import { processesOf } from './processes/process-count.js';
import { supervisorChannel } from './processes/siblings.js';
import { joinStore, seatedSettings, servingMessage, type ProcessSeat } from './processes/seat.js';
import { refuseUnusableFiles } from './given-files.js';
import { codeOfFailure, whyNotStarted } from './start-failure.js';
import type { Logger } from '../telemetry/logger.js';
import { calledAs } from '../std/called-as.js';
import { version } from './version.js';

/** `seat`: this process is one of several that a supervisor has started. The rest: NodeOptions. */
interface RunOptions extends Pick<NodeOptions, 'wrapStores' | 'test'> {
  readonly seat?: ProcessSeat;
}

const versionOption = ['--version', 'prints the version'] as const;

function usage(): string {
  return settingsUsage(`${calledAs.start} [settings]`, 'Runs a server.', [versionOption]);
}

function testServerUsage(): string {
  return settingsUsage(`${calledAs.testServer} [options] [settings]`, 'Runs a server for tests.', [
    ['--clock auto|manual', 'jumps to what is due next when all rests, or is moved by calls'],
    ['--seed N', 'the run repeats exactly'],
    versionOption,
  ]);
}

/** Resolves with true once this process serves, with false where it does not. */
export async function runServer(run: RunOptions = {}): Promise<boolean> {
  const { seat } = run;
  const args = process.argv.slice(2);
  if (args.includes('--version')) {
    console.log(`downbeat ${version}`);
    return false;
  }
  if (asksUsage(args)) {
    console.log(run.test === undefined ? usage() : testServerUsage());
    return false;
  }
  let settings: Settings;
  try {
    settings = readSettings(args, process.env);
    await refuseUnusableFiles(settings);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
    return false;
  }
  if (seat !== undefined) settings = seatedSettings(settings, seat);
  else if (processesOf(settings) > 1) {
    const { supervise } = await import('./processes/supervise.js');
    await supervise(settings, args);
    return false;
  }
  const stopping = new AbortController();
  const logging = import('../telemetry/logger.js').then((it) =>
    it.createLogger(settings.logLevel, { node: seat?.nodeId, isBesides: run.test !== undefined }),
  );
  const starting = start(settings, { logging, run, stopping: stopping.signal });
  // Prevents an unhandled rejection while the log is loaded; the await below still sees it.
  starting.catch(() => undefined);
  exitOnSignals(starting, { settings, logging, stopping });
  const log = await logging;
  exitOnDefects(log);
  try {
    const node = await starting;
    const scheme = settings.tlsCertFile === '' ? 'http' : 'https';
    const { host } = settings;
    const address = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${node.port}`;
    process.send?.(servingMessage);
    log.info({ port: node.port }, `Downbeat serves on ${address} (page in a browser, API at /api)`);
    // For the programme that started it.
    if (run.test !== undefined) console.log(address);
    return true;
  } catch (error) {
    // A start that a signal interrupted ends elsewhere.
    if (stopping.signal.aborted) return false;
    const sentence = whyNotStarted(error, settings);
    if (sentence === undefined) log.fatal({ err: error }, `could not start: ${String(error)}`);
    else console.error(`Downbeat could not start. ${sentence}`);
    process.exit(codeOfFailure(error));
  }
}

async function start(
  settings: Settings,
  options: {
    logging: Promise<Logger>;
    run: RunOptions;
    stopping: AbortSignal;
  },
): Promise<RunningNode> {
  const { logging, run, stopping } = options;
  const { seat, ...nodeOptions } = run;
  const report: StoreReport = (level, message) => void logging.then((log) => log[level](message));
  const store =
    seat === undefined
      ? launchStore(settings, report, stopping, run.test !== undefined)
      : joinStore(settings, seat);
  const [{ startNode }, log] = await Promise.all([import('./node.js'), logging]);
  return startNode({
    ...{ settings, log, store, stopping, ...nodeOptions },
    ...(seat !== undefined && {
      shared: { supervisor: supervisorChannel(), listensEarly: seat.listensEarly },
    }),
  });
}

/** The first signal ends the node, also while it starts. */
function exitOnSignals(
  starting: Promise<RunningNode>,
  {
    settings,
    logging,
    stopping,
  }: { settings: Settings; logging: Promise<Logger>; stopping: AbortController },
): void {
  const end = async (signal: string): Promise<void> => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    const log = await logging;
    log.info({ signal }, 'stopping');
    let awaited = (): string | undefined => 'the start';
    const stopMsMax = settings.leaveNoticeMs + settings.drainMs + settings.stopMs;
    setTimeout(() => {
      log.error(
        `The stop took longer than ${stopMsMax} ms (--drain-ms and --stop-ms) and is broken off. ` +
          `It waited for: ${awaited()}. Nothing acknowledged is lost by that.`,
      );
      process.exit(1);
    }, stopMsMax);
    // A start that fails has ended what it had started.
    const node = await starting.catch(() => undefined);
    awaited = () => node?.stoppingPart;
    try {
      await node?.stop();
    } catch (error) {
      log.error({ err: error }, 'the stop failed');
      process.exit(1);
    }
    process.exit(0);
  };
  process.on('SIGINT', () => void end('SIGINT'));
  process.on('SIGTERM', () => void end('SIGTERM'));
  // Of a process with a supervisor: it has died.
  process.on('disconnect', () => void end('disconnect'));
}

function exitOnDefects(log: Logger): void {
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a promise without an owner failed');
    process.exit(1);
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nobody expected');
    process.exit(1);
  });
}
