// Runs a programme of bench/, cluster/ or test/: `node bin/tool.mjs bench/load [arguments]`. Builds
// server and programme first.
import path from 'node:path';
import { ensurePackages } from './lib/packages.mjs';
import { buildServer, buildTools, ensureRedisServer } from './lib/prepare.mjs';
import { projectRoot, runToEnd } from './lib/run.mjs';

const [name, ...args] = process.argv.slice(2);
if (name === undefined) throw new Error('usage: node bin/tool.mjs bench/load [arguments]');
ensurePackages();
if (!args.includes('--help')) await ensureRedisServer();
buildServer();
buildTools();
const program = path.join(projectRoot, 'dist', 'tools', `${name}.js`);
process.exitCode = await runToEnd(process.execPath, [program, ...args]);
