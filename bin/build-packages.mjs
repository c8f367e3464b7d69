// `npm run build:packages`: compiles the packages that stand alone, each into its own folder dist:
// the contract with plug-ins, jq and JSON paths.
import fs from 'node:fs';
import path from 'node:path';
import { compile } from './lib/compile.mjs';
import { readOptions } from './lib/options.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { projectRoot } from './lib/run.mjs';

readOptions({
  command: 'npm run build:packages --',
  about: 'Compiles the packages that stand alone: the contract with plug-ins, jq, JSON paths.',
  options: {},
});
ensurePackages();
for (const folder of ['plugins/contract', 'packages/jq', 'packages/json-path']) {
  fs.rmSync(path.join(projectRoot, folder, 'dist'), { recursive: true, force: true });
  compile(folder);
}
