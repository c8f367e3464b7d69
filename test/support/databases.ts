// PostgreSQL and MariaDB on loopback for tests, from the programs of this machine (Debian packages
// postgresql and mariadb-server). Where they are missing, their tests are skipped with a sentence.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, signalProcess, startProgram } from '../../testkit/process.js';
import { until } from '../../testkit/until.js';

export interface RunningDatabase {
  /** As an integration names it (`datasourceURL`). */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

const password = 'canary-of-the-database-5d1';
/** Databases refuse to run as root; these users come with their packages or the system. */
const users = ['postgres', 'mysql', 'nobody'];

/** The newest program of this name in the folders where packages put it; undefined: none. */
export function programNamed(name: string): string | undefined {
  const versions = '/usr/lib/postgresql';
  const folders = [
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    ...['/usr/sbin', '/usr/local/sbin'],
    ...(fs.existsSync(versions)
      ? fs.readdirSync(versions).map((version) => path.join(versions, version, 'bin'))
      : []),
  ];
  const found = folders
    .map((folder) => path.join(folder, name))
    .find((file) => fs.existsSync(file));
  return found === undefined ? undefined : fs.realpathSync(found);
}

/** `programs`: the folder of its programs; by default those that are found. */
export async function startPostgresql(programs?: string): Promise<RunningDatabase> {
  const folder = createFolder();
  const programOf = (name: string): string =>
    programs === undefined ? (programNamed(name) as string) : path.join(programs, name);
  const owner = ownerOf(folder);
  const data = path.join(folder, 'data');
  const passwordFile = path.join(folder, 'password');
  fs.writeFileSync(passwordFile, password, { mode: 0o644 });
  execFileSync(
    programOf('initdb'),
    [
      ...['-D', data, '-U', 'tester', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
      ...['-E', 'UTF8', '--no-locale', '--no-sync'],
    ],
    { ...owner, stdio: 'ignore' },
  );
  const port = await freePort();
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-c', 'fsync=off'];
  return await running(folder, owner, programOf('postgres'), args, {
    ready: 'ready to accept connections',
    url: `jdbc:postgresql://127.0.0.1:${port}/postgres`,
    user: 'tester',
  });
}

export async function startMariadb(): Promise<RunningDatabase> {
  const folder = createFolder();
  const owner = ownerOf(folder);
  const data = path.join(folder, 'data');
  fs.mkdirSync(data);
  if (owner.uid !== undefined) fs.chownSync(data, owner.uid, owner.gid ?? 0);
  const program = programNamed('mariadbd') as string;
  const share = path.resolve(path.dirname(program), '../share/mysql');
  const common = [
    ...['--no-defaults', `--datadir=${data}`, `--lc-messages-dir=${share}`],
    ...[`--pid-file=${folder}/pid`, `--tmpdir=${folder}`, '--innodb-use-native-aio=0'],
  ];
  // Each statement ends with its line.
  const setUp = [
    ...['CREATE DATABASE mysql;', 'USE mysql;'],
    ...['mysql_system_tables.sql', 'mysql_system_tables_data.sql'].map((name) =>
      fs.readFileSync(path.join(share, name), 'utf8'),
    ),
    ...['CREATE DATABASE test;', 'FLUSH PRIVILEGES;'],
    `CREATE USER tester@'%' IDENTIFIED BY '${password}';`,
    `GRANT ALL ON *.* TO tester@'%';`,
    '',
  ].join('\n');
  execFileSync(program, [...common, '--bootstrap', '--skip-networking'], {
    ...owner,
    input: setUp,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const port = await freePort();
  const args = [
    ...[...common, `--port=${port}`, '--bind-address=127.0.0.1'],
    ...[`--socket=${folder}/socket`, '--skip-name-resolve'],
  ];
  return await running(folder, owner, program, args, {
    ready: 'ready for connections',
    url: `jdbc:mariadb://127.0.0.1:${port}/test`,
    user: 'tester',
  });
}

/** The owner of the files and of the process: this user, or for root one of the usual ones. */
function ownerOf(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = users
    .map((user) => lines.find((line) => line.startsWith(`${user}:`))?.split(':'))
    .find((found) => found !== undefined);
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
  fs.chownSync(folder, uid, gid);
  return { uid, gid };
}

async function running(
  folder: string,
  owner: { uid?: number; gid?: number },
  file: string,
  args: readonly string[],
  { ready, url, user }: { ready: string; url: string; user: string },
): Promise<RunningDatabase> {
  const program = startProgram(file, [...args], owner);
  await until(`a database; it wrote:\n${program.output()}`, () => {
    if (program.hasEnded()) throw new Error(`the database ended:\n${program.output()}`);
    return program.output().includes(ready);
  });
  return {
    ...{ url, user, password },
    async stop() {
      signalProcess(program.pid, 'SIGKILL');
      await program.ended;
      removeFolder(folder);
    },
  };
}
