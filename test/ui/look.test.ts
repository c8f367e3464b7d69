// How pages look and move: records stand beside their list, actions on many are one button and a
// menu, letters of a graph stay readable, a time is drawn over the strip of starts.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { PageFixture } from './fixture.js';
import { fillServer } from './full-server.js';
import type { Places } from './page-list.js';

const lettersMin = 11;
/** Where the graph of an execution begins at the latest, of 900 pixels. */
const graphTopMax = 250;

describe.skipIf(browserMissing !== undefined)('pages look and move', () => {
  let fixture: PageFixture;
  let page: Page;
  let places: Places;
  beforeAll(async () => {
    fixture = await PageFixture.start('', ['--queue-sample-seconds', '1']);
    places = await fillServer(fixture);
    page = await fixture.browser.open(fixture.server.url, { width: 1440 });
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);

  it('a record stands beside its list, by its address too, until Escape', async () => {
    await open('schedules?id=each-morning');
    const pane = page.getByRole('complementary', { name: 'each-morning' });
    await pane.getByRole('button', { name: 'Run now' }).waitFor();
    const list = page.getByRole('table', { name: 'Schedules' });
    const [listed, shown] = [await list.boundingBox(), await pane.boundingBox()];
    expect((listed?.x ?? 0) + (listed?.width ?? 0)).toBeLessThanOrEqual(shown?.x ?? 0);
    const row = list.getByRole('row').filter({ hasText: 'each-morning' });
    expect(await row.getAttribute('data-shown')).toBe('true');
    expect(await page.locator('.overlay').count()).toBe(0);
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  it('no text of the list of schedules is cut off', async () => {
    await open('schedules');
    await page.getByText('At 09:00 AM, Monday through Friday').first().waitFor();
    const cut = await page.evaluate<readonly string[]>(cutCells);
    expect(cut).toEqual([]);
  });

  it('an action on many is one button; the others say in the menu why they cannot be taken', async () => {
    await open('executions?status=FAILED');
    const bar = page.getByRole('group', { name: 'Actions on many executions' });
    await bar.getByText('On all 4').waitFor();
    expect(await bar.getByRole('button').allInnerTexts()).toEqual(['Retry', 'More']);
    await bar.getByRole('button', { name: 'More actions on all 4' }).click();
    const resume = page.getByRole('menuitem', { name: /^Resume/ });
    await expect.poll(() => resume.innerText()).toContain('Not possible: none of them is paused');
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox').first().check();
    await bar.getByText('On 1 chosen').waitFor();
  });

  it('a time that is drawn over the strip is what the list is about', async () => {
    await open('executions');
    const strip = page.getByRole('img', { name: /executions started, at most/ });
    const box = (await strip.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const [middle, third] = [box.y + box.height / 2, box.x + box.width / 3];
    await page.mouse.move(box.x + 4, middle);
    await page.mouse.down();
    await page.mouse.move(third, middle, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=.+&to=/);
    await page.getByText('Nothing matches.').waitFor();
    await page.getByRole('button', { name: 'All times' }).click();
    await page.getByText(/^1 to \d+ of/).waitFor();
  });

  it('letters of a graph are never smaller than 11 pixels, fitted or small', async () => {
    await open('definition-editor?template=saga');
    await page.locator('.graph-node').first().waitFor();
    for (const size of ['Fit', 'Smaller', 'Smaller']) {
      await page.getByRole('button', { name: size, exact: true }).click();
      const letters = await page.evaluate<readonly number[]>(letterSizes);
      expect(letters.length).toBeGreaterThan(2);
      expect(Math.min(...letters)).toBeGreaterThanOrEqual(lettersMin - 0.1);
    }
  });

  it('the ground of a graph is drawn with the pointer', async () => {
    await open(`executions/${places.failed}`);
    const graph = page.getByRole('region', { name: 'Graph of the tasks' });
    const box = (await graph.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    expect(box.y).toBeLessThan(graphTopMax);
    await page.getByRole('button', { name: 'Larger', exact: true }).click();
    const left = (): Promise<number> => page.evaluate<number>(scrolledLeft);
    const before = await left();
    await page.mouse.move(box.x + 400, box.y + 12);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 12, { steps: 4 });
    await page.mouse.up();
    await expect.poll(left).not.toBe(before);
  });

  it('the overview has four curves with their value now, and says since when something stands', async () => {
    await open('?window=1h');
    const curves = page.getByRole('region', { name: /^Curves/ }).getByRole('img');
    await expect.poll(() => curves.count()).toBe(4);
    const words = await curves.evaluateAll((all) => all.map((each) => each.ariaLabel ?? ''));
    expect(words[0]).toMatch(/^Starts per minute: [\d.,]+ now/);
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention
      .getByText(/^for \d+ (ms|s|min)/)
      .first()
      .waitFor();
  });

  it('pages of one kind share an entry of the menu, and are tabs of each other', async () => {
    await open('admin/groups');
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'Users and access' }).waitFor();
    expect(await menu.getByRole('link').count()).toBeLessThan(22);
    const family = page.getByRole('navigation', { name: 'Users and access' });
    await family.getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor();
    expect(fixture.browser.complaints).toEqual([]);
  });
});

/** Runs in the browser. */
const cutCells = `[...document.querySelectorAll('[role=cell]')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
  .map((cell) => cell.innerText)`;

/** Runs in the browser: sizes of the letters of the graph as they are seen, px. */
const letterSizes = `(() => {
  const svg = document.querySelector('.graph svg');
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [...svg.querySelectorAll('text')]
    .filter((text) => getComputedStyle(text).display !== 'none')
    .map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
})()`;

/** Runs in the browser. */
const scrolledLeft = `document.querySelector('.graph').scrollLeft`;
