// The server's process: arguments, log, signals, exit codes.
//   0  stopped by SIGINT or SIGTERM, everything acknowledged is on disk
//   1  could not start, or a defect
//   2  a setting cannot be used
import { readPlant, readSettings, SettingError, type Settings } from './config.js';
import { startNode } from './node.js';
import { createLogger } from './telemetry/logger.js';

async function main(): Promise<void> {
  let settings: Settings;
  let plant;
  try {
    settings = readSettings(process.argv.slice(2), process.env);
    plant = readPlant(process.env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
    return;
  }
  const log = await createLogger(settings.logLevel);
  const stopping = new AbortController();
  let stop = async (): Promise<void> => undefined;
  const end = (signal: string): void => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    log.info({ signal }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => end('SIGINT'));
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a promise without an owner failed');
    process.exit(1);
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nobody expected');
    process.exit(1);
  });
  try {
    const node = await startNode(settings, plant, log, stopping.signal);
    stop = () => node.stop();
    log.info({ port: node.port }, `Downbeat serves on http://${settings.host}:${node.port}`);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0);
    log.fatal(
      { err: error },
      `could not start: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exit(1);
  }
}

await main();
