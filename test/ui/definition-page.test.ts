// What a person sees and changes at one definition: its schedules, who may use it, its tags,
// and what the editor keeps and warns of.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from './axe.js';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const tagsPath = `/api/metadata/workflow/${order.name}/tags`;
const grantsPath = `/api/auth/authorization/WORKFLOW_DEF/${order.name}?groupBy=subject`;

describe.skipIf(browserMissing !== undefined)('the page of a definition', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    await fixture.expectOk('POST', '/api/scheduler/schedules', {
      ...{ name: 'each-morning', cronExpression: '0 0 9 * * *', zoneId: 'Europe/Berlin' },
      startWorkflowRequest: { name: order.name, version: 1 },
    });
    await fixture.expectOk('PUT', '/api/users/ann@example.com', { name: 'Ann', roles: ['USER'] });
    page = await fixture.browser.open(`${fixture.server.url}/definitions/${order.name}`);
  });
  afterAll(() => fixture?.stop());

  it('tells when its schedules start it next', async () => {
    await page.getByRole('tab', { name: 'Schedules' }).click();
    const table = page.getByRole('table', { name: 'Schedules' });
    await table.getByRole('link', { name: 'each-morning' }).waitFor();
    const [schedule] = (await fixture.expectOk(
      'GET',
      `/api/scheduler/schedules?workflowName=${order.name}`,
    )) as { nextRunTime: number }[];
    const next = await page.evaluate<number, number>(
      (at) => new Date(at).getMinutes(),
      schedule?.nextRunTime ?? -1,
    );
    const text = (): Promise<string> => table.innerText();
    await expect.poll(text).toContain('At 09:00 AM (Europe/Berlin)');
    await expect.poll(text).toMatch(new RegExp(`\\d\\d:${String(next).padStart(2, '0')}`));
  });

  it('adds a tag, shows it, and removes it', async () => {
    await page.getByRole('tab', { name: 'Tags' }).click();
    const form = page.getByRole('form', { name: 'New tag' });
    await form.getByLabel('Key').fill('team');
    await form.getByLabel('Value').fill('shop');
    await page.keyboard.press('Enter');
    const remove = page.getByRole('button', { name: 'Remove team:shop' });
    await remove.waitFor();
    expect(await fixture.expectOk('GET', tagsPath)).toMatchObject([{ key: 'team', value: 'shop' }]);
    await remove.click();
    await page.getByText('It has no tags.').waitFor();
    expect(await fixture.expectOk('GET', tagsPath)).toEqual([]);
  });

  it('grants access to it, shows who has it and through what, and takes it away', async () => {
    await fixture.expectOk('POST', tagsPath, { key: 'team', value: 'shop' });
    await fixture.expectOk('PUT', '/api/groups/shop', { description: 'Shop', roles: ['USER'] });
    await fixture.expectOk('POST', '/api/auth/authorization', {
      ...{ subject: { type: 'GROUP', id: 'shop' }, access: ['READ'] },
      target: { type: 'TAG', id: 'team:shop' },
    });
    await page.goto(`${fixture.server.url}/definitions/${order.name}?tab=access`);
    const table = page.getByRole('table', { name: 'Grants' });
    await table.getByRole('row', { name: /group shop read tag team:shop/ }).waitFor();
    await page.getByRole('button', { name: 'Grant access' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id').fill('ann@example.com');
    await dialog.getByLabel('execute').check();
    await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
    await table.getByRole('row', { name: /ann@example.com read, execute this/ }).waitFor();
    expect(await fixture.expectOk('GET', grantsPath)).toEqual({
      'USER:ann@example.com': expect.arrayContaining(['READ', 'EXECUTE']) as unknown,
    });
    await table.getByRole('button', { name: 'Revoke from ann@example.com' }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    // Behind the dialog no table is found.
    await dialog.waitFor({ state: 'detached' });
    await table.getByText('ann@example.com').waitFor({ state: 'detached' });
    expect(await fixture.expectOk('GET', grantsPath)).toEqual({});
    expect(fixture.browser.complaints).toEqual([]);
  });

  it('warns, also in the editor, of a task whose plug-in is absent, with what installs it', async () => {
    const install = 'run `npm run setup:plugins -- mcp` and start the server again';
    const warning = `Tasks of type SIMPLE need the plug-in mcp, which is not installed: ${install}`;
    const validation = '**/api/metadata/workflow/validate';
    await page.route(validation, (route) => route.fulfill({ json: { warnings: [warning] } }));
    const { url } = fixture.server;
    await page.goto(`${url}/definitions/${order.name}`);
    await page.getByRole('status').getByText(install).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.goto(`${url}/definition-editor?name=${order.name}&version=1`);
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByText(install).waitFor();
    await problems.getByRole('button', { name: 'Show charge' }).waitFor();
    await page.unroute(validation);
  });

  it('warns in the editor when the server’s version changed, and saves as a new version', async () => {
    await page.goto(`${fixture.server.url}/definition-editor?name=${order.name}&version=1`);
    await page.getByLabel('Definition as JSON').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText(' ');
    await page.getByRole('button', { name: 'Discard the draft' }).waitFor();
    await fixture.expectOk('PUT', '/api/metadata/workflow', [
      { ...order, description: 'changed by another' },
    ]);
    await page.reload();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const note = page.getByRole('alert');
    await note.getByText('is not the one that this draft began with').waitFor();
    await note.getByRole('button', { name: 'Show the difference' }).click();
    await note.getByText('changed by another').first().waitFor();
    expect(await descriptions()).toEqual(['changed by another']);
    await note.getByRole('button', { name: 'Save as version 2' }).click();
    await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
    await note.waitFor({ state: 'detached' });
    expect(await descriptions()).toEqual(['changed by another', undefined]);
  });

  it('loads mocks again that it kept under a name', async () => {
    const input = page.getByLabel('Input', { exact: true });
    await input.fill('{ "amount": 7 }');
    await page.getByLabel('Name for this input and these mocks').fill('cheap');
    await page.getByRole('button', { name: 'Keep in this browser' }).click();
    await page.reload();
    await expect.poll(() => input.inputValue()).toBe('{}');
    await page.getByLabel('Kept input and mocks').selectOption('cheap');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(() => input.inputValue()).toBe('{ "amount": 7 }');
    expect(fixture.browser.complaints).toEqual([]);
  });

  /** Of the versions of the definition, oldest first. */
  async function descriptions(): Promise<(string | undefined)[]> {
    const all = (await fixture.expectOk('GET', `/api/metadata/workflow?name=${order.name}`)) as {
      version: number;
      description?: string;
    }[];
    return all.sort((a, b) => a.version - b.version).map(({ description }) => description);
  }
});
