// `npm run build [-- --no-ui]`: compiles server and command into dist and builds the page into
// dist/ui.
import { readOptions } from './lib/options.mjs';
import { buildPage } from './lib/page.mjs';
import { buildCommand, buildServer } from './lib/prepare.mjs';

const options = readOptions({
  command: 'npm run build --',
  about: 'Compiles server and command into dist and builds the page into dist/ui.',
  options: { 'no-ui': { type: 'boolean', about: 'leaves the page out' } },
});
const page = options['no-ui'] ? true : buildPage();
buildServer();
buildCommand();
await page;
