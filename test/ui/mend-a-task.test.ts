// A person who puts a task right where he looks at it: one that no worker takes, and one that a
// worker holds. Each in at most three clicks, with the reason on record.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, clicksIn } from './browser.js';
import { order, PageFixture } from './fixture.js';

interface Shown {
  readonly status: string;
  readonly tasks: readonly {
    readonly taskId: string;
    readonly referenceTaskName: string;
    readonly status: string;
    readonly outputData: unknown;
    readonly reasonForIncompletion?: string;
  }[];
}

describe.skipIf(browserMissing !== undefined)('a task that somebody puts right', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const shown = async (id: string): Promise<Shown> =>
    (await fixture.expectOk('GET', `/api/workflow/${id}`)) as Shown;
  const pane = (ref: string): ReturnType<Page['getByRole']> =>
    page.getByRole('complementary', { name: `Task ${ref}` });

  it('completes one without a worker in two clicks', async () => {
    const id = await fixture.run(order.name, { amount: 1 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await pane('charge')
      .getByText(/Moves on: /)
      .first()
      .waitFor();
    await pane('charge').getByRole('button', { name: 'Complete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Output').fill('{ "paid": true }');
    await dialog.getByLabel('Reason').fill('paid by bank transfer');
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await clicksIn(page)).toBe(2);
    const [charge] = (await shown(id)).tasks;
    expect(charge).toMatchObject({ status: 'COMPLETED', outputData: { paid: true } });
    const logs = await fixture.expectOk('GET', `/api/tasks/${charge?.taskId ?? ''}/log`);
    expect(logs).toMatchObject([{ log: 'Completed by hand: paid by bank transfer' }]);
  });

  it('completes one by a form of its output schema, which says what does not fit', async () => {
    const data = {
      type: 'object',
      required: ['receipt', 'amount'],
      properties: {
        receipt: { type: 'string', title: 'Receipt' },
        amount: { type: 'integer', title: 'Amount', minimum: 1 },
      },
    };
    await fixture.expectOk('POST', '/api/schema', {
      ...{ name: 'ui_paid_output', version: 1, type: 'JSON', data },
    });
    await fixture.expectOk('POST', '/api/metadata/taskdefs', [
      {
        ...{ name: 'ui_paid', ownerEmail: 'a@b.co', retryCount: 0, enforceSchema: true },
        outputSchema: { name: 'ui_paid_output', version: 1, type: 'JSON' },
      },
    ]);
    await fixture.define({
      ...{ ...order, name: 'ui_paid_order' },
      tasks: [{ name: 'ui_paid', taskReferenceName: 'paid', type: 'SIMPLE' }],
    });
    const id = await fixture.run('ui_paid_order');
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await pane('paid').getByRole('button', { name: 'Complete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Receipt *').fill('r-1');
    await dialog.getByLabel('Amount *').fill('0');
    await dialog.getByText('0 is less than 1').first().waitFor();
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.getByRole('alert').getByText('amount').waitFor();
    expect((await shown(id)).status).toBe('RUNNING');
    await dialog.getByLabel('Amount *').fill('7');
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { status, tasks } = await shown(id);
    expect([status, tasks[0]?.outputData]).toEqual(['COMPLETED', { receipt: 'r-1', amount: 7 }]);
  });

  it('says that a signal changes nothing where no task waits for one', async () => {
    const id = await fixture.run(order.name, { amount: 8 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    const signal = page.getByRole('menuitem', { name: 'Signal' });
    await expect.poll(() => signal.innerText()).toContain('No task waits for a signal');
    expect(await signal.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    // A child may have one that waits: only the server knows.
    await fixture.define({
      ...{ ...order, name: 'ui_parent' },
      tasks: [
        {
          ...{ name: 'child', taskReferenceName: 'child', type: 'SUB_WORKFLOW' },
          subWorkflowParam: { name: order.name, version: 1 },
        },
      ],
    });
    const parent = await fixture.run('ui_parent');
    await page.goto(`${fixture.server.url}/executions/${parent}`);
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await signal.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Signal' }).click();
    await dialog.getByRole('alert').getByText('so nothing has changed').waitFor();
    // What SDKs ask answers as before.
    await fixture.expectOk('POST', `/api/tasks/${parent}/COMPLETED/signal`, {});
  });

  it('refuses an output that is no object, and changes nothing', async () => {
    const id = await fixture.run(order.name, { amount: 2 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await pane('charge').getByRole('button', { name: 'Complete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Output').fill('[1]');
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.getByRole('alert').getByText('Output: it must be a JSON object').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await shown(id)).tasks.map(({ status }) => status)).toEqual(['SCHEDULED']);
  });

  it('takes one from its worker, and says why the lease of another cannot be extended', async () => {
    const id = await fixture.run(order.name, { amount: 3 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await pane('charge').getByRole('button', { name: 'More actions on the task' }).click();
    const extend = page.getByRole('menuitem', { name: 'Extend the lease' });
    expect(await extend.getAttribute('aria-disabled')).toBe('true');
    expect(await extend.innerText()).toContain('No worker has it');
    await page.keyboard.press('Escape');
    const taken = (): Promise<unknown> =>
      fixture.expectOk('GET', '/api/tasks/poll/batch/ui_charge?count=9&workerid=ui-worker');
    await taken();
    await pane('charge').getByText('ui-worker').first().waitFor();
    await pane('charge').getByRole('button', { name: 'More actions on the task' }).click();
    await page.getByRole('menuitem', { name: 'Put back into the queue' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Put back into the queue' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await shown(id)).tasks.map(({ status }) => status))
      .toEqual(['SCHEDULED']);
  });

  it('fails one for good with a reason that the execution ends with', async () => {
    const id = await fixture.run(order.name, { amount: 4 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await pane('charge').getByRole('button', { name: 'Fail for good' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('the customer has cancelled');
    await dialog.getByRole('button', { name: 'Fail for good' }).click();
    await page.locator('.page-head').getByText('Failed').first().waitFor();
    // What failed, why and the graph are in sight without scrolling.
    const graph = page.getByRole('region', { name: 'Graph of the tasks' });
    await expect.poll(async () => (await graph.boundingBox())?.y).toBeLessThan(250);
    const { status, tasks } = await shown(id);
    expect(status).toBe('FAILED');
    expect(tasks[0]?.reasonForIncompletion).toBe('the customer has cancelled');
    await page
      .getByRole('region', { name: 'Why' })
      .getByText('the customer has cancelled')
      .waitFor();
  });

  const logOf = async (id: string): Promise<readonly string[]> => {
    const taskId = (await shown(id)).tasks[0]?.taskId ?? '';
    const logs = await fixture.expectOk('GET', `/api/tasks/${taskId}/log`);
    return Array.isArray(logs) ? logs.map(({ log }: { log: string }) => log) : [];
  };
  const statuses = async (id: string): Promise<readonly string[]> =>
    (await shown(id)).tasks.map(({ status }) => status);

  /** Takes an action on the task `charge`, by its button or out of the menu. */
  async function act(title: string, reason: string): Promise<void> {
    const button = pane('charge').getByRole('button', { name: title, exact: true });
    await pane('charge').getByRole('button', { name: 'More actions on the task' }).waitFor();
    if ((await button.count()) > 0) await button.click();
    else {
      await pane('charge').getByRole('button', { name: 'More actions on the task' }).click();
      await page.getByRole('menuitem', { name: title }).click();
    }
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: title, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  it('skips one: it is SKIPPED with the reason, and the execution goes on without it', async () => {
    const id = await fixture.run(order.name, { amount: 5 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await act('Skip', 'the bank has it already');
    await expect.poll(async () => (await statuses(id)).length).toBeGreaterThan(1);
    expect((await shown(id)).tasks[0]).toMatchObject({
      ...{ status: 'SKIPPED', outputData: {} },
      reasonForIncompletion: 'the bank has it already',
    });
    await page.goto(`${fixture.server.url}/executions/${id}?tab=history`);
    await page.getByText('the bank has it already').first().waitFor();
    const taskId = (await shown(id)).tasks[0]?.taskId ?? '';
    await page.goto(`${fixture.server.url}/executions/${id}?task=${taskId}`);
    await pane('charge').getByText('Skipped').first().waitFor();
  });

  it('says that an action changes nothing when the task has ended meanwhile', async () => {
    const id = await fixture.run(order.name, { amount: 5 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await pane('charge').getByRole('button', { name: 'Complete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('too late');
    await fixture.expectOk('POST', `/api/tasks/${id}/charge/COMPLETED`, {});
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.getByRole('alert').getByText('so nothing has changed').waitFor();
    expect(await logOf(id)).toEqual([]);
  });

  it('extends the lease of one that a worker holds', async () => {
    const id = await fixture.run(order.name, { amount: 6 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await fixture.expectOk('GET', '/api/tasks/poll/batch/ui_charge?count=9&workerid=ui-worker');
    await pane('charge')
      .getByText(/is with ui-worker/)
      .waitFor();
    const taskId = (await shown(id)).tasks[0]?.taskId ?? '';
    const leaseEnds = async (): Promise<number> => {
      const why = await fixture.expectOk('GET', `/api/tasks/${taskId}/why`);
      return (why as { readonly untilTime: number }).untilTime;
    };
    const before = await leaseEnds();
    await act('Extend the lease', 'the bank is slow');
    expect(await leaseEnds()).toBeGreaterThan(before);
    expect(await logOf(id)).toEqual(['Lease extended by hand: the bank is slow']);
    expect(await statuses(id)).toEqual(['IN_PROGRESS']);
  });

  it('fails an attempt, retries the task, and runs the execution again from it', async () => {
    const id = await fixture.run(order.name, { amount: 7 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await act('Fail', 'the bank is closed');
    await expect.poll(async () => (await shown(id)).status).toBe('FAILED');
    expect((await shown(id)).tasks[0]?.reasonForIncompletion).toBe('the bank is closed');
    await act('Retry', 'the bank is open');
    await expect.poll(() => statuses(id)).toEqual(['FAILED', 'SCHEDULED']);
    await fixture.work('ui_charge', 'COMPLETED');
    await expect.poll(async () => (await statuses(id)).length).toBe(6);
    await fixture.expectOk('DELETE', `/api/workflow/${id}`);
    const charge = (await shown(id)).tasks.find(
      ({ referenceTaskName, status }) => referenceTaskName === 'charge' && status === 'COMPLETED',
    );
    await page.goto(`${fixture.server.url}/executions/${id}?task=${charge?.taskId ?? ''}`);
    await act('Rerun from here', 'the amount was wrong');
    await expect.poll(async () => (await shown(id)).status).toBe('RUNNING');
    // What failed before it stays on record.
    expect(await statuses(id)).toEqual(['FAILED', 'SCHEDULED']);
  });
});
