// What the page says of an execution is true: how long it and its tasks ran, also after a retry;
// what failed and what was only cancelled by it; and each way from a failed execution to the
// execution that handles the failure, and to the child that it failed with.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testkit/until.js';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const common = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };

const tidy = {
  ...{ ...common, name: 'ui_tidy' },
  tasks: [{ name: 'note', taskReferenceName: 'note', type: 'SET_VARIABLE', inputParameters: {} }],
};

const guarded = { ...order, name: 'ui_guarded', failureWorkflow: tidy.name };

const parent = {
  ...{ ...common, name: 'ui_parent' },
  tasks: [
    {
      ...{ name: 'buy', taskReferenceName: 'buy', type: 'SUB_WORKFLOW' },
      subWorkflowParam: { name: order.name, version: 1 },
    },
  ],
};

interface Outline {
  head: { startTime: number; endTime: number };
}

describe.skipIf(browserMissing !== undefined)('the page of an execution', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order, tidy, guarded, parent);
    const ship = { name: 'ui_ship', ownerEmail: 'a@b.co', retryCount: 0 };
    await fixture.expectOk('POST', '/api/metadata/taskdefs', [ship]);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  /** Reports on a task of this execution, whichever its queue would hand out next. */
  const report = async (id: string, ref: string, status: string, reason = ''): Promise<void> => {
    const task = await until(`${ref} of ${id}`, async () => {
      const { tasks } = (await fixture.expectOk('GET', `/api/workflow/${id}`)) as {
        tasks: { taskId: string; referenceTaskName: string }[];
      };
      return tasks.findLast(({ referenceTaskName }) => referenceTaskName === ref);
    });
    await fixture.expectOk('POST', '/api/tasks', {
      ...{ taskId: task.taskId, workflowInstanceId: id, status, outputData: {} },
      reasonForIncompletion: reason,
    });
  };
  const open = (id: string): Promise<unknown> =>
    page.goto(`${fixture.server.url}/executions/${id}`);
  const facts = (): ReturnType<Page['getByRole']> => page.getByRole('list', { name: 'Facts' });
  const pane = (ref: string): ReturnType<Page['getByRole']> =>
    page.getByRole('complementary', { name: `Task ${ref}` });

  it('says 0 ms of one that took no time, in its head and in the list', async () => {
    const id = await fixture.run(tidy.name);
    await page.route('**/api/workflow/*/outline*', async (route) => {
      const answer = await route.fetch();
      const { head, ...rest } = (await answer.json()) as Outline;
      const json = { ...rest, head: { ...head, endTime: head.startTime } };
      await route.fulfill({ response: answer, json });
    });
    await page.route('**/api/workflow/search*', async (route) => {
      const answer = await route.fetch();
      const found = (await answer.json()) as { results: object[] };
      const results = found.results.map((each) => ({ ...each, executionTime: 0 }));
      await route.fulfill({ response: answer, json: { ...found, results } });
    });
    try {
      await open(id);
      await facts()
        .getByText(/^Completed .*, ran 0 ms$/)
        .waitFor();
      await page.goto(`${fixture.server.url}/executions?type=${tidy.name}`);
      await page.getByRole('row').getByRole('cell', { name: '0 ms', exact: true }).waitFor();
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
  });

  it('says how long a failed task ran, and that one which is retried runs again', async () => {
    const id = await fixture.run(order.name, { amount: 1 });
    await fixture.work('ui_charge', 'FAILED', 'card was declined');
    await open(id);
    await facts()
      .getByText(/^Failed .*, ran /)
      .waitFor();
    const ran = pane('charge')
      .getByRole('definition')
      .filter({ hasText: / ms$| s$/ });
    await expect.poll(() => ran.count()).toBeGreaterThan(0);
    await page
      .getByRole('group', { name: 'Controls' })
      .getByRole('button', { name: 'Retry', exact: true })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await facts()
      .getByText(/^Runs for /)
      .waitFor();
  });

  it('takes a task that was cancelled with another one for no failure', async () => {
    const id = await fixture.run(order.name, { amount: 2 });
    await report(id, 'charge', 'COMPLETED');
    await report(id, 'ship', 'FAILED', 'no carrier');
    await open(id);
    await page.locator('.page-head').getByText('Failed').waitFor();
    const said = page.locator('main');
    await said.getByText('failed: no carrier').first().waitFor();
    expect(await said.innerText()).not.toMatch(/join\s+failed/);
    await page.goto(`${fixture.server.url}/executions/${id}?tab=tasks&status=FAILED`);
    const rows = page.getByRole('table', { name: 'Tasks' }).getByRole('row');
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(2);
    expect((await rows.allInnerTexts())[1]).toContain('ship');
  });

  it('leads to the execution that handles the failure, and back', async () => {
    const id = await fixture.run(guarded.name, { amount: 3 });
    await report(id, 'charge', 'FAILED', 'card was declined');
    await open(id);
    await facts()
      .getByRole('link', { name: /^Failure workflow / })
      .click();
    await page.getByRole('heading', { name: tidy.name, level: 1 }).waitFor();
    await facts()
      .getByRole('link', { name: /^Started by the failure of / })
      .click();
    await page.waitForURL(`**/executions/${id}`);
  });

  it('names the child that it failed with, its failed task and its reason, and leads there', async () => {
    const id = await fixture.run(parent.name);
    const child = await until('the child', async () => {
      const { tasks } = (await fixture.expectOk('GET', `/api/workflow/${id}`)) as {
        tasks: { subWorkflowId?: string }[];
      };
      return tasks[0]?.subWorkflowId;
    });
    await report(child, 'charge', 'FAILED', 'card was declined');
    await open(id);
    const cause = page.locator('.cause').filter({ hasText: 'in the child' }).first();
    await cause.getByText('failed in the child ui_order').waitFor();
    await cause.getByText('Card was declined').waitFor();
    await cause.getByRole('link', { name: 'charge' }).click();
    await page.getByRole('heading', { name: order.name, level: 1 }).waitFor();
    await pane('charge').getByText('card was declined').first().waitFor();
    expect(fixture.browser.complaints).toEqual([]);
  });
});
