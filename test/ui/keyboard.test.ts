// A person without a mouse: finds a page in the palette, walks a list, opens a row, retries it with
// other input, and always sees where the focus is.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, clicksIn } from './browser.js';
import { order, PageFixture } from './fixture.js';

describe.skipIf(browserMissing !== undefined)('a person with a keyboard alone', () => {
  let fixture: PageFixture;
  let page: Page;
  let failed: string;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    failed = await fixture.run(order.name, { amount: 1 });
    await fixture.work('ui_charge', 'FAILED', 'card was declined');
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  it('skips the list of pages', async () => {
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(`document.activeElement.closest('main') !== null`)).toBe(
      true,
    );
  });

  it('is shown where the focus is, and reaches every control', async () => {
    const seen = new Set<string>();
    for (let i = 0; i < 80; i += 1) {
      await page.keyboard.press('Tab');
      const name = await focused();
      if (name === '') continue;
      seen.add(name);
      expect(await page.evaluate<string>(outlineOfFocus), name).not.toBe('none');
    }
    const wanted = ['Overview', 'Executions', 'Audit log', 'Keys', 'Copy as'];
    expect([...seen]).toEqual(expect.arrayContaining(wanted));
  });

  it('goes to a page by its letters and opens a row', async () => {
    await page.goto(fixture.server.url);
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    const table = page.getByRole('table', { name: 'Executions' });
    await table.waitFor();
    await table.focus();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('On 1 chosen').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/executions/${failed}`);
  });

  it('retries with other input', async () => {
    const retry = page
      .getByRole('group', { name: 'Controls' })
      .getByRole('button', { name: 'Retry', exact: true });
    await expect.poll(() => retry.isEnabled()).toBe(true);
    await page.keyboard.press('r');
    const input = page.getByLabel('Input of charge');
    await expect.poll(() => input.inputValue()).toContain('"amount": 1');
    await input.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{ "amount": 7 }');
    await page.getByLabel('Reason').focus();
    await page.keyboard.insertText('the card was renewed');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Why it waits' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('leaves a dialog and a menu by Escape, and walks tabs by arrows', async () => {
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.getByLabel('Rows of tables are compact').focus();
    await page.keyboard.press('Space');
    await expect.poll(() => page.evaluate<string>(density)).toBe('compact');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Graph' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: /^Tasks/, selected: true }).waitFor();
    await page.getByRole('button', { name: 'Copy as' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'curl' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
  });

  it('finds an action in the palette', async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByPlaceholder('Page, definition, id, business key or words');
    await palette.waitFor();
    const isFocused = (): Promise<boolean> => page.evaluate<boolean>(isPaletteFocused);
    await expect.poll(isFocused).toBe(true);
    await page.keyboard.insertText('run ui_or');
    await page.getByRole('option', { name: 'Run ui_order', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Run ui_order' }).waitFor();
  });

  it('has not clicked once', async () => {
    expect(await clicksIn(page)).toBe(0);
    expect(fixture.browser.complaints).toEqual([]);
  });

  /** What the focused element is called. */
  function focused(): Promise<string> {
    return page.evaluate<string>(
      `document.activeElement === document.body
        ? ''
        : (document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText)`,
    );
  }
});

/** Runs in the browser. */
const density = `document.documentElement.dataset.density`;

/** Runs in the browser. */
const outlineOfFocus = `getComputedStyle(document.activeElement).outlineStyle`;

/** Runs in the browser. */
const isPaletteFocused = `document.activeElement.matches('[cmdk-input]')`;
