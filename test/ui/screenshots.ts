// Draws every page as a person sees it, in both themes, wide and narrow, on an empty and on a full
// server, and how each shows that the server refuses; a page longer than the window is drawn whole:
// `npm run screenshots -- --out DIR [--only TEXT,TEXT]`.
// `--docs` draws those of README and docs instead, into docs/pictures (pictures/of-docs.ts).
// `--baseline` draws those that tests compare (pictures/plan.ts), and `--record` asks a server anew
// what they show.
// `--role ROLE` draws them with authentication on, as a user with that role sees them.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { readOptions } from '../../bin/lib/options.mjs';
import { PageFixture } from './fixture.js';
import { fillServer } from './full-server.js';
import { addressOf, isFixed, pages, type Places } from './page-list.js';
import { keepPictures } from './pictures/keep.js';
import { drawPictures } from './pictures/of-docs.js';

const looks = [
  { name: 'light-wide', theme: 'light', width: 1280 },
  { name: 'dark-wide', theme: 'dark', width: 1280 },
  { name: 'light-narrow', theme: 'light', width: 390 },
  { name: 'dark-narrow', theme: 'dark', width: 390 },
] as const;
type Look = (typeof looks)[number];
/** Errors are drawn in two of them: the notes are the same in every page. */
const errorLooks = [looks[0], looks[3]];
/** How long a page may load before it is drawn as it is then, ms. */
const settleMsMax = 1500;

/** Runs in the browser: to the end of the page and back. */
const scrolledThrough = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  scrollTo(0, document.body.scrollHeight);
  for (let frame = 0; frame < 3; frame += 1) await drawn();
  scrollTo(0, 0);
  await drawn();
})()`;

const { out, only, role, docs, baseline, record } = readOptions({
  command: 'npm run screenshots --',
  about: 'Draws every page as a person sees it, on an empty and on a full server.',
  options: {
    out: { type: 'string', default: 'dist/screenshots', about: 'folder for the pictures' },
    only: { type: 'string', default: '', about: 'those whose name holds one of these, by commas' },
    docs: { type: 'boolean', about: 'those of README and docs, into docs/pictures' },
    baseline: { type: 'boolean', about: 'those that tests compare, into test/ui/pictures' },
    record: { type: 'boolean', about: 'what those show is asked of a server anew' },
    role: { type: 'string', about: 'with authentication on, as a user with this role' },
  },
});
const wanted = only.split(',');

const user = { id: 'drawer@example.com', password: 'password of the drawer' };
const settings = ['--queue-sample-seconds', '1'];
if (baseline) {
  await keepPictures({ record, out: out as string, isWanted });
  process.exit();
}
const fixture =
  role === undefined
    ? await PageFixture.start('', settings)
    : await PageFixture.startSecured(settings);
try {
  if (role !== undefined) {
    const body = { name: 'Dora', roles: [role], groups: [], password: user.password };
    await fixture.expectOk('PUT', `/api/users/${user.id}`, body);
  }
  if (docs) {
    await drawPictures(fixture);
  } else {
    await drawAll('empty', undefined);
    await drawAll('full', await fillServer(fixture));
  }
} finally {
  await fixture.stop();
}

async function drawAll(state: 'empty' | 'full', places: Places | undefined): Promise<void> {
  for (const { name: look, theme, width } of looks) {
    const page = await fixture.browser.open(fixture.server.url, { theme, width });
    if (role !== undefined) await signIn(page);
    for (const [address] of pages) {
      const isShown = places !== undefined || isFixed(address);
      const name = nameOf(address);
      if (!isShown || !isWanted(`${state}-${look}-${name}`)) continue;
      const target = places === undefined ? address : addressOf(address, places);
      await draw(page, target, `${state}-${look}-${name}`);
    }
    await page.context().close();
  }
  if (places === undefined || role !== undefined) return;
  for (const look of errorLooks) await drawErrors(places, look);
}

/** What every page shows when the server refuses what it asks for. */
async function drawErrors(places: Places, { name: look, theme, width }: Look): Promise<void> {
  const page = await fixture.browser.open(fixture.server.url, { theme, width });
  const body = { message: 'The store is away', instance: 'node-1', status: 503 };
  await page.route(/\/api\/(?!features|stream)/, (route) =>
    route.fulfill({ status: 404, contentType: 'application/json', body: JSON.stringify(body) }),
  );
  for (const [address] of pages) {
    const name = `error-${look}-${nameOf(address)}`;
    if (isWanted(name)) await draw(page, addressOf(address, places), name);
  }
  await page.context().close();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('User').fill(user.id);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

async function draw(page: Page, address: string, name: string): Promise<void> {
  await page.goto(`${fixture.server.url}/${address}`);
  await page.locator('h1, [role=alert]').first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: settleMsMax }).catch(() => undefined);
  // What an editor shows is measured when it comes into sight.
  await page.evaluate(scrolledThrough);
  fs.mkdirSync(out as string, { recursive: true });
  await page.screenshot({ path: path.join(out as string, `${name}.png`), fullPage: true });
}

function isWanted(name: string): boolean {
  return wanted.some((text) => name.includes(text));
}

function nameOf(address: string): string {
  return address.replace(/[{}]/g, '').replace(/[^\w-]+/g, '_') || 'overview';
}
