// Administration is done in the page: invitations and passwords, keys that are shown once, roles
// and groups that are ticked, grants as a table by resource, what somebody may do and why, who is
// signed in. Runs of schedules and calls of webhooks are tables.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../testkit/server.js';
import { axeFindings } from './axe.js';
import { browserMissing, TestBrowser } from './browser.js';
import { order, PageFixture } from './fixture.js';

const password = 'a fine password of Kim';

describe.skipIf(browserMissing !== undefined)('administration', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.startSecured();
    const admin = { name: 'Ann', roles: ['ADMIN'], groups: [], password: 'a fine password of Ann' };
    await fixture.expectOk('PUT', '/api/users/ann@example.com', admin);
    await fixture.expectOk('PUT', '/api/groups/ops', { description: 'Operators', roles: [] });
    page = await fixture.browser.open(fixture.server.url);
    await signIn(page, 'ann@example.com', 'a fine password of Ann');
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);
  const pane = (): Locator => page.getByRole('complementary').first();
  const dialog = (name: RegExp): Locator => page.getByRole('dialog', { name });
  const isFine = (): void => expect(fixture.browser.complaints.splice(0)).toEqual([]);

  it('invites a person by a link that is shown once, with roles and groups that are ticked', async () => {
    await open('admin/users');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const form = dialog(/^Invite somebody/);
    await form.getByLabel('E-mail address').fill('kim@example.com');
    await form.getByLabel('Name').fill('Kim');
    await form.getByRole('group', { name: 'Groups' }).getByLabel('ops').check();
    await form.getByRole('button', { name: 'Make the link' }).click();
    const once = page.getByRole('status', { name: 'The invitation of kim@example.com' });
    const link = (await once.locator('code').innerText()).trim();
    expect(link).toContain('/accept-invitation#');
    await page.getByRole('table').getByText('kim@example.com').waitFor();
    const kim = await fixture.browser.open(link);
    await kim.getByLabel('Password').fill(password);
    await kim.getByRole('button', { name: 'Set the password' }).click();
    await kim.getByText('The account kim@example.com is ready.').waitFor();
    await expect.poll(async () => userOf('kim@example.com')).toMatchObject({ name: 'Kim' });
    await page.reload();
    await page.getByRole('button', { name: 'kim@example.com' }).click();
    expect(await pane().locator('dl').first().innerText()).toMatch(/USER[\s\S]*ops/);
    // Nobody was signed in at first, which the browser notes.
    const others = fixture.browser.complaints
      .splice(0)
      .filter((each) => !each.endsWith('(Unauthorized)'));
    expect(others).toEqual([]);
  });

  async function userOf(id: string): Promise<unknown> {
    const answer = await fixture.api.request('GET', `/api/users/${id}`);
    return answer.body;
  }

  it('ticks roles and groups of a user, and sets a password', async () => {
    await open('admin/users?id=kim@example.com&edit=yes');
    await pane().getByRole('group', { name: 'Roles' }).getByLabel('METADATA_MANAGER').check();
    await pane().getByRole('group', { name: 'Groups' }).getByLabel('ops').uncheck();
    await pane().getByRole('button', { name: 'Save' }).click();
    await pane().waitFor({ state: 'detached' });
    const saved = JSON.stringify(await userOf('kim@example.com'));
    expect(saved).toContain('METADATA_MANAGER');
    expect(saved).not.toContain('"ops"');
    await open('admin/users?id=kim@example.com');
    await pane().getByRole('button', { name: 'Set a password' }).click();
    const form = dialog(/^Set a password/);
    await form.getByLabel('New password').fill(`${password} 2`);
    expect(await form.getByLabel('New password').getAttribute('type')).toBe('password');
    await form.getByRole('button', { name: 'Set a password' }).click();
    await form.waitFor({ state: 'detached' });
    const signedIn = { email: 'kim@example.com', password: `${password} 2` };
    await fixture.expectOk('POST', '/api/token', signedIn);
    isFine();
  });

  it('shows who is signed in, and ends a session', async () => {
    await open('admin/sessions');
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    const hers = rows.filter({ hasText: 'Kim' });
    await hers.first().waitFor();
    expect(await hers.first().innerText()).toMatch(
      /127\.0\.0\.1[\s\S]*token[\s\S]*(?:ago|just now)/,
    );
    const before = await hers.count();
    await hers
      .first()
      .getByRole('button', { name: /^End the session/ })
      .click();
    await dialog(/^End the session/)
      .getByRole('button', { name: 'End it' })
      .click();
    await expect.poll(() => hers.count()).toBe(before - 1);
    isFine();
  });

  it('makes a key whose secret is shown once, turns it off and revokes it', async () => {
    const made = await fixture.expectOk('POST', '/api/applications', { name: 'shop' });
    const { id } = made as { readonly id: string };
    await open(`admin/applications?id=${id}`);
    await pane().getByRole('button', { name: 'New key' }).click();
    await dialog(/^New access key/)
      .getByRole('button', { name: 'Make the key' })
      .click();
    const once = page.getByRole('status', { name: 'The new key' });
    await once.waitFor();
    const [keyId = '', keySecret = ''] = await once.locator('code').allInnerTexts();
    await fixture.expectOk('POST', '/api/token', { keyId, keySecret });
    const row = pane().getByRole('row').filter({ hasText: keyId });
    expect(await row.innerText()).toContain('active');
    await row.getByRole('button', { name: `Turn ${keyId} off` }).click();
    await row.getByRole('button', { name: `Turn ${keyId} on` }).waitFor();
    const refused = await fixture.api.request('POST', '/api/token', { keyId, keySecret });
    expect(refused.status).toBe(401);
    await row.getByRole('button', { name: `Revoke ${keyId}` }).click();
    await dialog(/^Revoke the key/)
      .getByRole('button', { name: 'Revoke' })
      .click();
    await pane().getByText('None yet.').waitFor();
    await pane().getByRole('button', { name: 'Change roles' }).click();
    await dialog(/^Roles of the application/)
      .getByLabel('WORKER', { exact: true })
      .check();
    await dialog(/^Roles of the application/)
      .getByRole('button', { name: 'Save' })
      .click();
    await pane().getByRole('region', { name: 'Roles' }).getByText('WORKER').waitFor();
    await open('admin/applications');
    expect(await page.content()).not.toContain(keySecret);
    isFine();
  });

  it('grants and revokes in a table by resource, and says by what somebody may do it', async () => {
    await fixture.define({
      ...{ name: 'ui_secret_order', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2 },
      tasks: [{ name: 'ui_charge', taskReferenceName: 'charge', type: 'SIMPLE' }],
    });
    await fixture.expectOk('PUT', '/api/users/lee@example.com', {
      ...{ name: 'Lee', roles: ['USER'], groups: ['ops'] },
    });
    await fixture.expectOk('PUT', '/api/secrets/bank_key', 'hidden');
    await fixture.expectOk('POST', '/api/applications', { name: 'ui_till' });
    const tag = { key: 'team', value: 'shop' };
    await fixture.expectOk('POST', '/api/metadata/workflow/ui_secret_order/tags', tag);
    const startWorkflowRequest = { name: 'ui_secret_order', version: 1 };
    await fixture.expectOk('POST', '/api/scheduler/schedules', {
      ...{ name: 'ui_paused', cronExpression: '0 0 9 * * ?', paused: true, startWorkflowRequest },
    });
    await open('admin/access');
    await page.getByRole('button', { name: 'Grant access' }).click();
    const form = dialog(/^Grant access/);
    await form.getByLabel('To a', { exact: true }).selectOption('GROUP');
    await form.getByRole('combobox', { name: 'Who' }).fill('op');
    await form.getByRole('option', { name: 'ops' }).click();
    const which = form.getByRole('combobox', { name: 'Which one of these' });
    await which.fill('secret');
    await form.getByRole('option', { name: 'ui_secret_order' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await which.inputValue()).toBe('ui_secret_order');
    await form.getByLabel('execute').check();
    await form.getByRole('button', { name: 'Grant', exact: true }).click();
    const grants = page.getByRole('table', { name: 'Grants' });
    const row = grants.getByRole('row').filter({ hasText: 'group ops' });
    expect(await row.innerText()).toMatch(/ui_secret_order[\s\S]*read, execute/);
    // By name, not by id: what an application is called, and who made it.
    const till = grants.getByRole('row').filter({ hasText: 'ui_till' });
    expect(await till.innerText()).toMatch(/application[\s\S]*application [a-z][\w ]*\n/i);
    const rights = page.getByRole('region', { name: 'Effective rights' });
    await rights.getByRole('combobox', { name: 'Who' }).fill('Lee');
    await rights.getByRole('option', { name: 'lee@example.com Lee' }).click();
    await rights.getByRole('combobox', { name: 'Named' }).fill('secret');
    await rights.getByRole('option', { name: 'ui_secret_order' }).click();
    await rights.getByRole('button', { name: 'Show' }).click();
    const answer = rights.getByRole('table');
    const right = (name: string): Locator => answer.getByRole('row').filter({ hasText: name });
    await expect
      .poll(() => right('execute').innerText())
      .toMatch(/yes[\s\S]*grant to group ops on the workflow definition ui_secret_order/);
    expect(await right('delete').innerText()).toMatch(/no/);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await dialog(/^Revoke from ops/)
      .getByRole('button', { name: 'Revoke' })
      .click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(() => right('execute').innerText()).toMatch(/no/);
    isFine();
  });

  it.each([
    ['secret', 'bank_key'],
    ['schedule', 'ui_paused'],
    ['task definition', 'ui_charge'],
    ['application', 'ui_till'],
    ['tag', 'team:shop'],
    ['event handler', 'every event handler'],
  ])('finds a %s for a grant by what there is', async (type, name) => {
    await open('admin/access');
    await page.getByRole('button', { name: 'Grant access' }).click();
    const form = dialog(/^Grant access/);
    await form.getByLabel('On a', { exact: true }).selectOption({ label: type });
    await form.getByRole('combobox', { name: 'Which one of these' }).click();
    await form.getByRole('option', { name }).waitFor();
    // The first Escape closes the list, the second one the dialog.
    await page.keyboard.press('Escape');
    await form.getByRole('option').first().waitFor({ state: 'hidden' });
    await form.getByRole('button', { name: 'Cancel' }).click();
    isFine();
  });

  it('shows a plug-in with its settings, without the values that are secret', async () => {
    const about = { name: 'weather', state: 'used', version: '1.2.0', brings: ['WEATHER'] };
    const settings = [
      { name: 'plugin.weather.service', about: 'Its address', default: 'a', value: 'https://b' },
      { name: 'plugin.weather.key', about: 'Its key', default: '' },
    ];
    const json = [{ ...about, trouble: 'it does not answer', settings }];
    await page.route('**/api/admin/plugins', (route) => route.fulfill({ json }));
    await page.goto(`${fixture.server.url}/admin/plugins?id=weather`);
    const pane = page.getByRole('complementary', { name: 'weather' });
    const table = pane.getByRole('table', { name: 'Settings of weather' });
    await table.getByRole('row', { name: /plugin\.weather\.service https:\/\/b a Its/ }).waitFor();
    await table.getByRole('row', { name: /plugin\.weather\.key not shown/ }).waitFor();
    await pane.getByText('it does not answer').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.unroute('**/api/admin/plugins');
  });

  it('offers who is no administrator neither nodes nor the administration', async () => {
    const hers = await fixture.browser.open(`${fixture.server.url}/operations`);
    await signIn(hers, 'kim@example.com', `${password} 2`, 'Operations');
    await hers.getByRole('tab', { name: 'Workers' }).click();
    expect(await hers.getByRole('tab').allInnerTexts()).toEqual([
      'Definitions',
      'Task types',
      'Workers',
    ]);
    for (const name of ['Access', 'Who is signed in', 'Settings', 'Users']) {
      expect(await hers.getByRole('link', { name, exact: true }).count(), name).toBe(0);
    }
    await hers.context().close();
    fixture.browser.complaints.splice(0);
  });

  it('names the application that did something, wherever it says who', async () => {
    const task = { name: 'named', taskReferenceName: 'named', type: 'HUMAN' };
    await fixture.define({ ...order, name: 'by_application', tasks: [task] });
    const id = await fixture.run('by_application');
    await fixture.expectOk('PUT', `/api/workflow/${id}/pause?reason=named`);
    const job = { action: 'resume', query: 'workflowType = by_application', reason: 'named' };
    const { jobId } = (await fixture.expectOk('POST', '/api/bulk-jobs', job)) as {
      readonly jobId: string;
    };
    const right = { type: 'WORKFLOW_DEF', id: 'by_application' };
    const kim = { type: 'USER', id: 'kim@example.com' };
    const grant = { subject: kim, target: right, access: ['READ'] };
    await fixture.expectOk('POST', '/api/auth/authorization', grant);
    const places = [
      [`executions/${id}`, /by application administrator/],
      [`executions/${id}?tab=history`, /Pause[\s\S]*by application administrator/],
      ['bulk-jobs', /Resume[\s\S]*application administrator/],
      [`bulk-jobs/${jobId}`, /Created by[\s\S]*application administrator/],
      ['admin/audit', /application administrator/],
      ['definitions/by_application?tab=access', /application administrator[\s\S]*kim@example/],
    ] as const;
    for (const [path, words] of places) {
      await open(path);
      await expect.poll(() => page.locator('main').innerText(), { message: path }).toMatch(words);
      expect(await page.locator('main').innerText(), path).not.toMatch(/app:[0-9a-f]{8}/);
    }
    isFine();
  });

  it('adds members to a group and takes them away', async () => {
    await open('admin/groups?id=ops');
    const members = pane().getByRole('region', { name: 'Members' });
    await members.getByRole('button', { name: 'Add members' }).click();
    await dialog(/^Add members/)
      .getByLabel('kim@example.com')
      .check();
    await dialog(/^Add members/)
      .getByRole('button', { name: 'Add' })
      .click();
    await members.getByRole('button', { name: 'Remove kim@example.com' }).click();
    await dialog(/^Remove kim/)
      .getByRole('button', { name: 'Remove' })
      .click();
    await members.getByText('kim@example.com').waitFor({ state: 'detached' });
    isFine();
  });

  it('says by its name which field of a form is needed', async () => {
    await open('schedules?edit=new');
    await pane().getByLabel('Name').fill('ui_half');
    await pane().getByRole('button', { name: 'Save' }).click();
    await pane().getByRole('alert').getByText('Start is needed').waitFor();
    isFine();
  });

  it('shows the moments of a schedule in local time, and keeps them to the millisecond', async () => {
    await fixture.define({
      ...{ name: 'ui_bounded', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2 },
      tasks: [{ name: 'ui_bill', taskReferenceName: 'bill', type: 'SIMPLE' }],
    });
    const [from, until] = [Date.UTC(2030, 0, 2, 3, 4, 5, 678), Date.UTC(2031, 0, 1)];
    const local = until - new Date(until).getTimezoneOffset() * 60_000;
    const path = '/api/scheduler/schedules';
    await fixture.expectOk('POST', path, {
      ...{ name: 'ui_bounded', cronExpression: '0 0 9 * * ?', scheduleStartTime: from },
      startWorkflowRequest: { name: 'ui_bounded', version: 1 },
    });
    await open('schedules?id=ui_bounded&edit=yes');
    const shown = await pane().getByLabel('From').inputValue();
    expect(new Date(shown).getTime()).toBe(from);
    await pane().getByLabel('Until').fill(new Date(local).toISOString().slice(0, 19));
    await pane().getByRole('button', { name: 'Save' }).click();
    await pane().getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    expect(await fixture.expectOk('GET', `${path}/ui_bounded`)).toMatchObject({
      ...{ scheduleStartTime: from, scheduleEndTime: until },
    });
    await fixture.expectOk('DELETE', `${path}/ui_bounded`);
    isFine();
  });

  it('marks a schedule whose runs fail, with how many did and the last of them', async () => {
    const ends = { terminationStatus: 'FAILED', terminationReason: 'the bank is closed' };
    const stop = { name: 'stop', taskReferenceName: 'stop', type: 'TERMINATE' };
    const common = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };
    const fails = { ...common, name: 'ui_fails', tasks: [{ ...stop, inputParameters: ends }] };
    await fixture.expectOk('PUT', '/api/metadata/workflow', [fails]);
    const everySecond = { cronExpression: '* * * ? * *', zoneId: 'UTC' };
    const failing = {
      ...{ ...everySecond, name: 'ui_failing' },
      startWorkflowRequest: { name: 'ui_fails', version: 1 },
    };
    const idle = { ...failing, name: 'ui_idle', cronExpression: '0 0 0 1 1 ?' };
    await fixture.expectOk('POST', '/api/scheduler/schedules', failing);
    await fixture.expectOk('POST', '/api/scheduler/schedules', idle);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open('schedules');
    const row = (name: string): Locator => page.getByRole('row').filter({ hasText: name });
    const failed = row('ui_failing').getByRole('link', { name: /^Failed, ([2-9]|10\+) in a row$/ });
    // The page looks again by itself.
    await failed.waitFor({ timeout: 40_000 });
    expect(await failed.getAttribute('title')).toContain('the bank is closed');
    expect(await row('ui_idle').innerText()).toContain('Not yet run');
    // One question each time, whatever the number of schedules and runs.
    expect(asked).toContain('/api/scheduler/outcomes');
    expect(asked).not.toContain('/api/scheduler/search/executions');
    await open('schedules?id=ui_failing');
    const runs = pane().getByRole('region', { name: 'Runs' }).getByRole('row');
    await expect.poll(() => runs.last().innerText()).toMatch(/failed[\s\S]*the bank is closed/i);
    await failed.click();
    await page.getByText('the bank is closed').first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/executions\//);
    for (const name of ['ui_failing', 'ui_idle']) {
      await fixture.expectOk('DELETE', `/api/scheduler/schedules/${name}`);
    }
    isFine();
  });

  it('shows runs of schedules and calls of webhooks as tables', async () => {
    const start = { name: 'ui_secret_order', version: 1 };
    const each = { name: 'ui_each', cronExpression: '* * * ? * *', startWorkflowRequest: start };
    await fixture.expectOk('POST', '/api/scheduler/schedules', each);
    await open('schedules?id=ui_each');
    const runs = pane().getByRole('region', { name: 'Runs' });
    await expect
      .poll(
        async () => {
          await page.reload();
          await runs.waitFor();
          return await runs.getByRole('row').count();
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(1);
    expect(await runs.getByRole('columnheader').allInnerTexts()).toContain('Execution');
    expect(await runs.getByRole('row').last().innerText()).toMatch(/running|completed|failed/);
    await fixture.expectOk('DELETE', '/api/scheduler/schedules/ui_each');
    const webhook = {
      ...{ name: 'ui_hook', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      headers: { 'x-hook': 'secret of the hook' },
      workflowsToStart: { ui_secret_order: 1 },
    };
    const hook = await fixture.expectOk('POST', '/api/metadata/webhook', webhook);
    const { id } = hook as { readonly id: string };
    await fetch(`${fixture.server.url}/webhook/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hook': 'secret of the hook' },
      body: '{"order": 17}',
    });
    await open(`webhooks?id=${id}`);
    const calls = pane().getByRole('region', { name: 'Deliveries' });
    await calls.getByRole('cell', { name: 'took effect' }).waitFor();
    await calls.getByRole('button', { name: 'More' }).click();
    await calls.getByText('"order": 17').waitFor();
    isFine();
  });

  it('shows what an event handler did with each message as a table', async () => {
    const handler = {
      ...{ name: 'ui_on_pay', event: 'test:ui_paid', active: true },
      actions: [{ action: 'start_workflow', start_workflow: { name: 'ui_secret_order' } }],
    };
    await fixture.expectOk('POST', '/api/event', handler);
    const message = { event: 'test:ui_paid', order: 18 };
    await fixture.expectOk('POST', '/api/event/handleIncomingEvent', message);
    await open('events?id=ui_on_pay');
    const did = pane().getByRole('region', { name: 'What it did' });
    await expect
      .poll(async () => {
        await page.reload();
        await did.waitFor();
        return await did.getByRole('row').count();
      })
      .toBeGreaterThan(1);
    expect(await did.getByRole('columnheader').allInnerTexts()).toContain('Action');
    expect(await did.getByRole('row').nth(1).innerText()).toContain('start');
    await did.getByRole('button', { name: 'More' }).first().click();
    await did.getByText('"workflowId"').waitFor();
    expect(await did.getByRole('cell').allInnerTexts()).not.toContain('{');
    isFine();
  });
});

describe.skipIf(browserMissing !== undefined)('a server without an administrator', () => {
  it('says by which command one is made, and no longer once there is one', async () => {
    const server = await startServer({ args: ['--auth'] });
    const browser = await TestBrowser.launch();
    try {
      const page = await browser.open(server.url);
      const note = page.getByRole('region', { name: 'No administrator yet' });
      await note.getByText('npm run admin -- create-user').waitFor();
      const { adminCommand } = await import('../../testkit/secured-server.js');
      await adminCommand(server, ['create-user', 'first@example.com']);
      await note.waitFor({ state: 'detached' });
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});

async function signIn(
  page: Page,
  user: string,
  secret: string,
  shown = 'Users and access',
): Promise<void> {
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: shown, exact: true }).waitFor();
}
