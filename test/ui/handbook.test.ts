// The handbook that a node serves at /docs, in a real browser: it is found by its words, read by
// keyboard, and calls nobody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { axeFindings } from './axe.js';
import { browserMissing, TestBrowser } from './browser.js';

describe.skipIf(browserMissing !== undefined)('the handbook', () => {
  let server: RunningServer;
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    server = await startServer({ args: ['--base-path', '/tools'] });
    browser = await TestBrowser.launch();
    page = await browser.open(`${server.url}/tools/docs`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('begins with what it is, how it starts, and what its pages answer', async () => {
    expect(page.url()).toBe(`${server.url}/tools/docs/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.locator('pre').first().innerText()).toContain('npm start');
    await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await page.locator('nav [aria-current]').innerText()).toBe('Settings');
  });

  it.each([
    ['callerWeights', 'settings.html', 'callerWeights'],
    ['dynamic fork', 'semantics.html', 'FORK_JOIN_DYNAMIC'],
    ['helm chart', 'deployment.html', 'Helm'],
  ])('finds %j by keyboard alone', async (words, target, text) => {
    await page.goto(`${server.url}/tools/docs/`);
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    const found = page.getByRole('option').filter({ has: page.locator('strong') });
    await found.first().waitFor();
    const links = await found.evaluateAll((all) =>
      all.map((one) => one.getAttribute('href') ?? ''),
    );
    const at = links.findIndex((link) => link.includes(target));
    expect([links, at]).toEqual([links, expect.any(Number)]);
    expect(at).toBeGreaterThanOrEqual(0);
    for (let step = 0; step <= at; step++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/docs/${target}*`);
    await page.locator('article').getByText(text).first().waitFor();
  });

  it('says that nothing was found', async () => {
    await page.goto(`${server.url}/tools/docs/settings.html`);
    await page.getByRole('searchbox').fill('qqqqzzzz');
    await page.getByText('Nothing found.').waitFor();
  });

  it.each(['', 'semantics.html', 'settings.html', 'decisions/'])(
    'can be read by everybody, and on a telephone: %j',
    async (target) => {
      await page.goto(`${server.url}/tools/docs/${target}`);
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate<number>(overflowOf)).toBe(0);
      await page.setViewportSize({ width: 1280, height: 860 });
    },
  );

  it('calls nobody else and breaks no rule of its policy', () => {
    expect(browser.complaints).toEqual([]);
  });
});

/** Runs in the browser: pixels that the document is wider than the window. */
const overflowOf = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
