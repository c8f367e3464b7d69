// The operator's page: nodes and Redis, slow and failing definitions and task types, the workers;
// each table sorts by its columns, and the order survives going back.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { PageFixture } from './fixture.js';
import { fillServer } from './full-server.js';

describe.skipIf(browserMissing !== undefined)('the operator’s page', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fillServer(fixture);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const open = (tab: string): Promise<unknown> =>
    page.goto(`${fixture.server.url}/operations?tab=${tab}`);
  const table = (name: string) => page.getByRole('table', { name });
  /** Texts of a column, from the top. */
  const cells = (name: string, title: string): Promise<string[]> =>
    table(name).locator(`[role=cell][data-title="${title}"]`).allInnerTexts();

  it('shows how each node does and how Redis answers', async () => {
    await page.goto(`${fixture.server.url}/`);
    await page.getByRole('link', { name: 'Operations' }).click();
    const redis = page.getByRole('region', { name: 'Redis' });
    await expect
      .poll(() => redis.innerText(), { timeout: 20_000 })
      .toMatch(/Answers in\s+[\d.]+ ms/);
    expect(await redis.innerText()).toMatch(/Memory\s+[\d.]+ [kMG]B/);
    expect(await redis.innerText()).toMatch(/Survives\s+\S/);
    for (const [title, shape] of [
      ['CPU', / %$/],
      ['Memory', /MB$/],
      ['Loop lag', /ms$/],
      ['Shards', /^\d+$/],
      ['Polls', /^\d+$/],
      ['Link', /^up$/],
    ] as const) {
      expect((await cells('Nodes', title))[0], title).toMatch(shape);
    }
    await table('Nodes').getByRole('row').nth(1).click();
    const pane = page.getByRole('complementary');
    expect(await pane.innerText()).toMatch(/Heap\s+[\d.]+ MB of [\d.]+ [MG]B/);
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
  });

  it('ranks definitions by what fails, and leads to the failed executions', async () => {
    await open('definitions');
    await table('Definitions').getByRole('button', { name: 'Failed' }).click();
    await table('Definitions').getByRole('button', { name: 'Failed' }).click();
    await expect.poll(async () => (await cells('Definitions', 'Definition'))[0]).toBe('ui_order');
    expect((await cells('Definitions', 'p95'))[0]).toMatch(/ m?s$/);
    await page.getByRole('img', { name: /^Failures of ui_order over time/ }).waitFor();
    await table('Definitions').getByRole('link', { name: /%$/ }).first().click();
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    expect(new URL(page.url()).searchParams.get('type')).toBe('ui_order');
    await page.goBack();
    await table('Definitions').getByRole('columnheader', { name: 'Failed' }).waitFor();
    expect(new URL(page.url()).searchParams.get('order')).toBe('-Failed');
  });

  it.each([
    ['task-types', 'Task types'],
    ['definitions', 'Definitions'],
    ['workers', 'Workers'],
    ['nodes', 'Nodes'],
  ])('sorts the table of %s by each of its columns', async (tab, name) => {
    await open(tab);
    const heads = table(name).getByRole('columnheader');
    await heads.first().waitFor();
    const titles = await heads.allInnerTexts();
    expect(titles.length).toBeGreaterThan(5);
    for (const title of titles) {
      const head = table(name).getByRole('columnheader', { name: title, exact: true });
      await head.getByRole('button').click();
      await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
      await head.getByRole('button').click();
      await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending');
    }
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });

  it('orders task types by a number, largest first, with wait and run apart', async () => {
    await open('task-types&order=-Scheduled');
    const seen = async (): Promise<number[]> =>
      (await cells('Task types', 'Scheduled')).map((text) => Number(text.replaceAll(',', '')));
    await expect.poll(async () => (await seen()).length).toBeGreaterThan(2);
    const numbers = await seen();
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    const rows = await cells('Task types', 'Task type');
    const charge = rows.indexOf('ui_charge');
    expect((await cells('Task types', 'Wait p50'))[charge]).toMatch(/ m?s$/);
    expect((await cells('Task types', 'Run p95'))[charge]).toMatch(/ m?s$/);
    expect((await cells('Task types', 'Failed'))[charge]).toMatch(/ %$/);
  });

  it('lists the workers with host, client, types, what they hold and what failed', async () => {
    await open('workers');
    const row = table('Workers').getByRole('row').filter({ hasText: 'ui-worker' });
    await expect.poll(() => row.innerText(), { timeout: 20_000 }).toMatch(/\d+ %/);
    const text = await row.innerText();
    expect(text).toContain('127.0.0.1');
    expect(text).toContain('ui_charge');
    expect(text).toMatch(/ago/);
    await row.getByText('ui-worker').click();
    const pane = page.getByRole('complementary', { name: 'ui-worker' });
    await pane.getByRole('table').getByRole('link', { name: 'ui_letter' }).waitFor();
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: /Worker, host/ }).fill('nobody');
    await row.waitFor({ state: 'detached' });
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });
});
