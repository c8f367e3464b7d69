// `npm run build [-- --no-ui]`: compiles the server into dist and builds the page into dist/ui.
import { buildPage } from './lib/page.mjs';
import { buildServer } from './lib/prepare.mjs';

const page = process.argv.includes('--no-ui') ? true : buildPage();
buildServer();
await page;
