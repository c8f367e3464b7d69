// Many executions at once: preview of the filter, start, progress, end; and a job that stops.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

interface Job {
  readonly jobId: string;
}

describe.skipIf(browserMissing !== undefined)('bulk jobs on the page', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    for (let i = 0; i < 3; i += 1) await fixture.run(order.name, { amount: i });
    for (let i = 0; i < 2; i += 1) await fixture.work('ui_charge', 'FAILED', 'card was declined');
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  it('fix what fits the filter, do nothing before the start, and end', async () => {
    await page.goto(`${fixture.server.url}/executions?type=${order.name}`);
    const bar = page.getByRole('group', { name: 'Actions on many executions' });
    await bar.getByText('On all 3').waitFor();
    await bar.getByRole('button', { name: 'Retry' }).click();
    const plan = page.getByRole('dialog');
    await plan.getByLabel('Reason').fill('the bank is back');
    await plan.getByLabel('Canary').fill('0');
    await plan.getByRole('button', { name: 'Preview' }).click();

    await page.getByRole('heading', { name: 'Retry 2 executions' }).waitFor();
    await page.getByText('RUNNING: retry does not fit this status').waitFor();
    await page.getByText('0 of 2 done').waitFor();
    expect(await counts()).toMatchObject({ RUNNING: 1, FAILED: 2 });

    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('2 of 2 done, 0 refused').waitFor();
    await page.locator('.page-head').getByText('Completed').waitFor();
    expect(await counts()).toMatchObject({ RUNNING: 3 });
  });

  it('list a group of more than a hundred failures, the rest on demand', async () => {
    const end = { terminationStatus: 'FAILED', terminationReason: 'the shop is shut' };
    const shut = { name: 'end', taskReferenceName: 'end', type: 'TERMINATE', inputParameters: end };
    await fixture.define({ ...order, name: 'ui_shut', tasks: [shut] });
    await Promise.all(Array.from({ length: 103 }, () => fixture.run('ui_shut')));
    await page.goto(`${fixture.server.url}/failures`);
    const row = page.getByRole('table', { name: 'Failures' }).getByRole('row').nth(1);
    await row.getByRole('button', { name: 'Retry all 103' }).waitFor();
    await row.getByText('the shop is shut').click();
    await page.waitForURL(/\/failures\?group=[0-9a-f]{16}&window=1d$/);
    const group = page.getByRole('region', { name: 'ui_shut' });
    await group.getByText('100 of 103').waitFor();
    await group.getByRole('button', { name: 'Show 3 more' }).click();
    await group.getByText('103 of 103').waitFor();
    await expect.poll(() => group.getByRole('table').getAttribute('aria-rowcount')).toBe('104');
  });

  it('retry a whole group of failures: one click prepares it, one starts it', async () => {
    for (let i = 0; i < 3; i += 1) await fixture.work('ui_charge', 'FAILED', 'the bank is closed');
    await page.goto(`${fixture.server.url}/failures`);
    const table = page.getByRole('table', { name: 'Failures' });
    const group = table.getByRole('row').filter({ hasText: 'ui_order at charge' });
    await group.getByText('the bank is closed').waitFor();
    await group.getByRole('button', { name: 'Retry all 3' }).click();
    await page.getByRole('heading', { name: 'Retry 3 executions' }).waitFor();
    expect(await counts()).toMatchObject({ FAILED: 3 });
    // From here on only the stream tells how far it is.
    await page.route('**/api/bulk-jobs/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Start' }).click();
    await expect.poll(counts).toMatchObject({ RUNNING: 3 });
    for (let i = 0; i < 3; i += 1) await fixture.work('ui_charge', 'COMPLETED');
    for (const type of ['ui_ship', 'ui_mail']) {
      for (let i = 0; i < 3; i += 1) await fixture.work(type, 'COMPLETED');
    }
    await page.getByText('3 of 3 done, 0 refused').waitFor();
    await page.locator('.page-head').getByText('Completed').waitFor();
    await page.unroute('**/api/bulk-jobs/*');
    fixture.browser.complaints.splice(0);

    const outcomes = page.getByRole('group', { name: 'Outcomes' });
    await outcomes.getByRole('button', { name: 'Fixed 3' }).waitFor();
    const rows = page.getByRole('table', { name: 'Executions of this job' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(4);
    expect(await rows.nth(1).textContent()).toContain('ui_order');
  });

  it('say which failed again and why, and lead to them', async () => {
    await fixture.expectOk('POST', '/api/workflow', {
      ...{ name: order.name, version: 1, correlationId: 'order-4711', input: {} },
    });
    await fixture.work('ui_charge', 'FAILED', 'the bank is closed');
    const query = `workflowType = ${order.name} AND status = FAILED`;
    const request = { action: 'retry', query, canary: 0 };
    const { jobId } = (await fixture.expectOk('POST', '/api/bulk-jobs', request)) as Job;
    await fixture.expectOk('POST', `/api/bulk-jobs/${jobId}/start`);
    await fixture.work('ui_charge', 'FAILED', 'the card is stolen');
    await page.goto(`${fixture.server.url}/bulk-jobs/${jobId}`);
    await page.getByRole('button', { name: 'Failed again 1' }).click();
    await page.waitForURL(/outcome=FAILED_AGAIN/);
    const row = page.getByRole('row').filter({ hasText: 'order-4711' });
    await row.getByText('the card is stolen').waitFor();
    await page.getByRole('button', { name: 'Ended' }).click();
    await page.waitForURL(/order=Ended/);
    await page
      .getByRole('columnheader', { name: 'Ended' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor();
    await row.getByRole('link', { name: 'order-4711' }).click();
    await page.waitForURL(/\/executions\//);
  });

  it('say before a removal that it is final, and do not start without an execution', async () => {
    const ids = [await fixture.run('ui_shut'), await fixture.run('ui_shut')];
    const removal = { action: 'remove', ids };
    const { jobId } = (await fixture.expectOk('POST', '/api/bulk-jobs', removal)) as Job;
    await page.goto(`${fixture.server.url}/bulk-jobs/${jobId}`);
    const remove = page.getByRole('button', { name: 'Remove 2' });
    await remove.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What is removed is gone for good.').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Remove 2' });
    expect(await confirm.getAttribute('class')).toContain('final');
    await confirm.click();
    await page.getByRole('button', { name: 'Done 2' }).waitFor();

    const none = { action: 'remove', query: 'workflowType = ui_nothing' };
    const empty = (await fixture.expectOk('POST', '/api/bulk-jobs', none)) as Job;
    await page.goto(`${fixture.server.url}/bulk-jobs/${empty.jobId}`);
    await page.getByText('None of the executions that were found fits this action.').waitFor();
    const start = page.getByRole('button', { name: 'Remove 0' });
    expect(await start.getAttribute('aria-disabled')).toBe('true');
  });

  it('stop where one says so', async () => {
    // Half a minute of work at one a second: far more than it takes to stop it.
    for (let i = 0; i < 27; i += 1) await fixture.run(order.name, {});
    await page.goto(`${fixture.server.url}/executions?type=${order.name}`);
    const bar = page.getByRole('group', { name: 'Actions on many executions' });
    await bar.getByRole('button', { name: 'More actions' }).click();
    const resume = page.getByRole('menuitem', { name: /^Resume/ });
    expect(await resume.innerText()).toContain('Not possible: none of them is paused');
    expect(await resume.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('menuitem', { name: /^Pause/ }).click();
    const plan = page.getByRole('dialog');
    await plan.getByLabel('Canary').fill('0');
    await plan.getByLabel('Rate').fill('1');
    await plan.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    await page.goto(`${fixture.server.url}/bulk-jobs`);
    await page.getByRole('row').nth(2).waitFor();
    expect(fixture.browser.complaints).toEqual([]);
  });

  async function counts(): Promise<unknown> {
    const path = `/api/workflow/facets?query=workflowType=${order.name}`;
    return ((await fixture.expectOk('GET', path)) as { status: unknown }).status;
  }
});
