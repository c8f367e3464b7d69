// A PostgreSQL that has the extension pgvector: that of the machine where the Debian package
// postgresql-NN-pgvector is installed, else the binaries of the Python package pgserver, which
// `npm run setup:sdks`, or the first test that wants them, fetches into the user's cache folder.
import fs from 'node:fs';
import path from 'node:path';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { startPostgresql, type RunningDatabase } from './databases.js';
import { install } from './tool-cache.js';

const binaries = 'pgserver==0.1.4';
/** The programs in that package. */
const packed = path.join('pgserver', 'pginstall', 'bin');
const debian = { programs: '/usr/lib/postgresql', shared: '/usr/share/postgresql' };

/** The folder of its programs; or why there is none, as a sentence. */
export type Pgvector =
  { readonly programs: string; readonly packedIn?: string } | { readonly missing: string };

export async function findPgvector(): Promise<Pgvector> {
  const versions = fs.existsSync(debian.programs) ? fs.readdirSync(debian.programs) : [];
  const installed = versions.find((version) =>
    fs.existsSync(path.join(debian.shared, version, 'extension', 'vector.control')),
  );
  if (installed !== undefined) return { programs: path.join(debian.programs, installed, 'bin') };
  const fetched = await install(binaries, (folder) => [
    ['python3', '-m', 'pip', 'install', '--quiet', '--no-deps', `--target=${folder}`, binaries],
  ]);
  if ('missing' in fetched) return fetched;
  return { programs: path.join(fetched.folder, packed), packedIn: fetched.folder };
}

export async function startPgvector(
  found: Exclude<Pgvector, { missing: string }>,
): Promise<RunningDatabase> {
  if (found.packedIn === undefined) return await startPostgresql(found.programs);
  // The database runs as another user than root, who may not read root's cache folder.
  const folder = createFolder();
  fs.chmodSync(folder, 0o755);
  fs.cpSync(found.packedIn, folder, { recursive: true });
  const database = await startPostgresql(path.join(folder, packed));
  return {
    ...database,
    async stop() {
      await database.stop();
      removeFolder(folder);
    },
  };
}
