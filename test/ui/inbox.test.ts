// Job 5 of a person at the page: do the tasks that wait for a person, one after the other.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, clicksIn, stepTimeoutMs } from './browser.js';
import { PageFixture } from './fixture.js';

const decision = {
  name: 'ui_decision',
  version: 1,
  jsonSchema: {
    type: 'object',
    required: ['approved'],
    properties: {
      approved: { type: 'boolean', title: 'Approved' },
      note: { type: 'string', title: 'Note' },
    },
  },
  templateUI: {
    type: 'VerticalLayout',
    elements: [
      {
        ...{ type: 'Group', label: 'Answer' },
        elements: [
          { type: 'Control', scope: '#/properties/note', label: 'Remark' },
          { type: 'Control', scope: '#/properties/approved' },
        ],
      },
    ],
  },
};

const definition = {
  ...{ name: 'ui_ask', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 },
  tasks: [
    {
      name: 'decide',
      taskReferenceName: 'decide',
      type: 'HUMAN',
      inputParameters: {
        amount: '${workflow.input.amount}',
        __humanTaskDefinition: {
          displayName: 'Decide ${workflow.input.amount}',
          userFormTemplate: { name: 'ui_decision', version: 1 },
        },
      },
    },
  ],
};

const ann = { userType: 'CONDUCTOR_USER', user: 'ann' };

describe.skipIf(browserMissing !== undefined)('a person with tasks', () => {
  let fixture: PageFixture;
  let page: Page;
  const ids: string[] = [];
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.expectOk('POST', '/api/human/template', decision);
    await fixture.define(definition);
    for (const amount of [40, 50]) {
      ids.push(await fixture.run('ui_ask', { amount }, `order-${amount}`));
    }
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  it('completes one in three clicks, and the next one opens', async () => {
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    // Tasks of one definition are told apart by the business key.
    for (const amount of [40, 50]) await page.getByText(`order-${amount} · ui_ask`).waitFor();
    await page.getByRole('row').nth(1).getByRole('link').click();
    const where = page.getByRole('navigation', { name: 'Where you are' });
    await where.getByText(/^Decide [45]0$/).waitFor();
    const answer = page.getByRole('group', { name: 'Answer' });
    const labels = (): Promise<string[]> => answer.locator('label').allInnerTexts();
    await expect.poll(labels).toEqual(['Remark', 'Approved *']);
    await page.getByLabel('Approved').selectOption('true');
    const first = page.url();
    await page.getByRole('button', { name: 'Complete' }).click();
    await page.waitForURL((url) => url.href !== first && url.pathname.startsWith('/inbox/'));
    expect(await clicksIn(page)).toBe(3);
    const statuses = await Promise.all(ids.map(statusOf));
    expect(statuses.sort()).toEqual(['COMPLETED', 'RUNNING']);
  });

  it('is told what is missing, and ends with an empty inbox', async () => {
    await page.getByRole('button', { name: 'Complete' }).click();
    await page.getByRole('alert').getByText('approved').waitFor();
    await page.getByLabel('Approved').selectOption('false');
    await page.getByRole('button', { name: 'Complete' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    expect(await Promise.all(ids.map(statusOf))).toEqual(['COMPLETED', 'COMPLETED']);
  });

  it('finds what is due first on top, and what is overdue marked', async () => {
    await runWith({});
    await runWith({ assignments: [{ assignee: ann, slaMinutes: 300 }] });
    await runWith({ assignments: [{ assignee: ann, slaMinutes: 120 }] });
    const late = { name: 'ui_due', totalTimeoutSeconds: 1, timeoutPolicy: 'ALERT_ONLY' };
    await runWith({}, { taskDefinition: late });
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    const dues = async (): Promise<string[]> => {
      const rows = await page.getByRole('row').allInnerTexts();
      return rows.slice(1).map((row) => /Overdue by|In \d h/.exec(row)?.[0] ?? '');
    };
    await expect
      .poll(dues, { timeout: stepTimeoutMs })
      .toEqual(['Overdue by', 'In 1 h', 'In 4 h', '']);
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByLabel('Context').getByText('Overdue by').waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('link', { name: /Task for a person past due.*ui_due/ }).click();
    await expect.poll(dues, { timeout: stepTimeoutMs }).toHaveLength(4);
  });

  it('leafs through more tasks than a page shows, and says how many there are', async () => {
    await Promise.all(Array.from({ length: 100 }, () => runWith({})));
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await page.getByText('1 to 100 of 104').waitFor({ timeout: stepTimeoutMs });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('101 to 104 of 104').waitFor({ timeout: stepTimeoutMs });
    expect(await page.getByRole('row').count()).toBe(5);
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('1 to 100 of 104').waitFor({ timeout: stepTimeoutMs });
  });

  it('meets no error of the browser', () => {
    expect(fixture.browser.complaints).toEqual([]);
  });

  /** Starts a workflow of one human task. */
  async function runWith(__humanTaskDefinition: object, more: object = {}): Promise<void> {
    const inputParameters = { __humanTaskDefinition };
    const task = { name: 'ui_due', taskReferenceName: 'due', type: 'HUMAN', inputParameters };
    const workflowDef = { ...definition, name: 'ui_due', tasks: [{ ...task, ...more }] };
    await fixture.expectOk('POST', '/api/workflow', { name: 'ui_due', version: 1, workflowDef });
  }

  async function statusOf(id: string): Promise<string> {
    const workflow = await fixture.expectOk('GET', `/api/workflow/${id}`);
    return (workflow as { status: string }).status;
  }
});
