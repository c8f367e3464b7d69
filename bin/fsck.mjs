// `npm run fsck`: builds the server when that is due and runs its check of a keyspace.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureServerPackages } from './lib/packages.mjs';
import { buildServer } from './lib/prepare.mjs';
import { projectRoot } from './lib/run.mjs';
import { refuseEarly } from './lib/start-arguments.mjs';

refuseEarly('fsck', process.argv.slice(2));
await ensureServerPackages();
buildServer();
await import(pathToFileURL(path.join(projectRoot, 'dist', 'fsck-command.js')).href);
