// Job 3 of a person at the page: write a definition, try it with mocks, save it, run it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, clicksIn, typeInto, walkTo } from './browser.js';
import { order, PageFixture } from './fixture.js';

const told = {
  ...{ ...order, name: 'ui_told' },
  tasks: [{ name: 'ui_charge', taskReferenceName: 'charge', type: 'SIMPLE' }],
};

describe.skipIf(browserMissing !== undefined)('a person who writes a workflow', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  it('tries a definition with mocks before anything is saved', async () => {
    await page.getByRole('link', { name: 'Definitions', exact: true }).click();
    await page.getByRole('link', { name: 'Write the first one' }).click();
    await page.getByLabel('Definition as JSON').waitFor();
    const again = page.getByRole('button', { name: 'Try', exact: true });
    const result = page.getByLabel('Try').getByRole('status');
    await again.click();
    await result.getByText('Completed').waitFor();
    await typeInto(page, page.getByLabel('Input', { exact: true }), '{ "amount": 500 }');
    await walkTo(page, again, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByLabel('Try').getByText('approve').first().waitFor();
    await result.getByText('Completed').waitFor();
    expect(await fixture.expectOk('GET', '/api/metadata/workflow/names')).toEqual([]);
  });

  it('saves it and runs it with a form made from its parameters', async () => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await typeInto(page, page.getByLabel('amount'), '500');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/executions/*');
    await page.getByRole('heading', { name: 'Why it waits' }).waitFor();
    // Definitions, the new one, Try, Save, Run, and Run of the form.
    expect(await clicksIn(page)).toBe(6);
    const found = (await fixture.expectOk('GET', '/api/workflow/search')) as {
      results: { workflowType: string; input: string }[];
    };
    expect(found.results.map(({ workflowType }) => workflowType)).toEqual(['sample_approval']);
    expect(JSON.parse(found.results[0]?.input ?? '')).toEqual({ amount: 500 });
  });

  it('completes what a person must decide by a signal', async () => {
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Signal' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Signal' }).click();
    await page.locator('.page-head').getByText('Completed').waitFor();
  });

  it('keeps a draft over a reload', async () => {
    await page.goto(`${fixture.server.url}/definition-editor?name=sample_approval&version=1`);
    await page.getByLabel('Definition as JSON').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText(' ');
    await page.getByRole('button', { name: 'Discard the draft' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('button', { name: 'Discard the draft' }).waitFor({ state: 'detached' });
  });

  it('completes fields, names of task definitions and outputs that tasks have had', async () => {
    await fixture.define(told);
    await fixture.run(told.name);
    await fixture.work('ui_charge', 'COMPLETED', '', { receipt: 'r-1' });
    await page.goto(`${fixture.server.url}/definition-editor?name=ui_told&version=1`);
    const editor = page.getByRole('textbox', { name: 'Definition as JSON' });
    const offers = page.locator('.cm-tooltip-autocomplete');
    for (const [typed, offered] of [
      ['"loop', 'loopCondition'],
      ['"ui_ch', 'ui_charge'],
      ['"${charge.output.', '${charge.output.receipt}'],
    ] as const) {
      // What the server knows arrives at its own time: typed anew until it is offered.
      await expect
        .poll(async () => {
          await editor.fill('');
          await editor.pressSequentially(typed);
          await page.keyboard.press('Control+Space');
          await offers.waitFor({ timeout: 1000 }).catch(() => undefined);
          return (await offers.isVisible()) ? await offers.innerText() : '';
        })
        .toContain(offered);
    }
    await offers.getByRole('option', { name: '${charge.output.receipt}' }).click();
    await expect.poll(() => editor.innerText()).toContain('"${charge.output.receipt}');
    await page.getByRole('button', { name: 'Discard the draft' }).click();
  });

  it('writes a task definition in its form and in its JSON, which show the same', async () => {
    await fixture.expectOk('POST', '/api/metadata/taskdefs', [
      { name: 'ui_new', ownerEmail: 'a@b.co' },
    ]);
    await page.goto(`${fixture.server.url}/task-definitions/ui_new`);
    const text = page.getByLabel('Task definition as JSON');
    await page.getByRole('spinbutton', { name: 'Retries' }).fill('5');
    await text.getByText('"retryCount": 5').waitFor();
    await text.fill('{ "name": "ui_new", "ownerEmail": "a@b.co", "retryCount": 2, "taskType": 1 ');
    await page.getByText(/JSON/).first().waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true');
    await text.fill(
      '{ "name": "ui_new", "ownerEmail": "a@b.co", "retryCount": 2, "backoffJitterMs": 9 }',
    );
    await expect
      .poll(() => page.getByRole('spinbutton', { name: 'Retries' }).inputValue())
      .toBe('2');
    await page.getByLabel('Description').fill('Sends a letter');
    await save.click();
    await page.getByText('Saved').waitFor();
    expect(await fixture.expectOk('GET', '/api/metadata/taskdefs/ui_new')).toMatchObject({
      ...{ retryCount: 2, backoffJitterMs: 9, description: 'Sends a letter' },
    });
  });

  it('meets no error of the browser', () => {
    expect(fixture.browser.complaints).toEqual([]);
  });
});
