// `downbeat restore FILE`: puts a snapshot that `downbeat backup` took back, into the private Redis
// of a server on this machine or into another Redis. No server may run meanwhile. Data that
// is there already is only replaced when that is asked for.
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Context, Exit } from '../shared/context.js';
import { badInput, exitCodes, Failure } from '../shared/failure.js';
import { copyInto } from '../restore/copy-into.js';
import { SnapshotServer } from '../restore/snapshot-server.js';
import { makeFolder } from '../shared/make-folder.js';

interface RestoreOptions {
  readonly dataDir: string;
  readonly redisUrl?: string;
  readonly replace?: boolean;
}

export function addRestore(
  program: Command,
  contextOf: (command: Command) => Context,
  exit: Exit,
): void {
  program
    .command('restore')
    .helpGroup('The server:')
    .summary('put a snapshot back; no server may run meanwhile')
    .argument('<file>', 'what backup wrote')
    .option('--data-dir <folder>', 'data folder of the server on this machine', '.downbeat')
    .option('--redis-url <url>', 'another Redis, one server, instead of the private one')
    .option('--replace', 'also when something is stored there: it is moved aside, or deleted there')
    .action(async (file: string, options: RestoreOptions, command: Command) => {
      const context = contextOf(command);
      requireSnapshot(file);
      const { dataDir, redisUrl, replace = false } = options;
      const keys =
        redisUrl === undefined
          ? await intoFolder(context, file, path.join(path.resolve(dataDir), 'redis'), replace)
          : await intoRedis(file, redisUrl, replace);
      context.out.result({ file: path.resolve(file), keys }, () => `${keys} keys are restored`);
      context.out.note(
        'Start the server with the same --partitions, --shards, --auth and key for secrets as before; downbeat fsck checks what is stored.',
      );
      exit(exitCodes.done);
    });
}

function requireSnapshot(file: string): void {
  let head: string;
  try {
    const handle = fs.openSync(file, 'r');
    const bytes = Buffer.alloc(6);
    fs.readSync(handle, bytes, 0, bytes.length, 0);
    fs.closeSync(handle);
    head = bytes.toString('latin1');
  } catch (error) {
    throw badInput(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Nothing was changed.`,
    );
  }
  if (!head.startsWith('REDIS') && !head.startsWith('VALKEY'))
    throw badInput(`${file} is no snapshot: give a file that backup wrote. Nothing was changed.`);
}

/** The folder of a private Redis gets an append-only file that is made from the snapshot. */
async function intoFolder(
  { out }: Context,
  file: string,
  folder: string,
  replace: boolean,
): Promise<number> {
  const isUsed = fs.existsSync(folder) && fs.readdirSync(folder).length > 0;
  if (isUsed && SnapshotServer.answersAt(path.join(folder, 'redis.sock')))
    throw badInput(`A server runs on ${folder}: stop it first. Nothing was changed.`);
  if (isUsed && !replace)
    throw badInput(
      `${folder} is not empty: name another --data-dir, or say --replace, which moves it aside. Nothing was changed.`,
    );
  const draft = `${folder}.restoring-${process.pid}`;
  makeFolder(draft, 0o700);
  try {
    fs.copyFileSync(file, path.join(draft, 'dump.rdb'));
    const server = await SnapshotServer.start(draft);
    let keys: number;
    try {
      keys = server.keys();
      await server.writeAppendOnlyFile();
    } finally {
      await server.stop();
    }
    fs.rmSync(path.join(draft, 'dump.rdb'));
    if (isUsed) {
      const aside = `${folder}.before-${new Date().toISOString().replace(/[:.]/g, '-')}`;
      fs.renameSync(folder, aside);
      out.note(`What was stored lies in ${aside} now.`);
    } else fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(draft, folder);
    return keys;
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

async function intoRedis(file: string, url: string, replace: boolean): Promise<number> {
  if (!/^rediss?:\/\/[^,]+$/.test(url))
    throw badInput(
      `--redis-url takes the address of one server, such as redis://host:6379, not '${url}'; docs/backup.md says how a cluster is restored. Nothing was changed.`,
    );
  const folder = fs.mkdtempSync(
    path.join(fs.realpathSync(process.env['TMPDIR'] ?? '/tmp'), 'downbeat-restore-'),
  );
  try {
    fs.copyFileSync(file, path.join(folder, 'dump.rdb'));
    const server = await SnapshotServer.start(folder);
    try {
      return await copyInto(server, url, replace);
    } finally {
      await server.stop();
    }
  } catch (error) {
    if (error instanceof Failure && error.code === exitCodes.badInput) throw error;
    throw new Failure(`${url}: ${(error as Error).message}`, exitCodes.unreachable);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
