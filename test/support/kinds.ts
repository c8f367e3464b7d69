// Which kind a test file is of. Tests that start the built server have folders of their own; those
// that take long or start brokers are named here. Of the others, those of the folders of Redis and
// those that import testkit/redis.ts, themselves or through a file they import, need a Redis.
import fs from 'node:fs';
import path from 'node:path';

/** Folders of tests that start the built server. */
export const serverFolders: readonly string[] = [
  'plugins/mcp/test',
  'test/attack',
  'test/bench',
  'test/cluster',
  'test/limits',
  'test/recorded',
  'test/sdk',
  'test/semantics/server',
  'test/server',
  'test/soak',
  'test/startup',
  'test/timers',
  'test/torture',
  'test/ui',
  'test/upgrade',
];

/** Of those the tests that look at the server's private Redis, or start a Redis of their own. */
export const needPrivateRedis: readonly string[] = [
  'test/bench/**',
  'test/cluster/**',
  'test/limits/retention.test.ts',
  'test/limits/store-limits.test.ts',
  'test/server/backup.test.ts',
  'test/server/command/restore.test.ts',
  'test/server/registry/integrations.test.ts',
  'test/server/secrets.test.ts',
  'test/soak/**',
  'test/startup/**',
  'test/torture/**',
  'test/ui/**',
  'test/upgrade/**',
];

/**
 * What needs no Redis and takes long by itself: a cluster simulated from many seeds, scripts and
 * documents that use up the limits of what reads them, and comparisons with other implementations.
 */
export const longTests: readonly string[] = [
  'test/jq/other-implementations.test.ts',
  'test/json-path/other-implementations.test.ts',
  'test/sandbox/script-attacks.test.ts',
  'test/simulation/*.test.ts',
  'test/system-task/isolated/bombs.test.ts',
];

/** What starts message brokers, one after the other. */
export const brokerTests: readonly string[] = ['test/broker/kinds.test.ts'];

const redisFolders = ['test/redis'];
const redisSupport = path.join('testkit', 'redis.ts');

/** Test files below `root` that need a Redis and no server, as paths from there with `/`. */
export function redisTests(root: string): string[] {
  return fs
    .readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join('test', name))
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => !isIn(name, serverFolders))
    .filter((name) => isIn(name, redisFolders) || importsRedis(root, name, new Set()))
    .map((name) => name.split(path.sep).join('/'));
}

function isIn(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file.startsWith(path.join(folder, path.sep)));
}

function importsRedis(root: string, file: string, seen: Set<string>): boolean {
  if (file === redisSupport) return true;
  if (seen.has(file) || !fs.existsSync(path.join(root, file))) return false;
  seen.add(file);
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  for (const [, specifier] of text.matchAll(/from '(\.[^']+)\.js'/g)) {
    const imported = `${path.join(path.dirname(file), specifier as string)}.ts`;
    if (imported.startsWith('test') && importsRedis(root, imported, seen)) return true;
  }
  return false;
}
