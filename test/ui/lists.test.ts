// Lists of all kinds move and sort alike: heads sort, `j` and Enter work at once, the place is kept
// on the way back. The menu counts what needs a person.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { PageFixture } from './fixture.js';
import { fillServer } from './full-server.js';

describe.skipIf(browserMissing !== undefined)('lists', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fillServer(fixture);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);
  const table = (name: string) => page.getByRole('table', { name });

  it.each([
    ['definitions', 'Definitions'],
    ['task-definitions', 'Task definitions'],
    ['queues', 'Queues'],
    ['inbox?view=all', 'Human tasks'],
    ['schedules', 'Schedules'],
    ['webhooks', 'Webhooks'],
    ['events', 'Event handlers'],
    ['admin/roles', 'Roles'],
    ['admin/settings', 'Settings'],
  ])('%s sort by each of their heads', async (path, name) => {
    await open(path);
    const heads = table(name).getByRole('columnheader');
    await heads.first().waitFor();
    for (const title of await heads.allInnerTexts()) {
      const head = table(name).getByRole('columnheader', { name: title, exact: true });
      await head.getByRole('button').click();
      await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
    }
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });

  it('put the largest number first where one wants it', async () => {
    await open('queues?order=-Waiting');
    const texts = () => table('Queues').locator('[data-title=Waiting]').allInnerTexts();
    await expect.poll(async () => (await texts()).length).toBeGreaterThan(2);
    const numbers = (await texts()).map((text) => Number(text.replaceAll(',', '')));
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    const classes = await table('Queues')
      .locator('[data-title=Waiting]')
      .first()
      .getAttribute('class');
    expect(classes).toContain('num');
  });

  it('move by j and open by Enter at once, and stand there again on the way back', async () => {
    await open('definitions');
    await table('Definitions').getByRole('row').nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const row = table('Definitions').getByRole('row').nth(2);
    await expect.poll(() => row.getAttribute('data-at')).toBe('true');
    const name = await row.getByRole('link').first().innerText();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => row.getAttribute('data-at')).toBe('true');
  });

  it('are counted in the menu where they need a person', async () => {
    await open('');
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', {
      name: 'Failures',
      exact: true,
    });
    const { started } = (await fixture.expectOk('GET', '/api/stats/overview?window=1d')) as {
      readonly started: Readonly<Record<string, number>>;
    };
    const failed = (started['FAILED'] ?? 0) + (started['TIMED_OUT'] ?? 0);
    await expect.poll(() => link.innerText()).toMatch(new RegExp(`^Failures\\s+${failed}$`));
    expect(await link.getAttribute('title')).toContain(`${failed} failed`);
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });
});
