// `npm run build:site -- --out DIR`: the handbook as static files for any web server. A node serves the
// same pages at /docs, which `npm run build` and `npm start` make for it.
import path from 'node:path';
import { readOptions } from './lib/options.mjs';
import { ensureServerPackages } from './lib/packages.mjs';

import { projectRoot } from './lib/run.mjs';

const { out } = readOptions({
  command: 'npm run build:site --',
  about: 'Builds the handbook as static files for any web server.',
  options: { out: { type: 'string', about: 'folder that is made anew', default: 'handbook' } },
});
await ensureServerPackages();
const { buildSite } = await import('../site/build-site.mjs');
const folder = path.resolve(projectRoot, out);
const { pages } = buildSite(projectRoot, folder);
console.log(`${pages} pages in ${folder}`);
