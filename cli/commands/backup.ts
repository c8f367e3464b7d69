// `downbeat backup FILE`: a snapshot of one moment of what a running server has stored, taken by
// redis-cli as a replica takes it, so nothing stops meanwhile (docs/backup.md, which also says how
// to restore).
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Context, Exit } from '../shared/context.js';
import { badInput, Failure } from '../shared/failure.js';

export function addBackup(
  program: Command,
  contextOf: (command: Command) => Context,
  exit: Exit,
): void {
  program
    .command('backup')
    .helpGroup('The server:')
    .summary('a snapshot of what is stored, while it works')
    .argument('<file>', 'file to write; there must be none of the name')
    .option(
      '--redis-url <url>',
      'the Redis of the server; by default the private one in --data-dir',
    )
    .option('--data-dir <folder>', 'data folder of the server on this machine', '.downbeat')
    .action((file: string, options: { redisUrl?: string; dataDir: string }, command: Command) => {
      const { out, env } = contextOf(command);
      if (fs.existsSync(file))
        throw badInput(`${file} exists: name a new file. Nothing was changed.`);
      const url = options.redisUrl ?? env['DOWNBEAT_REDIS_URL'] ?? env['REDIS_URL'];
      const where = url === undefined ? ['-s', socketIn(options.dataDir)] : placeOf(url);
      const draft = `${file}.${process.pid}`;
      const { error, status, stderr } = spawnSync(
        'redis-cli',
        ['--no-auth-warning', ...where, '--rdb', draft],
        { encoding: 'utf8' },
      );
      if (error !== undefined)
        throw new Failure('redis-cli is not on PATH: install redis-tools.', 2);
      if (status !== 0 || !fs.existsSync(draft) || fs.statSync(draft).size === 0) {
        fs.rmSync(draft, { force: true });
        out.note(stderr.trim());
        throw new Failure(
          `No snapshot was written: is the server running? ${url === undefined ? 'Name its --data-dir, or give --redis-url.' : 'Check --redis-url.'}`,
          3,
        );
      }
      fs.renameSync(draft, file);
      const bytes = fs.statSync(file).size;
      out.result({ file: path.resolve(file), bytes }, () => `${file}: ${bytes} bytes`);
      out.note(
        'Keep the key that seals secrets apart from it (docs/backup.md, which says how to restore).',
      );
      exit(0);
    });
}

/** Where redis-cli finds a Redis; the form with `unix:` is one of the server alone. */
function placeOf(url: string): readonly string[] {
  const socket = /^unix:(?:\/\/)?(\/.+)$/.exec(url)?.[1];
  if (socket !== undefined) return ['-s', socket];
  if (/^rediss?:\/\/./.test(url)) return ['-u', url];
  throw badInput(
    `--redis-url takes the address of one server, such as redis://host:6379 or unix:///path, not '${withoutPassword(url)}'; of a cluster every primary is copied (docs/backup.md).`,
  );
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':***@');
}

function socketIn(dataDir: string): string {
  const socket = path.join(dataDir, 'redis', 'redis.sock');
  if (fs.existsSync(socket)) return socket;
  throw badInput(
    `No server keeps its data in ${dataDir}: name its --data-dir, or give --redis-url.`,
  );
}
