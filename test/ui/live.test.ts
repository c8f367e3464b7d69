// Pages follow the live stream: what changes is shown without asking for it; without the stream the
// page asks again and again.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

describe.skipIf(browserMissing !== undefined)('a page that is open', () => {
  let fixture: PageFixture;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
  });
  afterAll(() => fixture?.stop());

  /**
   * Opens an execution and works on it until the page shows its end. `opened`: called once the page
   * shows it. Resolves with how often the page asked for its outline.
   */
  async function follow(page: Page, opened: () => Promise<unknown>): Promise<number> {
    const id = await fixture.run(order.name, { amount: 1 });
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/outline')) asked += 1;
    });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await page.getByRole('heading', { name: order.name }).waitFor();
    await opened();
    for (const work of ['ui_charge', 'ui_ship', 'ui_mail']) await fixture.work(work, 'COMPLETED');
    await page.getByText('Completed').first().waitFor();
    await expect.poll(() => page.getByText('Running').count()).toBe(0);
    return asked;
  }

  it('shows what the stream tells, although it cannot ask', async () => {
    const page = await fixture.browser.open(fixture.server.url);
    const stream = page.waitForResponse((response) =>
      decodeURIComponent(response.url()).includes('/api/stream?topics=execution:'),
    );
    await follow(page, async () => {
      expect((await stream).status()).toBe(200);
      await page.route('**/outline', (route) => route.abort());
    });
  });

  it('changes rows in place and keeps new ones back until they are asked for', async () => {
    const first = await fixture.run(order.name, { amount: 1 });
    const page = await fixture.browser.open(`${fixture.server.url}/executions`);
    const table = page.getByRole('table', { name: 'Executions' });
    const rowOf = (id: string): ReturnType<Page['getByRole']> =>
      table.getByRole('row').filter({ hasText: id });
    await rowOf(first).getByText('Running').waitFor();
    const before = await table.getByRole('row').count();
    await fixture.expectOk('PUT', `/api/workflow/${first}/pause`);
    const second = await fixture.run(order.name, { amount: 2 });
    await rowOf(first).getByText('Paused').waitFor();
    const fresh = page.getByRole('button', { name: '1 new' });
    await fresh.waitFor();
    expect(await table.getByRole('row').count()).toBe(before);
    await fresh.click();
    await rowOf(second).waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBe(before + 1);
    await fixture.expectOk('DELETE', `/api/workflow/${first}`);
    await fixture.expectOk('DELETE', `/api/workflow/${second}`);
  });

  it('asks again and again without the stream', async () => {
    const page = await fixture.browser.open(fixture.server.url);
    await page.route('**/api/stream?*', (route) => route.abort());
    expect(await follow(page, () => Promise.resolve())).toBeGreaterThan(1);
  });
});
