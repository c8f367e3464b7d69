// `npm run admin -- create-key`: builds the server when that is due and runs its admin command.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureServerPackages } from './lib/packages.mjs';
import { buildServer } from './lib/prepare.mjs';
import { projectRoot } from './lib/run.mjs';
import { refuseEarly } from './lib/start-arguments.mjs';

refuseEarly('admin', process.argv.slice(2));
await ensureServerPackages();
buildServer();
await import(pathToFileURL(path.join(projectRoot, 'dist', 'admin-command.js')).href);
