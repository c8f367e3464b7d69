// Jobs 1, 2 and 4 of a person at the page: see what runs and is stuck, find out why one execution
// failed and retry it with edited input, and hear what holds a queue.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, clicksIn, typeInto } from './browser.js';
import { order, PageFixture } from './fixture.js';

describe.skipIf(browserMissing !== undefined)('a person who looks after workflows', () => {
  let fixture: PageFixture;
  let page: Page;
  let failed: string;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    failed = await fixture.run(order.name, { amount: 1 });
    await fixture.work('ui_charge', 'FAILED', 'card was declined');
    const stuck = await fixture.run(order.name, { amount: 2 });
    expect(stuck).not.toBe('');
    await fixture.work('ui_charge', 'COMPLETED');
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  it('sees in two clicks what stands still, and why', async () => {
    const cause = page.getByRole('link', { name: /Queue ui_ship 1 task waits/ });
    await cause.click();
    await page.getByText('no worker polls for this type').first().waitFor();
    await page.getByRole('link', { name: 'ship', exact: true }).click();
    const task = page.getByRole('complementary', { name: 'Task ship' });
    await task.getByText('Moves on: ').waitFor();
    await expect.poll(() => task.innerText()).toContain('ui_ship');
    expect(await clicksIn(page)).toBe(2);
  });

  it('retries a failed execution with other input in four clicks', async () => {
    await page.goto(fixture.server.url);
    await page.getByRole('link', { name: /ui_order failed at charge/ }).click();
    await page.getByRole('row').filter({ hasText: failed }).click();
    await page.getByText('card was declined').first().waitFor();
    await retryIn(page).click();
    const input = page.getByLabel('Input of charge');
    await input.waitFor();
    await expect.poll(() => input.inputValue()).toContain('"amount": 1');
    await typeInto(page, input, '{ "amount": 7 }');
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('heading', { name: 'Why it waits' }).waitFor();
    const workflow = (await fixture.expectOk('GET', `/api/workflow/${failed}`)) as {
      status: string;
      tasks: { inputData: unknown }[];
    };
    expect(workflow.status).toBe('RUNNING');
    expect(workflow.tasks.at(-1)?.inputData).toEqual({ amount: 7 });
    expect(await clicksIn(page)).toBe(4);
  });

  it('pauses and resumes by key, and is told only what the server shows', async () => {
    // A key does nothing while a dialog is open.
    const dialog = page.getByRole('dialog');
    const shown = page.locator('.page-head');
    await dialog.waitFor({ state: 'detached' });
    await shown.getByText('Running').waitFor();
    await page.keyboard.press('p');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await dialog.waitFor({ state: 'detached' });
    await shown.getByText('Paused').waitFor();
    await page.keyboard.press('p');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await shown.getByText('Running').waitFor();
  });

  it('compares the attempts of a task side by side', async () => {
    await fixture.work('ui_charge', 'FAILED', 'card has expired');
    await fixture.expectOk('POST', `/api/workflow/${failed}/retry`);
    await page.goto(`${fixture.server.url}/executions/${failed}?tab=tasks`);
    await page.getByRole('button', { name: 'charge', exact: true }).last().click();
    const task = page.getByRole('complementary', { name: 'Task charge' });
    const attempts = task.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('Inputs and outputs of all attempts').click();
    await attempts.getByText('card has expired').waitFor();
    // The edit stays with the attempts that came of it.
    const inputs = attempts.getByRole('region', { name: /^Input of attempt/ });
    await expect
      .poll(() => inputs.allInnerTexts())
      .toEqual(
        [1, 7, 7].map((amount) => expect.stringContaining(`"amount": ${amount}`) as unknown),
      );
  });

  it('edits the inputs of several failed tasks before one retry', async () => {
    const id = await fixture.run(order.name, { amount: 3 });
    await fixture.expectOk('POST', `/api/tasks/${id}/charge/COMPLETED`, {});
    await fixture.expectOk('POST', `/api/tasks/${id}/ship/FAILED_WITH_TERMINAL_ERROR`, {});
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await retryIn(page).click();
    const dialog = page.getByRole('dialog');
    for (const ref of ['ship', 'mail']) {
      await dialog.getByLabel('Failed task').selectOption(ref);
      const input = dialog.getByLabel(`Input of ${ref}`);
      await expect.poll(() => input.inputValue()).toBe('{}');
      await input.fill(`{ "edited": "${ref}" }`);
    }
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const { tasks } = (await fixture.expectOk('GET', `/api/workflow/${id}`)) as {
      tasks: { referenceTaskName: string; status: string; inputData: unknown }[];
    };
    const open = tasks.filter(({ status }) => status === 'SCHEDULED');
    expect(open.map(({ inputData }) => inputData)).toEqual(
      expect.arrayContaining([{ edited: 'ship' }, { edited: 'mail' }]),
    );
  });

  it('moves a running execution to another version of its definition', async () => {
    await fixture.define({ ...order, version: 2 });
    await page.goto(`${fixture.server.url}/executions/${failed}`);
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Upgrade' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel('Version').inputValue()).toBe('2');
    await dialog.getByRole('button', { name: 'Upgrade' }).click();
    await page.getByRole('link', { name: 'v2', exact: true }).waitFor();
    const workflow = await fixture.expectOk('GET', `/api/workflow/${failed}`);
    expect(workflow).toMatchObject({ status: 'RUNNING', workflowVersion: 2 });
  });

  it('follows the tree of children down to the one that waits', async () => {
    const parent = (name: string, child: string): object => ({
      ...{ name, version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 },
      tasks: [
        {
          ...{ name: child, taskReferenceName: `${child}_run`, type: 'SUB_WORKFLOW' },
          subWorkflowParam: { name: child, version: 1 },
        },
      ],
    });
    await fixture.define(parent('ui_shop', order.name), parent('ui_day', 'ui_shop'));
    const id = await fixture.run('ui_day');
    await page.goto(`${fixture.server.url}/executions/${id}?tab=children`);
    await page.getByRole('button', { name: 'Executions below ui_shop_run' }).click();
    const below = page.getByRole('list', { name: 'Executions below ui_shop_run' });
    await below.getByRole('link', { name: 'ui_order_run' }).click();
    await page.getByRole('heading', { name: order.name, level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Why it waits' }).waitFor();
  });

  it('hears from the doctor in two clicks what holds a queue', async () => {
    await page.goto(fixture.server.url);
    await clicksIn(page);
    await page.getByRole('link', { name: 'Queues', exact: true }).click();
    await page.getByRole('link', { name: 'ui_mail', exact: true }).click();
    const doctor = page.getByLabel('Doctor');
    await doctor.getByText('no worker polls for this type').waitFor();
    await doctor.getByText('a worker that polls this task type').waitFor();
    expect(await clicksIn(page)).toBe(2);
  });

  it('finds an execution by its id in the palette', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Page, definition, id, business key or words').fill(failed);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/executions/${failed}`);
  });

  it('meets no error of the browser', () => {
    expect(fixture.browser.complaints).toEqual([]);
  });
});

/** The button at the head of an execution. */
function retryIn(page: Page): ReturnType<Page['getByRole']> {
  const controls = page.getByRole('group', { name: 'Controls' });
  return controls.getByRole('button', { name: 'Retry', exact: true });
}
