// Runs a programme of bench/, cluster/ or test/: `node bin/tool.mjs bench/load [arguments]`. Checks
// its arguments, then builds server and programme.
import fs from 'node:fs';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { buildServer, buildTools, ensureRedisServer } from './lib/prepare.mjs';
import { projectRoot, runToEnd } from './lib/run.mjs';
import { toolProgram } from './lib/tool-options.mjs';

const [name = '', ...args] = process.argv.slice(2);
if (name === '' || !fs.existsSync(path.join(projectRoot, `${name}.ts`))) {
  const what = name === '' ? 'Say which programme to run' : `There is no programme ${name}`;
  console.error(`${what}: node bin/tool.mjs bench/load [arguments].`);
  process.exit(2);
}
const declared = toolProgram(name);
if (declared !== undefined) readOptions(declared, args);
ensurePackages();
if (!args.includes('--help')) await ensureRedisServer();
buildServer();
buildTools();
const program = path.join(projectRoot, 'dist', 'tools', `${name}.js`);
process.exitCode = await runToEnd(process.execPath, [program, ...args]);
