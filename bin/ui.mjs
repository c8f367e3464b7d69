// Builds the page (`node bin/ui.mjs`), or serves its sources with a proxy to the server on port 8080
// (`npm run ui`).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';
import { buildPage } from './lib/page.mjs';
import { projectRoot } from './lib/run.mjs';

const { serve } = readOptions({
  command: 'npm run ui',
  about: 'Builds the page into dist/ui.',
  options: {
    serve: { type: 'boolean', about: 'then serves its sources with a proxy to port 8080' },
  },
});
const isBuilt = await buildPage();
if (serve) {
  const vite = path.join('node_modules', 'vite', 'bin', 'vite.js');
  const cwd = path.join(projectRoot, 'ui');
  const { status } = spawnSync(process.execPath, [vite], { cwd, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  process.exitCode = isBuilt ? 0 : 1;
}
