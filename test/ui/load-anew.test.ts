// An address is loaded anew while the server is away, killed by a signal: the browser shows the
// page that it kept, the page says so, and goes on when the server is back. What is kept is the
// page's own files: no answer of the API.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const basePath = '/tools/downbeat';

describe.skipIf(browserMissing !== undefined).each(['', basePath])('below "%s"', (below) => {
  let fixture: PageFixture;
  let page: Page;
  let failed: string;
  beforeAll(async () => {
    fixture = await PageFixture.start(basePath);
    await fixture.define(order);
    failed = await fixture.run(order.name, { amount: 1 });
    await fixture.work('ui_charge', 'FAILED', 'card was declined');
    page = await fixture.browser.open(`${fixture.server.url}${below}/`, { keeps: true });
  });
  afterAll(() => fixture?.stop());

  const address = (path: string): string => `${fixture.server.url}${below}/${path}`;
  const away = (): ReturnType<Page['getByText']> =>
    page.getByText('No connection to the server since');

  it('the browser keeps the page, and no answer of the API', async () => {
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.evaluate(isKept);
    const kept = (await page.evaluate<string[]>(keptAddresses)).map(
      (each) => new URL(each).pathname,
    );
    expect(kept).toContain(`${below}/`);
    for (const each of kept) expect(each.slice(below.length)).toMatch(ownFile);
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });

  it('with the server, an address is answered by it', async () => {
    const answer = await page.goto(address(`executions/${failed}`));
    await page.getByText('card was declined').first().waitFor();
    expect(await page.evaluate<boolean>(isControlled)).toBe(true);
    expect(await answer?.allHeaders()).toMatchObject({ 'cache-control': 'no-cache' });
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });

  it('without it, shows the page, says so, and goes on when it is back', async () => {
    await fixture.server.kill('SIGKILL');
    await page.reload();
    await away().waitFor();
    await page.goto(address('definitions'));
    await page.getByRole('heading', { name: 'Definitions' }).waitFor();
    await away().waitFor();
    await page.goto(address(`executions/${failed}`));
    await away().waitFor();
    await fixture.server.restart();
    await away().waitFor({ state: 'detached' });
    await page.getByText('card was declined').first().waitFor();
    await page.getByRole('link', { name: 'Definitions', exact: true }).click();
    await page.getByRole('link', { name: order.name }).first().waitFor();
    // Requests without an answer are the one thing that the browser complains about.
    const complaints = fixture.browser.complaints.splice(0);
    expect(complaints.filter((each) => !each.includes('Failed to load resource'))).toEqual([]);
  });
});

const ownFile = /^\/(?:|favicon\.svg|assets\/[\w.-]+\.(?:js|css|svg|woff2))$/;

/** Runs in the browser: waits until the page is kept. */
const isKept = `navigator.serviceWorker.ready.then(() => true)`;

const isControlled = `navigator.serviceWorker.controller !== null`;

/** Runs in the browser: addresses of all that is kept. */
const keptAddresses = `(async () => {
  const addresses = [];
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) addresses.push(url);
  return addresses;
})()`;
