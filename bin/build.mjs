// `npm run build [-- --no-ui]`: bundles server and command into dist and builds the page into
// dist/ui and the handbook into dist/site.
import { readOptions } from './lib/options.mjs';
import { buildHandbook } from './lib/handbook.mjs';
import { buildPage } from './lib/page.mjs';
import { buildServer } from './lib/prepare.mjs';

const options = readOptions({
  command: 'npm run build --',
  about: 'Bundles server and command into dist and builds page and handbook.',
  options: { 'no-ui': { type: 'boolean', about: 'leaves the page out' } },
});
const page = options['no-ui'] ? true : buildPage();
buildServer();
await page;
await buildHandbook();
