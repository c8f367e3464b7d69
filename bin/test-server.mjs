// `downbeat test-server` in a clone: builds the server when that is due and runs it as a server for
// tests of workflows.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureServerPackages } from './lib/packages.mjs';
import { buildServer } from './lib/prepare.mjs';
import { projectRoot } from './lib/run.mjs';
import { refuseEarly } from './lib/start-arguments.mjs';

refuseEarly('test-server', process.argv.slice(2));
await ensureServerPackages();
buildServer();
await import(pathToFileURL(path.join(projectRoot, 'dist', 'test-server.js')).href);
