// The tutorial of the handbook (docs/add-a-resource.md): its code is compiled in a copy of the
// sources, strictly, and what it says of the two resources is tried over HTTP and in the page.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiler } from '../../bin/lib/compile.mjs';
import { bundleInto } from '../../bin/lib/bundle.mjs';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { carryOut, readSteps } from '../support/tutorial.js';
import { browserMissing, buildPage, TestBrowser } from '../ui/browser.js';

const compileMsMax = 300_000;
const tutorial = fs.readFileSync(path.join(projectRoot, 'docs', 'add-a-resource.md'), 'utf8');

let folder: string | undefined;
let secured: SecuredServer | undefined;
let admin: Session;
let ada: Session;
let bob: Session;

/** The sources with the tutorial's code, compiled. */
async function builtCopy(): Promise<string> {
  folder = createFolder();
  const inCopy = (...names: string[]): string => path.join(folder ?? '', ...names);
  const inProject = (...names: string[]): string => path.join(projectRoot, ...names);
  for (const name of [
    'src',
    'cli',
    'packages',
    'plugins/models',
    'tsconfig.json',
    'package.json',
  ]) {
    fs.cpSync(inProject(name), inCopy(name), { recursive: true });
  }
  fs.symlinkSync(inProject('node_modules'), inCopy('node_modules'));
  carryOut(readSteps(tutorial), folder);
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.json'], {
    ...{ cwd: folder, encoding: 'utf8', timeout: compileMsMax },
  });
  if (status !== 0) throw new Error(`the code of the tutorial does not compile:\n${stdout}`);
  await bundleInto(inCopy('dist'), folder);
  for (const name of ['listener', 'ui']) {
    fs.cpSync(inProject('dist', name), inCopy('dist', name), { recursive: true });
  }
  return inCopy('dist', 'main.js');
}

beforeAll(async () => {
  if (browserMissing === undefined) buildPage();
  const main = await builtCopy();
  secured = await SecuredServer.start({
    program: [main],
    args: ['--runbooks-max', '3', '--checklists-max', '3'],
  });
  ({ admin } = secured);
  ada = await secured.userWithPassword('ada@x.org', ['USER']);
  bob = await secured.user('bob@x.org', ['USER']);
}, compileMsMax + 60_000);
afterAll(async () => {
  await secured?.stop();
  if (folder !== undefined) removeFolder(folder);
});

const base = '/api/runbooks';

describe('the resource of the tutorial', () => {
  it('takes some forty lines', () => {
    const [declaration] = readSteps(tutorial);
    const lines = declaration?.text.split('\n').filter((line) => line !== '') ?? [];
    expect(lines.length).toBeLessThanOrEqual(45);
  });

  it('has routes that save, list, show and delete', async () => {
    const saved = await ada.post(base, { name: 'disk full', steps: ['look', 'remove'] });
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({
      ...{ name: 'disk full', severity: 'LOW', steps: ['look', 'remove'] },
      ...{ createdBy: 'ada@x.org', updateTime: 0 },
    });
    await ada.post(base, { name: 'disk full', severity: 'HIGH' });
    const shown = (await ada.get(`${base}/disk%20full`)).body;
    expect(shown).toMatchObject({ severity: 'HIGH', steps: [], updatedBy: 'ada@x.org' });
    expect(shown).toMatchObject({ createTime: saved.body.createTime });
    expect((await ada.get(base)).body).toEqual([shown]);
    expect(await ada.status('DELETE', `${base}/disk%20full`)).toBe(200);
    expect(await admin.status('GET', `${base}/disk%20full`)).toBe(404);
  });

  it.each([
    [{ steps: [] }, 'name is required'],
    [{ name: 'x', severity: 'MILD' }, 'severity must be one of LOW, HIGH'],
    [{ name: 'x', steps: Array(21).fill('s') }, 'steps may have 20 entries at most'],
  ])('refuses %j by field and rule', async (sent, message) => {
    const { status, body } = await ada.post(base, sent);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('belongs to who creates it, who may share it', async () => {
    await ada.post(base, { name: 'mine' });
    expect(await bob.status('GET', `${base}/mine`)).toBe(403);
    expect(await bob.status('POST', base, { name: 'mine' })).toBe(403);
    expect((await bob.get(base)).body).toEqual([]);
    await ada.post('/api/auth/authorization', {
      subject: { type: 'USER', id: 'bob@x.org' },
      target: { type: 'RUNBOOK', id: 'mine' },
      access: ['READ'],
    });
    expect((await bob.get(base)).body).toMatchObject([{ name: 'mine' }]);
    expect(await bob.status('DELETE', `${base}/mine`)).toBe(403);
    expect(await secured?.nobody.status('GET', base)).toBe(401);
    await ada.delete(`${base}/mine`);
    await ada.post(base, { name: 'mine' });
    expect(await bob.status('GET', `${base}/mine`)).toBe(403);
    await ada.delete(`${base}/mine`);
  });

  it('has tags, which a list and a grant may ask for', async () => {
    const tags = [{ key: 'team', value: 'ops' }];
    await ada.post(base, { name: 'tagged', tags });
    await ada.post(base, { name: 'other' });
    expect((await ada.get(`${base}/tags?tag=team:ops`)).body).toMatchObject([
      { name: 'tagged', tags },
    ]);
    await admin.post('/api/auth/authorization', {
      subject: { type: 'USER', id: 'bob@x.org' },
      target: { type: 'TAG', id: 'team:ops' },
      access: ['READ'],
    });
    expect((await bob.get(base)).body).toMatchObject([{ name: 'tagged' }]);
    await ada.delete(`${base}/tagged/tags`, tags);
    expect((await ada.get(`${base}/tagged/tags`)).body).toEqual([]);
    for (const name of ['tagged', 'other']) await ada.delete(`${base}/${name}`);
  });

  it('has a limit', async () => {
    for (const name of ['a', 'b', 'c']) expect(await ada.status('POST', base, { name })).toBe(200);
    const { status, body } = await ada.post(base, { name: 'd' });
    expect([status, body.message]).toEqual([409, expect.stringContaining('runbooksMax')]);
    expect(await ada.status('POST', base, { name: 'a' })).toBe(200);
    for (const name of ['a', 'b', 'c']) await ada.delete(`${base}/${name}`);
  });

  it('stands in the audit log and in the description of the API', async () => {
    await ada.post(base, { name: 'noted' });
    const { body } = await admin.get('/api/admin/audit?action=saveRunbook&count=1');
    expect(body).toMatchObject([{ caller: 'ada@x.org', objects: ['noted'], status: 200 }]);
    const { components, paths } = (await admin.get('/api-docs.json')).body;
    expect(components.schemas.Runbook.required).toEqual(
      expect.arrayContaining(['name', 'severity', 'steps', 'createTime']),
    );
    expect(components.schemas.RunbookRequest.required).toEqual(['name']);
    expect(Object.keys(paths).filter((each) => each.startsWith(base))).toEqual(
      expect.arrayContaining([base, `${base}/{name}`, `${base}/{name}/tags`, `${base}/tags`]),
    );
    await ada.delete(`${base}/noted`);
  });
});

describe('the resource with versions of the tutorial', () => {
  it('stores versions, shows the newest or one, and removes one or all', async () => {
    const lists = '/api/checklists';
    await ada.post(lists, { name: 'release', points: ['one'] });
    await ada.post(`${lists}?newVersion=true`, { name: 'release', points: ['two'] });
    await ada.post(lists, { name: 'release', version: 1, points: ['one again'] });
    const versions = (await ada.get(`${lists}/release/versions`)).body;
    expect(versions).toMatchObject([
      { version: 2, points: ['two'] },
      { version: 1, points: ['one again'], updatedBy: 'ada@x.org' },
    ]);
    expect((await ada.get(`${lists}/release`)).body).toEqual(versions[0]);
    expect((await ada.get(`${lists}/release?version=1`)).body).toEqual(versions[1]);
    expect((await ada.get(lists)).body).toEqual([versions[0]]);
    expect(await bob.status('GET', `${lists}/release`)).toBe(403);
    await ada.put(`${lists}/release/tags`, [{ key: 'of', value: 'release' }]);
    await ada.post(`${lists}?newVersion=true`, { name: 'release' });
    const { status, body } = await ada.post(`${lists}?newVersion=true`, { name: 'release' });
    expect([status, body.message]).toEqual([409, expect.stringContaining('checklistsMax')]);
    expect(await ada.status('DELETE', `${lists}/release/versions/3`)).toBe(200);
    expect((await ada.get(`${lists}/release`)).body).toMatchObject({
      ...{ version: 2, tags: [{ key: 'of', value: 'release' }] },
    });
    expect(await ada.status('DELETE', `${lists}/release`)).toBe(200);
    expect((await ada.get(lists)).body).toEqual([]);
  });
});

describe.skipIf(browserMissing !== undefined)('the pages of the tutorial', () => {
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    browser = await TestBrowser.launch();
    page = await browser.open(secured?.url ?? '');
    await page.getByLabel('User').fill('ada@x.org');
    await page.getByLabel('Password').fill('password of ada@x.org');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // Nobody was signed in at first, which the browser notes.
    browser.complaints.splice(0);
  }, compileMsMax);
  afterAll(() => browser?.close());

  const open = async (title: string): Promise<void> => {
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: title })
      .click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  };
  const pane = (): Locator => page.getByRole('complementary').first();
  const save = (): Promise<void> =>
    pane().getByRole('button', { name: 'Save', exact: true }).click();
  const row = (name: string): Locator =>
    page.getByRole('main').getByRole('button', { name, exact: true });

  it('stand in the menu, and create one by the fields of the declaration', async () => {
    await open('Runbooks');
    await page.getByText('There are no runbooks yet.').waitFor();
    await page.getByRole('button', { name: 'New runbook' }).click();
    await pane().getByLabel('Name *').fill('disk full');
    await pane().getByLabel('Severity').selectOption('HIGH');
    await pane().getByLabel('Steps').fill('look, remove');
    await pane().getByLabel('Tags').fill('team:ops');
    await save();
    await row('disk full').click();
    expect(await pane().locator('dl').first().innerText()).toMatch(/HIGH[\s\S]*look, remove/);
    const { body } = await ada.get(`${base}/disk%20full`);
    expect(body).toMatchObject({
      ...{ severity: 'HIGH', steps: ['look', 'remove'] },
      tags: [{ key: 'team', value: 'ops' }],
    });
    expect(browser.complaints).toEqual([]);
  });

  it('show what the server refuses at its field', async () => {
    await page.getByRole('button', { name: 'New runbook' }).click();
    await pane().getByLabel('Name *').fill('refused');
    const tags = pane().getByLabel('Tags');
    await tags.fill('te*m:ops');
    await save();
    const refusal = pane().locator('.field:has(input[aria-invalid=true]) small');
    expect(await refusal.innerText()).toContain("may not hold '*'");
    expect(await tags.getAttribute('aria-invalid')).toBe('true');
    await pane().locator('input[aria-invalid=true]:focus').waitFor();
    await pane().getByRole('button', { name: 'Cancel' }).click();
    browser.complaints.splice(0);
  });

  it('change one, find one and delete one', async () => {
    await ada.post(base, { name: 'other' });
    await page.reload();
    await row('disk full').click();
    await pane().getByRole('button', { name: 'Edit' }).click();
    expect(await pane().getByLabel('Steps').inputValue()).toBe('look, remove');
    await pane().getByLabel('Steps').fill('call somebody');
    await save();
    await page.getByRole('main').getByText('call somebody').first().waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('somebody');
    await row('other').waitFor({ state: 'detached' });
    await row('disk full').click();
    await pane().getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row('disk full').waitFor({ state: 'detached' });
    expect((await ada.get(base)).body).toMatchObject([{ name: 'other' }]);
    await ada.delete(`${base}/other`);
    expect(browser.complaints).toEqual([]);
  });

  it('keep the versions of a name', async () => {
    await ada.post('/api/checklists', { name: 'release', points: ['one'] });
    await open('Checklists');
    await row('release').click();
    await pane().getByRole('button', { name: 'Edit' }).click();
    await pane().getByLabel('Points').fill('one, two');
    await pane().getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByRole('main').getByText('one, two').first().waitFor();
    await row('release').click();
    const versions = pane().getByRole('region', { name: 'Versions' });
    await expect.poll(() => versions.getByRole('row').count()).toBe(3);
    expect(browser.complaints).toEqual([]);
  });
});
