// An execution that ended at another server and was imported: the page marks it, in the list and on
// its own page, and offers nothing that would change it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { PageFixture } from './fixture.js';

const from = 'http://conductor.example.org:8080';
const endedAt = Date.now() - 86_400_000;

describe.skipIf(browserMissing !== undefined)('history of another server', () => {
  let fixture: PageFixture;
  let page: Page;
  let id: string;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    page = await fixture.browser.open(fixture.server.url);
    const times = { createTime: endedAt - 1000, startTime: endedAt - 1000, updateTime: endedAt };
    const execution = {
      ...{ workflowId: 'there-1', workflowName: 'parcel', workflowVersion: 1, status: 'FAILED' },
      ...{ ...times, endTime: endedAt, reasonForIncompletion: 'out of boxes' },
      ...{ input: {}, output: {}, tasks: [] },
      workflowDefinition: {
        ...{ name: 'parcel', version: 1 },
        tasks: [{ name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' }],
      },
    };
    const path = '/api/admin/imported-executions';
    const stored = await fixture.expectOk('POST', path, { from, execution });
    id = (stored as { workflowId: string }).workflowId;
  });
  afterAll(() => fixture?.stop());

  it('is marked in the list', async () => {
    await page.goto(`${fixture.server.url}/executions`);
    await page.getByText('version 1, history').waitFor();
  });

  it('is marked on its page, where it can be run anew and not changed', async () => {
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await page.getByText(`History from ${from}`).waitFor();
    const controls = page.getByRole('group', { name: 'Controls' });
    await controls.getByRole('button', { name: 'Run like this' }).waitFor();
    await controls.getByRole('button', { name: 'More actions' }).click();
    for (const title of ['Retry', 'Restart', 'Rerun from a task', 'Upgrade']) {
      const item = page.getByRole('menuitem', { name: title });
      expect(await item.getAttribute('aria-disabled')).toBe('true');
      expect(await item.innerText()).toContain(`It ended at ${from}: history is never changed`);
    }
    expect(fixture.browser.complaints).toEqual([]);
  });
});
