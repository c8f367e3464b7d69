// A person who looks for an execution types what he knows: a word of its input or of its cause, its
// business key, a filter, or the grammar of searches, into one box.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

describe.skipIf(browserMissing !== undefined)('the search box', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    for (const correlationId of ['cust-11', 'cust-12']) {
      const body = { name: order.name, correlationId, input: { amount: 1 } };
      await fixture.expectOk('POST', '/api/workflow', body);
    }
    await fixture.work('ui_charge', 'FAILED_WITH_TERMINAL_ERROR', 'the card expired');
    page = await fixture.browser.open(`${fixture.server.url}/executions`);
    await page.getByText('1 to 2 of 2').waitFor();
  });
  afterAll(() => fixture?.stop());

  const search = async (text: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Search' }).fill(text);
    await page.keyboard.press('Enter');
  };

  it.each([
    ['a business key', 'cust-12', /holds cust-12/],
    ['words of a cause', 'card expired', /holds card expired/],
    ['a filter', 'status:failed', /status is Failed/],
    ['the grammar', "correlationId = 'cust-12'", /where correlationId/],
  ])('takes %s, and shows what it understood', async (_what, text, chip) => {
    await page.goto(`${fixture.server.url}/executions`);
    await page.getByText('1 to 2 of 2').waitFor();
    await search(text);
    await page.getByText('1 to 1 of 1').waitFor();
    await expect.poll(() => page.locator('.chip-filter').innerText()).toMatch(chip);
    await page.getByRole('button', { name: /^Remove / }).click();
    await page.getByText('1 to 2 of 2').waitFor();
  });

  it('offers fields and their values while one types', async () => {
    await page.getByRole('combobox', { name: 'Search' }).pressSequentially('stat');
    await page.getByRole('option', { name: /^status:/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'status:running' }).click();
    await page.getByText('1 to 1 of 1').waitFor();
    await page.getByRole('link', { name: 'Clear' }).click();
  });

  it('refuses an unknown field by its name', async () => {
    await search('workflowTyp = ui_order');
    await page.getByRole('alert').getByText('workflowTyp').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    // To ask the same once more would change nothing.
    expect(await page.getByRole('alert').getByRole('button').count()).toBe(0);
    await page.getByRole('link', { name: 'Clear' }).click();
  });

  it('refuses a filter of a misspelt field by its name, and takes another colon for words', async () => {
    await search('statu:failed');
    await page.getByRole('alert').getByText('There is no field statu').waitFor();
    await page.getByRole('link', { name: 'Clear' }).click();
    await search('tenant:7');
    await expect.poll(() => page.locator('.chip-filter').innerText()).toMatch(/holds tenant:7/);
    await page.getByRole('link', { name: 'Clear' }).click();
  });

  it('finds the same in the palette: a key, words, a filter; a wrong field is named', async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Find' });
    const input = palette.getByPlaceholder('Page, definition, id, business key or words');
    const running = palette.getByRole('option', { name: /^Running cust-12 ui_order/ });
    const failed = palette.getByRole('option', { name: /^Failed cust-11 ui_order/ });
    await input.fill('cust-12');
    await running.waitFor();
    for (const text of ['card expired', 'status:failed']) {
      await input.fill('cust-12');
      await failed.waitFor({ state: 'detached' });
      await input.fill(text);
      await failed.waitFor();
    }
    await input.fill('workflowTyp = ui_order');
    await palette.getByRole('alert').getByText('workflowTyp').waitFor();
    await input.fill('status:failed');
    await palette.getByRole('option', { name: 'Search executions for status:failed' }).click();
    await page.waitForURL('**/executions?status=FAILED');
    await page.getByText('1 to 1 of 1').waitFor();
    await page.keyboard.press('Control+k');
    await input.fill('card expired');
    await failed.click();
    await page.locator('.page-head').getByText('cust-11').waitFor();
    await page.goto(`${fixture.server.url}/executions`);
  });

  it('opens an execution by its id', async () => {
    const found = (await fixture.expectOk(
      'GET',
      "/api/workflow/search?query=correlationId='cust-12'",
    )) as { readonly results: readonly { readonly workflowId: string }[] };
    const id = found.results[0]?.workflowId ?? '';
    await search(id);
    await page.waitForURL(`**/executions/${id}`);
    await page.locator('.page-head').getByText('cust-12').waitFor();
  });
});
