// `npm run fsck -- --redis-url URL [--prefix P] [--repair] [--json]`: checks the invariants of a
// keyspace, of running nodes or of none, and tells each violation with its keys. Without --repair
// nothing is changed. Without a URL it takes the private Redis of the server in --data-dir. Exit
// code 0: nothing is wrong, or all of it was mended; 1: something is; 2: it could not be checked.
import fs from 'node:fs';
import path from 'node:path';
import { buildFsck, fsckSettleMs } from './server/build-fsck.js';
import { readSettings } from './server/config.js';
import type { Settings } from './server/settings-table.js';
import { SettingError } from './settings/setting.js';
import { asksUsage, settingsUsage, type CommandOption } from './server/settings-usage.js';
import type { FsckReport, Violation } from './fsck/fsck.js';
import { AppError } from './model/errors.js';
import { RedisClient, type RedisSettings } from './redis/client.js';
import { KeyspaceReader } from './redis/keyspace-reader.js';
import { calledAs } from './std/called-as.js';
import { systemClock } from './std/clock.js';
import { openStoreOf, sayingWhyNoStore } from './server/store-of-settings.js';

const suspectsMax = 10_000;
const options: readonly CommandOption[] = [
  ['--repair', 'mends what can be mended'],
  ['--json', 'prints the report as JSON'],
  ['--prefix TEXT', 'the same as --redis-prefix'],
];

async function main(): Promise<boolean> {
  const args = process.argv.slice(2);
  if (asksUsage(args)) {
    const about = 'Checks what must hold of a keyspace, of running nodes or of none.';
    console.log(settingsUsage(`${calledAs.fsck} [options] [settings]`, about, options));
    return false;
  }
  const repairs = take(args, '--repair');
  const asJson = take(args, '--json');
  const settings = readSettings(
    args.map((argument) => argument.replace(/^--prefix(?==|$)/, '--redis-prefix')),
    process.env,
  );
  const report = await sayingWhyNoStore(settings, () => check(settings, repairs));
  if (asJson) console.log(JSON.stringify(report, null, 2));
  else print(report);
  process.exitCode = report.violations.every(isMended) ? 0 : 1;
  return true;
}

function take(args: string[], flag: string): boolean {
  const index = args.indexOf(flag);
  if (index >= 0) args.splice(index, 1);
  return index >= 0;
}

async function check(settings: Settings, repairs: boolean): Promise<FsckReport> {
  const { redisUrl, dataDir } = settings;
  if (redisUrl === '' && !fs.existsSync(dataDir)) {
    const folder = path.resolve(dataDir);
    throw new AppError(
      'unavailable',
      `No server keeps its data in ${folder}: give --redis-url or --data-dir.`,
    );
  }
  const store = await openStoreOf(settings);
  try {
    // Shards and partitions are what the keyspace says, whatever this command is set to.
    const { url, tls } = store;
    const place = { url, tls, prefix: settings.redisPrefix };
    const { shards, partitions } = await keyspaceAt(place);
    const redis = new RedisClient({ ...place, partitions });
    try {
      await redis.connect();
      const aheadMs = (await redis.now()) - Date.now();
      const { retentionSeconds } = settings;
      const now = (): number => Date.now() + aheadMs;
      const options = { clock: systemClock, settleMs: fsckSettleMs, repairs, suspectsMax };
      return await buildFsck({ redis, shards, retentionSeconds, now }, options).run();
    } finally {
      redis.disconnect();
    }
  } finally {
    await store.stop();
  }
}

async function keyspaceAt(
  place: Pick<RedisSettings, 'url' | 'tls' | 'prefix'>,
): Promise<{ shards: number; partitions: number }> {
  const redis = new RedisClient(place);
  try {
    await redis.connect();
    const keyspace = await new KeyspaceReader(redis).keyspace();
    if (keyspace !== undefined) return keyspace;
  } finally {
    redis.disconnect();
  }
  throw new AppError('unavailable', `There is no keyspace under the prefix "${place.prefix}".`);
}

function isMended({ repair }: Violation): boolean {
  return repair === 'mended';
}

const repairs: Readonly<Record<Violation['repair'], string>> = {
  mended: 'mended',
  asked: 'the owner of the execution is asked to mend it: check again in a minute',
  left: 'not mended: check again',
  none: 'cannot be derived from what is stored',
  possible: 'can be mended with --repair',
};

function print({ violations, inspected, passing, complete }: FsckReport): void {
  for (const { kind, invariant, sentence, keys, repair } of violations) {
    console.log(`${kind} (${invariant}): ${sentence}`);
    for (const key of keys) console.log(`    ${key}`);
    console.log(`    ${repairs[repair]}`);
  }
  const counts = Object.entries(inspected).map(([what, count]) => `${what} ${count}`);
  console.log(`inspected: ${counts.join(', ')}`);
  if (passing > 0) console.log(`${passing} differences were only under way`);
  if (!complete) console.log(`more than ${suspectsMax} suspects: check again after a repair`);
  console.log(`${violations.length} violations`);
}

export const started = run();

async function run(): Promise<boolean> {
  try {
    return await main();
  } catch (error) {
    const isOurs =
      error instanceof SettingError ||
      error instanceof AppError ||
      (error instanceof Error && error.name === 'StoreError');
    console.error(isOurs ? error.message : error);
    process.exitCode = 2;
    return false;
  }
}
