// Every page below a base path: empty and full, in both themes, wide and narrow. axe finds nothing,
// the browser reports nothing (its policy is strict), no other host is called, nothing is wider
// than the window, and nothing moves where a person wants no motion. Each can be copied as a
// request; an empty one offers a way on; a refusal is shown in the words of the server.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from './axe.js';
import { browserMissing, stepTimeoutMs, type OpenOptions } from './browser.js';
import { PageFixture } from './fixture.js';
import { fillServer } from './full-server.js';
import { addressOf, isFixed, pages, type Places } from './page-list.js';

const basePath = '/tools/downbeat';
const looks: Readonly<Record<string, OpenOptions>> = {
  'light and wide': { theme: 'light', width: 1280 },
  'dark and narrow': { theme: 'dark', width: 390, reducedMotion: true },
};
const looksOf: Readonly<Record<string, readonly string[]>> = {
  empty: ['dark and narrow'],
  full: Object.keys(looks),
};

describe.skipIf(browserMissing !== undefined).each(['empty', 'full'])('%s: every page', (state) => {
  let fixture: PageFixture;
  let places: Places | undefined;
  const shown = pages.filter(([path]) => state === 'full' || isFixed(path));
  beforeAll(async () => {
    fixture = await PageFixture.start(basePath);
    if (state === 'full') places = await fillServer(fixture);
  });
  afterAll(() => fixture?.stop());

  describe.each(looksOf[state] ?? [])('%s', (look) => {
    let page: Page;
    beforeAll(async () => {
      page = await fixture.browser.open(`${fixture.server.url}${basePath}/`, looks[look]);
    });
    afterAll(() => page?.context().close());

    it.each(shown)('/%s', async (path, title) => {
      const address = places === undefined ? path : addressOf(path, places);
      await page.goto(`${fixture.server.url}${basePath}/${address}`);
      await page.locator('h1', { hasText: title }).first().waitFor({ state: 'attached' });
      await expect
        .poll(() => page.evaluate<boolean>(isSettled), { timeout: stepTimeoutMs })
        .toBe(true);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate<number>(overflowOf)).toBeLessThanOrEqual(0);
      expect(await page.evaluate<string[]>(cellsOutOfSight)).toEqual([]);
      if (address !== 'nowhere') expect(await page.getByText('Copy as').count()).toBe(1);
      if (state === 'empty') expect(await page.evaluate<string[]>(dullEmptiness)).toEqual([]);
      if (looks[look]?.reducedMotion) expect(await page.evaluate(movingParts)).toEqual([]);
      // A search that is refused is the one answer 400 that a page shows.
      const complaints = fixture.browser.complaints.splice(0);
      expect(complaints.filter((each) => !each.includes('q=nonsense'))).toEqual([]);
    });
  });
});

describe.skipIf(browserMissing !== undefined)('refused: every page', () => {
  const shown = pages.filter(([path]) => isFixed(path) && isAsking(path));
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    page = await fixture.browser.open(fixture.server.url);
    const body = { message: 'The store is away', instance: 'node-1', status: 404 };
    await page.route(/\/api\/(?!features|stream)/, (route) =>
      route.fulfill({ status: 404, contentType: 'application/json', body: JSON.stringify(body) }),
    );
  });
  afterAll(() => fixture?.stop());

  it.each(shown)('/%s', async (path, title) => {
    await page.goto(`${fixture.server.url}/${path}`);
    await page.locator('h1', { hasText: title }).first().waitFor();
    const note = page.getByRole('alert').first();
    await note.waitFor();
    await expect
      .poll(() => note.innerText())
      .toMatch(/^The store is away\.\s+Node node-1\. Request [0-9a-f-]{36}\.\s+Retry$/);
  });
});

/** Whether the page shows what a request answers. The overview shows what the stream tells. */
function isAsking(path: string): boolean {
  return !['', 'definition-editor', 'templates', 'first-steps', 'nowhere'].includes(path);
}

/** Runs in the browser: the page has got what it asked for and stands in place of grey bars. */
const isSettled = `document.querySelector('main') !== null &&
  document.querySelector('.skeleton') === null &&
  document.querySelector('main').children.length > 1`;

/** Runs in the browser: pixels that the document is wider than the window. */
const overflowOf = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Runs in the browser: cells of tables that one would have to scroll sideways to see. */
const cellsOutOfSight = `[...document.querySelectorAll('[role=table]')].flatMap((table) => {
  const right = table.getBoundingClientRect().right;
  return [...table.querySelectorAll('[role=cell]')]
    .filter((cell) => cell.getBoundingClientRect().right > right + 1)
    .map((cell) => cell.textContent);
})`;

/** Runs in the browser: empty lists without a sentence, or without a button or a command. */
const dullEmptiness = `[...document.querySelectorAll('.note.empty')].filter((note) =>
  note.querySelector('p').textContent === '' || note.querySelector('.button, code') === null
).map((note) => note.textContent)`;

/** Runs in the browser: elements with an animation or a transition of some length. */
const movingParts = `[...document.querySelectorAll('*')].filter((element) => {
  const { animationName, transitionDuration } = getComputedStyle(element);
  return animationName !== 'none' || transitionDuration.split(',').some((each) => parseFloat(each) > 0);
}).map((element) => element.outerHTML.slice(0, 100))`;
