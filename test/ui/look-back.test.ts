// Looking back at an execution: who did what to it, how it was at a moment, how another one went.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

describe.skipIf(browserMissing !== undefined)('looking back', () => {
  let fixture: PageFixture;
  let page: Page;
  let failed: string;
  let going: string;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    failed = await fixture.run(order.name, { amount: 1, card: { country: 'de' } });
    await fixture.expectOk('PUT', `/api/workflow/${failed}/pause?reason=the%20bank%20is%20away`);
    await fixture.expectOk('PUT', `/api/workflow/${failed}/resume`);
    await fixture.work('ui_charge', 'FAILED', 'card was declined');
    going = await fixture.run(order.name, { amount: 1, card: { country: 'fr' } });
    await fixture.work('ui_charge', 'COMPLETED');
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  it('tells who paused it and why', async () => {
    await page.goto(`${fixture.server.url}/executions/${failed}?tab=history`);
    const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem');
    const told = [/Resume/, /Pause.*the bank is away/s];
    await expect
      .poll(() => entries.allInnerTexts())
      .toEqual(told.map((words) => expect.stringMatching(words)));
  });

  it('goes back to the moment before it failed, by keyboard, and to now', async () => {
    await page.goto(`${fixture.server.url}/executions/${failed}?tab=tasks`);
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Go back in time' }).click();
    const slider = page.getByRole('slider', { name: 'Moment' });
    const travel = page.getByRole('group', { name: 'Time travel' });
    await slider.press('Home');
    await travel.getByText('Running').waitFor();
    const tasks = page.getByRole('table', { name: 'Tasks' });
    await tasks.getByText('Failed').waitFor({ state: 'detached' });
    await slider.press('End');
    await tasks.getByText('Failed').waitFor();
    await travel.getByText('it ended as FAILED').waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await travel.waitFor({ state: 'detached' });
  });

  it('tells the delay of a retry apart from the wait in the queue and the run', async () => {
    await fixture.expectOk('POST', '/api/metadata/taskdefs', [
      {
        ...{ name: 'ui_slow', ownerEmail: 'a@b.co', retryCount: 1, retryDelaySeconds: 3600 },
        ...{ timeoutSeconds: 0, responseTimeoutSeconds: 60 },
      },
    ]);
    await fixture.define({
      ...{ ...order, name: 'ui_retried' },
      tasks: [{ name: 'ui_slow', taskReferenceName: 'slow', type: 'SIMPLE' }],
    });
    const retried = await fixture.run('ui_retried');
    await fixture.work('ui_slow', 'FAILED', 'not now');
    await page.goto(`${fixture.server.url}/executions/${retried}?tab=timeline`);
    const bars = page.getByRole('region', { name: 'Timeline' }).locator('.timeline-bar');
    // Both attempts in one row.
    await expect
      .poll(() => bars.locator('.hidden-text').allInnerTexts())
      .toEqual([
        expect.stringMatching(
          /^Attempt 1: Failed, waited \d.*, ran \d.*\. Attempt 2: Scheduled, held back \d/,
        ),
      ]);
    const kinds = (): Promise<readonly string[]> =>
      bars.locator('i').evaluateAll((parts) => parts.map(({ className }) => className));
    expect(await kinds()).toEqual(['waits', 'runs', 'delayed']);
  });

  it('shows where another execution took another course', async () => {
    await page.goto(`${fixture.server.url}/executions/${failed}?tab=compare`);
    await page.getByLabel('Id of the other execution').fill(going);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('They part at charge: here failed, there completed.').waitFor();
    await page.getByText('Outline of the tasks').click();
    const outline = page.getByRole('list', { name: 'Tasks', exact: true });
    await outline.getByRole('button', { name: 'charge (SIMPLE): Failed | Completed' }).waitFor();
    const inside = page.getByRole('list', { name: 'Branch 1 of fork' });
    await inside.getByRole('button', { name: 'ship (SIMPLE): not reached | Scheduled' }).waitFor();
    const input = page.getByRole('table', { name: 'Differences of the input' });
    await expect
      .poll(() => input.getByRole('row').allInnerTexts())
      .toEqual([
        expect.stringContaining('Member'),
        expect.stringMatching(/card\.country\s+"de"\s+"fr"/),
      ]);
    expect(fixture.browser.complaints).toEqual([]);
  });
});
