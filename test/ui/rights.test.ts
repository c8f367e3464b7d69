// A person who may look but not touch: signs in on the page, sees what may be read, and every
// control that the server would refuse says so beforehand.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { browserMissing, buildPage, TestBrowser } from './browser.js';
import { order } from './fixture.js';

const viewerId = 'viewer@example.com';

const withProvider = [
  ...['--oidc-issuer', 'http://127.0.0.1:1', '--oidc-client-id', 'page'],
  ...['--oidc-redirect-url', 'http://127.0.0.1:1/api/sign-in/oidc/callback'],
];

describe.skipIf(browserMissing !== undefined)('a person with the right to read', () => {
  let secured: SecuredServer;
  let viewer: Session;
  let browser: TestBrowser;
  let page: Page;
  let id: string;
  beforeAll(async () => {
    buildPage();
    secured = await SecuredServer.start({ args: withProvider });
    await secured.admin.put('/api/metadata/workflow', [order, { ...order, name: 'ui_hidden' }]);
    id = (await secured.admin.post('/api/workflow', { name: order.name, version: 1 })).text;
    await secured.admin.post('/api/workflow', { name: 'ui_hidden', version: 1 });
    viewer = await secured.userWithPassword(viewerId, []);
    await secured.grant(viewer, 'WORKFLOW_DEF', order.name, ['READ']);
    browser = await TestBrowser.launch();
    page = await browser.open(secured.url);
  });
  afterAll(async () => {
    await browser?.close();
    await secured?.stop();
  });

  it('signs in, with a password or where the server leads', async () => {
    const provider = page.getByRole('link', { name: 'Sign in with the identity provider' });
    await expect.poll(() => provider.getAttribute('href')).toMatch(/\/api\/sign-in\/oidc$/);
    const { body } = await viewer.get('/api/features');
    expect(body).toMatchObject({ signIn: ['password', 'key', 'provider'] });
    await page.getByLabel('User').fill(viewerId);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(`password of ${viewerId}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('is led to no page that no role of theirs opens', async () => {
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'Executions' }).waitFor();
    expect(await pages.getByRole('link', { name: 'Users', exact: true }).count()).toBe(0);
    expect(await viewer.status('GET', '/api/users')).toBe(403);
  });

  it('sees the same numbers on every page, of what may be read', async () => {
    const tile = page.getByLabel('Executions', { exact: true }).getByRole('link', {
      name: /Running/,
    });
    await expect.poll(() => tile.innerText()).toMatch(/^1\s+Running$/);
    await tile.click();
    await page.getByText('1 to 1 of 1').waitFor();
    const facet = page.getByRole('button', { name: /^Running/ });
    await expect.poll(() => facet.innerText()).toMatch(/^Running\s+1\s/);
    expect(await page.getByText('ui_hidden').count()).toBe(0);
  });

  it('finds every control of an execution disabled, with the reason', async () => {
    await page.goto(`${secured.url}/executions/${id}`);
    const controls = page.getByRole('group', { name: 'Controls' });
    const pause = controls.getByRole('button', { name: 'Pause' });
    await expect.poll(() => pause.getAttribute('title')).toMatch(/no right to run ui_order/);
    await controls.getByRole('button', { name: 'More actions' }).click();
    for (const name of ['Signal', 'Skip a task', 'Terminate']) {
      const control = page.getByRole('menuitem', { name });
      await expect.poll(() => control.getAttribute('aria-disabled')).toBe('true');
      expect(await control.innerText()).toMatch(/no right to run ui_order/);
    }
    await page.getByRole('menuitem', { name: 'Terminate' }).click({ force: true });
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await viewer.status('DELETE', `/api/workflow/${id}`)).toBe(403);
  });

  it('finds definitions readable and not more', async () => {
    await page.goto(`${secured.url}/definitions/${order.name}`);
    for (const name of ['Run', 'Edit']) {
      const button = page.getByRole('button', { name, exact: true });
      await expect.poll(() => button.getAttribute('title')).toMatch(/You have no right to/);
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    const remove = page.getByRole('menuitem', { name: /^Delete version/ });
    await expect.poll(() => remove.innerText()).toContain('You have no right to');
    await page.goto(`${secured.url}/schedules`);
    await page.getByText('Only what you may read counts here.').waitFor();
    await page.goto(`${secured.url}/definitions`);
    const create = page.getByRole('button', { name: 'New definition' });
    await expect.poll(() => create.getAttribute('title')).toMatch(/no right to create/);
  });

  it('can act as soon as the right is there', async () => {
    await secured.grant(viewer, 'WORKFLOW_DEF', order.name, ['READ', 'EXECUTE']);
    await page.goto(`${secured.url}/executions/${id}`);
    await page.getByRole('button', { name: 'Pause', disabled: false }).waitFor();
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Terminate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Terminate' }).click();
    await page.locator('.page-head').getByText('Terminated').waitFor();
  });

  it('claims a task that is for them, gives it back, and completes it at once', async () => {
    await secured.admin.put('/api/metadata/workflow', [asking(viewerId)]);
    const start = { name: asking(viewerId).name, version: 1 };
    const started = (await secured.admin.post('/api/workflow', start)).text;
    await page.goto(`${secured.url}/inbox`);
    await page.getByRole('table', { name: 'Human tasks' }).getByRole('link').click();
    await page.getByRole('button', { name: 'Claim', exact: true }).click();
    await page.getByRole('button', { name: 'Release', disabled: false }).click();
    await page.getByRole('button', { name: 'Claim', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Complete', disabled: false }).click();
    await page.getByText('Nothing waits for you').waitFor();
    const { body } = await secured.admin.get(`/api/workflow/${started}`);
    expect(body.status).toBe('COMPLETED');
  });

  it('signs in again over the page when the session has ended, and loses nothing', async () => {
    await page.goto(`${secured.url}/run?name=${order.name}`);
    await page.getByLabel('amount').fill('12');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel('User').fill(viewerId);
    await again.getByLabel('Password').fill(`password of ${viewerId}`);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('amount').inputValue()).toBe('12');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/executions/*');
  });

  it('is told when a right is taken away while the page is open', async () => {
    const pause = page.getByRole('group', { name: 'Controls' }).getByRole('button', {
      name: 'Pause',
    });
    await expect.poll(() => pause.getAttribute('aria-disabled')).toBe('false');
    await secured.admin.request('DELETE', '/api/auth/authorization', {
      subject: { type: 'USER', id: viewerId },
      target: { type: 'WORKFLOW_DEF', id: order.name },
      access: ['EXECUTE'],
    });
    await pause.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => pause.getAttribute('title')).toMatch(/no right to run ui_order/);
    await page.locator('.page-head').getByText('Running').waitFor();
  });
});

/** Asks one person. */
function asking(user: string): { readonly name: string; readonly tasks: readonly object[] } {
  const assignments = [{ assignee: { userType: 'CONDUCTOR_USER', user }, slaMinutes: 0 }];
  return {
    ...{ name: 'ui_ask', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 },
    tasks: [
      {
        ...{ name: 'decide', taskReferenceName: 'decide', type: 'HUMAN' },
        inputParameters: { __humanTaskDefinition: { assignments } },
      },
    ],
  } as { readonly name: string; readonly tasks: readonly object[] };
}
