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
    const label = ['--environment-label', 'production'];
    fixture = await PageFixture.start('', ['--queue-sample-seconds', '1', ...label]);
    places = await fillServer(fixture);
    page = await fixture.browser.open(fixture.server.url, { width: 1440 });
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);

  it('the environment has a badge in the bar, and production one of its own colour', async () => {
    await open('queues');
    const bar = page.getByRole('banner');
    await bar.getByText('production', { exact: true }).waitFor();
    const [here, elsewhere] = await page.evaluate<string[]>(badgeColours);
    expect(here).not.toBe(elsewhere);
  });

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
    await open('definition-editor?template=saga');
    await page.locator('.graph-node').first().waitFor();
    const canvas = (await graph.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const top = (): Promise<number> => page.evaluate<number>(scrolledDown);
    const before = await top();
    await page.mouse.move(canvas.x + 12, canvas.y + 200);
    await page.mouse.down();
    await page.mouse.move(canvas.x + 12, canvas.y + 100, { steps: 4 });
    await page.mouse.up();
    await expect.poll(top).not.toBe(before);
  });

  for (const { path, record, table } of [
    { path: 'queues/ui_charge', record: 'ui_charge', table: 'Queues' },
    { path: 'task-definitions/ui_ship', record: 'ui_ship', table: 'Task definitions' },
    { path: 'definitions?id=ui_order', record: 'ui_order', table: 'Definitions' },
    { path: 'inbox/{human}', record: 'Decide the refund of', table: 'Human tasks' },
  ]) {
    it(`${table} keep their place beside the chosen one`, async () => {
      await open(path.replace('{human}', places.human));
      const pane = page.locator('.side-pane', { has: page.getByRole('heading', { level: 2 }) });
      await pane.getByRole('heading', { name: record, level: 2 }).waitFor();
      const list = page.getByRole('table', { name: table, exact: true });
      await list.locator('[data-shown=true]').filter({ hasText: record }).waitFor();
      const [listed, shown] = [await list.boundingBox(), await pane.boundingBox()];
      expect((listed?.x ?? 0) + (listed?.width ?? 0)).toBeLessThanOrEqual(shown?.x ?? 0);
      await pane.getByRole('heading', { name: record, level: 2 }).click();
      await page.keyboard.press('Escape');
      await pane.waitFor({ state: 'detached' });
      expect(await list.isVisible()).toBe(true);
    });
  }

  it('deleting stands in the menu, in red, and says that it is final', async () => {
    for (const [path, title] of [
      ['definitions/ui_order', 'Delete version 2'],
      ['schedules?id=each-morning', 'Delete'],
      ['task-definitions/ui_ship', 'Delete'],
    ] as const) {
      await open(path);
      await page.getByRole('button', { name: 'More actions' }).click();
      const item = page.getByRole('menuitem', { name: new RegExp(`^${title}`) });
      await item.waitFor();
      expect(await item.innerText()).toContain('gone for good');
      expect(await item.getAttribute('class')).toContain('final');
      await item.click();
      await page.getByRole('dialog').getByText('This is final').waitFor();
      await page.keyboard.press('Escape');
    }
  });

  it('a row of a narrow window is a card: its key, the time at its right, the cause below', async () => {
    const narrow = await fixture.browser.open(fixture.server.url, { width: 390 });
    await narrow.goto(`${fixture.server.url}/executions?status=FAILED`);
    const row = narrow.getByRole('table', { name: 'Executions' }).getByRole('row').nth(1);
    const place = async (card: string): Promise<{ x: number; y: number; right: number }> => {
      const box = await row.locator(`[data-card=${card}]`).boundingBox();
      return { x: box?.x ?? 0, y: box?.y ?? 0, right: (box?.x ?? 0) + (box?.width ?? 0) };
    };
    await row.waitFor();
    const [key, time, cause] = [await place('key'), await place('time'), await place('cause')];
    expect(time.y).toBeLessThan(key.y + 16);
    expect(time.x).toBeGreaterThanOrEqual(key.right);
    expect(time.right).toBeGreaterThan(340);
    expect(cause.y).toBeGreaterThan(key.y + 16);
    expect(await row.innerText()).not.toContain(places.failed.slice(0, 8));
    await narrow.context().close();
  });

  it('the overview shows the five worst, and the others on demand', async () => {
    await fixture.expectOk('POST', '/api/metadata/taskdefs', manyTypes);
    for (const { name } of manyTypes) await failOnce(fixture, name);
    await open('');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const more = attention.getByRole('button', { name: /^\d+ more$/ });
    await more.waitFor();
    expect(await attention.getByRole('listitem').count()).toBe(5);
    const hidden = Number(/\d+/.exec(await more.innerText())?.[0]);
    await more.click();
    await expect.poll(() => attention.getByRole('listitem').count()).toBe(5 + hidden);
    await page.getByText('survives a crash of Downbeat').waitFor();
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

/** Runs in the browser: the colour of the badge, and that of one of another environment. */
const badgeColours = `(() => {
  const element = document.querySelector('header .env');
  const other = element.cloneNode(true);
  other.setAttribute('data-env', 'development');
  element.after(other);
  const colours = [element, other].map((each) => getComputedStyle(each).color);
  other.remove();
  return colours;
})()`;

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
const scrolledDown = `document.querySelector('.graph').scrollTop`;

const manyTypes = ['a', 'b', 'c', 'd', 'e'].map((letter) => ({
  ...{ name: `ui_many_${letter}`, ownerEmail: 'shop@example.com', retryCount: 0 },
}));

/** An execution of one task that fails. */
async function failOnce(fixture: PageFixture, type: string): Promise<void> {
  const task = { name: type, taskReferenceName: type, type: 'SIMPLE' };
  await fixture.define({ ...{ name: type, version: 1, schemaVersion: 2 }, tasks: [task] });
  await fixture.run(type, {});
  await fixture.work(type, 'FAILED', `${type} is out of order`);
}
