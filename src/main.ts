// The server's process: arguments, log, signals, exit codes. The private Redis is launched before
// the rest of the server is loaded, so that both take their time together.
//   0  stopped by SIGINT or SIGTERM, everything acknowledged is on disk
//   1  could not start, or a defect
//   2  a setting cannot be used
import { readPlant, readSettings, SettingError, type Plant, type Settings } from './config.js';
import type { RunningNode } from './node.js';
import { launchStore } from './redis/launch-store.js';
import type { Logger } from './telemetry/logger.js';

async function main(): Promise<void> {
  let settings: Settings;
  let plant: Plant | undefined;
  try {
    settings = readSettings(process.argv.slice(2), process.env);
    plant = readPlant(process.env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
    return;
  }
  const stopping = new AbortController();
  const logging = import('./telemetry/logger.js').then((it) => it.createLogger(settings.logLevel));
  const starting = start(settings, plant, logging, stopping.signal);
  exitOnSignals(starting, logging, stopping);
  const log = await logging;
  exitOnDefects(log);
  try {
    const node = await starting;
    log.info({ port: node.port }, `Downbeat serves on http://${settings.host}:${node.port}`);
  } catch (error) {
    // A start that a signal interrupted ends elsewhere.
    if (stopping.signal.aborted) return;
    log.fatal(
      { err: error },
      `could not start: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exit(1);
  }
}

async function start(
  settings: Settings,
  plant: Plant | undefined,
  logging: Promise<Logger>,
  stopping: AbortSignal,
): Promise<RunningNode> {
  const store = launchStore(
    settings,
    (level, message) => void logging.then((log) => log[level](message)),
    stopping,
  );
  const [{ startNode }, log] = await Promise.all([import('./node.js'), logging]);
  return startNode({ settings, plant, log, store, stopping });
}

/** The first signal ends the node, also while it starts. */
function exitOnSignals(
  starting: Promise<RunningNode>,
  logging: Promise<Logger>,
  stopping: AbortController,
): void {
  const end = async (signal: string): Promise<void> => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    const log = await logging;
    log.info({ signal }, 'stopping');
    // A start that fails has ended what it had started.
    const node = await starting.catch(() => undefined);
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

await main();
