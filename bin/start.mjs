// `npm start -- [--port 8080] [--data-dir DIR] [--redis-url URL] ...`: prepares a fresh clone
// (packages, redis-server where no Redis is given, build, and the page unless `--no-ui` is given) and
// then becomes the server: signals reach it directly and its exit code is this process's. Arguments
// are checked before anything is installed.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildHandbook } from './lib/handbook.mjs';
import { isPageBuilt } from './lib/page.mjs';
import { ensureServerPackages } from './lib/packages.mjs';
import { buildServer, ensureRedisServer } from './lib/prepare.mjs';
import { projectRoot } from './lib/run.mjs';
import { settingKinds, whyRefused, whyVariableRefused } from './lib/start-arguments.mjs';

const asksUsage = process.argv.includes('--help') || process.argv.includes('-h');
const withPage = !asksUsage && !process.argv.includes('--no-ui');
process.argv = process.argv.filter((arg) => arg !== '--no-ui');
const args = process.argv.slice(2);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  console.error(`Downbeat needs Node 20.18 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
if (args.includes('--version')) {
  const { version } = JSON.parse(fs.readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
  console.log(`downbeat ${version}`);
  process.exit(0);
}
const kinds = settingKinds();
const help = process.argv0 === 'downbeat' ? 'downbeat start --help' : 'npm start -- --help';
const refusal = asksUsage
  ? undefined
  : (whyRefused(args, kinds, help) ?? whyVariableRefused(process.env, kinds));
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(2);
}
// The page is installed and built by a process of its own beside the server's steps.
const page =
  withPage && !isPageBuilt()
    ? spawn(process.execPath, [path.join(projectRoot, 'bin', 'ui.mjs')], {
        stdio: ['ignore', 2, 2],
      })
    : undefined;
const pageEnds = page && new Promise((resolve) => page.on('close', resolve).on('error', resolve));
try {
  const listener = ensureServerPackages();
  if (!asksUsage && !redisIsGiven()) await ensureRedisServer();
  buildServer();
  await listener;
} catch (error) {
  console.error(`Downbeat could not be prepared: ${error.message}`);
  page?.kill();
  process.exit(1);
}
await pageEnds;
if (withPage) await buildHandbook();
await import(pathToFileURL(path.join(projectRoot, 'dist', 'main.js')).href);

/** Whether an argument, the environment or the settings file names a Redis. */
function redisIsGiven() {
  if (process.env.REDIS_URL || process.env.DOWNBEAT_REDIS_URL) return true;
  if (args.some((arg) => arg === '--redis-url' || arg.startsWith('--redis-url='))) return true;
  const at = args.indexOf('--config');
  const file = at >= 0 ? args[at + 1] : process.env.DOWNBEAT_CONFIG;
  if (!file || !fs.existsSync(file)) return false;
  try {
    return Boolean(JSON.parse(fs.readFileSync(file, 'utf8')).redisUrl);
  } catch {
    return false; // The server itself says what is wrong with the file.
  }
}
