// The servers besides the machine's redis-server that tests run on where they are found: Valkey,
// and one that knows WAITAOF.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './tool-cache.js';

const valkeyVariable = 'DOWNBEAT_VALKEY_SERVER';

/** Path or name of valkey-server; undefined where there is none. */
export function findValkey(): string | undefined {
  const fetched = path.join(cacheFolder('brokers'), 'valkey', 'valkey-server');
  const program =
    process.env[valkeyVariable] ?? (fs.existsSync(fetched) ? fetched : 'valkey-server');
  return versionOf(program) === undefined ? undefined : program;
}

/** A server that knows WAITAOF (Redis 7.2, Valkey); undefined where there is none. */
export function findWaitAof(): string | undefined {
  return knowsWaitAof('redis-server') ? 'redis-server' : findValkey();
}

/** Whether the redis-server of this machine does. */
export function knowsWaitAof(program: string): boolean {
  const [major = 0, minor = 0] = versionOf(program) ?? [];
  return major > 7 || (major === 7 && minor >= 2);
}

/** Major and minor number; undefined where it does not run. */
function versionOf(program: string): readonly number[] | undefined {
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 5_000 });
  const found = error === undefined ? /v=(\d+)\.(\d+)/.exec(stdout) : null;
  return found === null ? undefined : [Number(found[1]), Number(found[2])];
}

/** Why tests that need Valkey are skipped, for their names; '' where they run. */
export function whyNoValkey(): string {
  return findValkey() === undefined
    ? ` (skipped: no valkey-server; npm run setup:brokers fetches one, ${valkeyVariable} names another)`
    : '';
}

/** The same of a server that knows WAITAOF. */
export function whyNoWaitAof(): string {
  return findWaitAof() === undefined
    ? ' (skipped: no Redis 7.2 or later and no Valkey is installed)'
    : '';
}
