// Jobs of a person who looks after many executions, with their clicks counted: find one that failed
// among 300 and retry it, and repair one whose task no worker takes. And what cannot be taken back
// is confirmed by a red button.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, clicksIn, typeInto } from './browser.js';
import { order, PageFixture } from './fixture.js';

const many = 300;
const startedAtOnce = 20;

describe.skipIf(browserMissing !== undefined)('a person with 300 executions', () => {
  let fixture: PageFixture;
  let page: Page;
  let failed: string;
  let waiting: string;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    const start = async (number: number): Promise<string> =>
      String(
        await fixture.expectOk('POST', '/api/workflow', {
          ...{ name: order.name, version: 1, input: { amount: number } },
          correlationId: `order-${number}`,
        }),
      );
    const ids: string[] = [];
    for (let from = 0; from < many; from += startedAtOnce) {
      const numbers = Array.from({ length: startedAtOnce }, (_, at) => from + at);
      ids.push(...(await Promise.all(numbers.map(start))));
    }
    [failed = '', waiting = ''] = [ids[137], ids[142]] as string[];
    const reason = 'reason=card%20was%20declined';
    await fixture.expectOk('POST', `/api/tasks/${failed}/charge/FAILED?${reason}`, {});
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const statusOf = async (id: string): Promise<string> =>
    ((await fixture.expectOk('GET', `/api/workflow/${id}`)) as { status: string }).status;

  /** Without a click: `/` leads to the search box. */
  const search = async (text: string): Promise<void> => {
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.waitFor();
    await page.keyboard.press('/');
    await typeInto(page, box, text);
    await page.keyboard.press('Enter');
  };

  it('finds the one that failed and retries it in three clicks', async () => {
    expect(await statusOf(failed)).toBe('FAILED');
    await page.goto(`${fixture.server.url}/executions`);
    await clicksIn(page);
    await search('order-137');
    await page.getByText('1 to 1 of 1').waitFor();
    await page.getByRole('row').filter({ hasText: 'order-137' }).click();
    const controls = page.getByRole('group', { name: 'Controls' });
    await controls.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await page.locator('.page-head').getByText('Running').waitFor();
    expect(await statusOf(failed)).toBe('RUNNING');
    expect(await clicksIn(page)).toBe(3);
  });

  it('repairs one whose task no worker takes in three clicks', async () => {
    await page.goto(`${fixture.server.url}/executions`);
    await clicksIn(page);
    await search('order-142');
    await page.getByText('1 to 1 of 1').waitFor();
    await page.getByRole('row').filter({ hasText: 'order-142' }).click();
    const pane = page.getByRole('complementary', { name: 'Task charge' });
    await pane.getByRole('button', { name: 'Complete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await clicksIn(page)).toBe(3);
    const { tasks } = (await fixture.expectOk('GET', `/api/workflow/${waiting}`)) as {
      tasks: { referenceTaskName: string; status: string }[];
    };
    expect(tasks[0]).toMatchObject({ referenceTaskName: 'charge', status: 'COMPLETED' });
  });

  it('confirms what cannot be taken back by a button with a red fill', async () => {
    await page.goto(`${fixture.server.url}/executions/${waiting}`);
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Terminate' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Terminate' });
    await expect.poll(() => confirm.evaluate(fill)).toBe('rgb(140, 7, 20)');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(fixture.browser.complaints).toEqual([]);
  });
});

/** Runs in the browser. */
const fill = (element: object): string =>
  (
    globalThis as unknown as { getComputedStyle(of: object): { backgroundColor: string } }
  ).getComputedStyle(element).backgroundColor;
