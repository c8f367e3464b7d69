// What a careless or unlucky person meets: broken and odd texts in the editor, in forms and mocks,
// a browser that keeps nothing more, a script that is gone, and a server that goes and comes back.
// No page is lost, and each says what is wrong.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const odd = {
  ...order,
  name: 'ui_odd',
  inputParameters: ['naïve “name”', 'amount'],
};
const oddSchema = {
  type: 'object',
  required: true,
  properties: {
    amount: { type: 'integer', title: 'Amount', enum: 5 },
    other: { $ref: '#/nowhere' },
    any: true,
  },
};

describe.skipIf(browserMissing !== undefined)('odd input', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    const schema = { name: 'ui_strange', version: 1, type: 'JSON', data: oddSchema };
    const strange = { ...order, name: 'ui_strange', inputSchema: schema };
    await fixture.define(odd, strange);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);
  const alert = (): Promise<string> => page.getByRole('alert').first().innerText();

  it.each([
    ['{"name": ', /JSON input|JSON at position/],
    ['[]', /an object with a list/],
    ['{"tasks": 5}', /an object with a list/],
    ['{"tasks": [null, 5, {"type": 7, "taskReferenceName": 8}]}', undefined],
    [
      JSON.stringify({
        inputParameters: 'none',
        tasks: [
          { taskReferenceName: 'a', decisionCases: { b: 5, c: [null] }, forkTasks: [3, null] },
          { taskReferenceName: 'a', type: 'DO_WHILE', loopOver: 'x', inputParameters: '${gone.x}' },
          { taskReferenceName: '名前 <b>', type: 'SWITCH', decisionCases: null, defaultCase: {} },
        ],
      }),
      /No task is called/,
    ],
  ])('stays in the editor: %s', async (text, said) => {
    await open('definition-editor');
    const editor = page.getByRole('textbox', { name: 'Definition as JSON' });
    await editor.waitFor();
    await editor.fill(text);
    await page.getByText('Draft', { exact: true }).waitFor();
    if (said !== undefined) await page.getByText(said).waitFor();
    await page.getByRole('heading', { name: 'Try' }).waitFor();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByText('size', { exact: true }).first().waitFor();
  });

  it('is named by its field when mocks or input of a simulated run are broken', async () => {
    await open('definition-editor');
    const panel = page.getByRole('region', { name: 'Try' });
    await panel.getByLabel('Input', { exact: true }).fill('{');
    await panel.getByRole('button', { name: 'Try', exact: true }).click();
    await expect.poll(alert).toContain('Input: ');
    await panel.getByLabel('Input', { exact: true }).fill('{"amount": 1}');
    await panel.getByLabel('Mocks by reference').fill('{"pause": 5}');
    await panel.getByRole('button', { name: 'Try', exact: true }).click();
    await expect.poll(alert).toMatch(/pause|taskRefToMockOutput/);
    await page.getByLabel('Id of a past execution').fill('no/such id');
    await page.getByRole('button', { name: 'Take its input and outputs' }).click();
    await expect.poll(alert).toContain('no/such id');
  });

  it('of a schema that makes no sense still gives a form', async () => {
    await open('run?name=ui_strange');
    await page.getByLabel('Amount').fill('3');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const written = async (): Promise<unknown> =>
      JSON.parse(await page.getByLabel('Input').inputValue());
    await expect.poll(written).toEqual({ amount: 3 });
  });

  it('is not lost between form and JSON, nor when a browser keeps nothing more', async () => {
    await open('run?name=ui_odd');
    await page.getByLabel('naïve “name”').fill('žluťoučký 🐎');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const input = page.getByLabel('Input');
    await input.fill('{"amount": 1, "unknown": 2}');
    const useForm = page.getByRole('button', { name: 'Use the form' });
    await expect.poll(() => useForm.getAttribute('title')).toContain('no field for all');
    await input.fill('{"amount": ');
    await expect.poll(() => useForm.getAttribute('aria-disabled')).toBe('true');
    await page.evaluate(fullStorage);
    const large = 'x'.repeat(300_000);
    await input.fill(JSON.stringify({ 'naïve “name”': 'žluťoučký 🐎', large }));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/executions/*');
    await page.getByRole('tab', { name: 'Input and output' }).click();
    await page.getByText('žluťoučký 🐎').first().waitFor();
  });

  it.each([
    ['executions/not an id', /not/i],
    ['executions/00000000-0000-8000-8000-000000000000', /removed/],
    ['run?name=ui_odd&like=00000000-0000-8000-8000-000000000000', /00000000/],
    ['run?name=ui_odd&version=seven', /version/i],
    ['definitions/%E5%90%8D%3Cb%3E', /名<b>/],
    ['queues/a%2Fb%3F?domain=ü', /a\/b\?/],
    ['executions?from=never&to=1', /./],
    ['executions?status=NONE&sort=what', /./],
    ['bulk-jobs/none', /none/],
    ['?window=nonsense', /Overview/],
  ])('in the address gets a page that says so: /%s', async (path, said) => {
    await open(path);
    const main = page.getByRole('main');
    await expect.poll(async () => await main.innerText()).toMatch(said);
    expect(await page.getByText('This page cannot be shown').count()).toBe(0);
  });

  it('of a lost script says so and offers to load the page again', async () => {
    await open('');
    await page.route('**/assets/failures-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Failures', exact: true }).click();
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    await page.unroute('**/assets/failures-*.js');
    await page.getByRole('button', { name: 'Load it again' }).click();
    await page.getByRole('heading', { name: 'Failures' }).waitFor();
  });

  it('while the server restarts: old data stays with its age, new data comes by itself', async () => {
    await open('executions');
    await page.getByText('1 to 1 of 1').waitFor();
    await fixture.server.kill('SIGTERM');
    // One note for the whole page tells since when what is shown is old.
    const away = page.getByText(/^No connection to the server since /);
    await away.waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await fixture.server.restart();
    await away.waitFor({ state: 'detached' });
    await fixture.run('ui_odd', { amount: 2 });
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByText('1 to 2 of 2').waitFor();
  });
});

/** Runs in the browser: fills what it keeps for the page. */
const fullStorage = `(() => {
  for (let size = 4_000_000; size > 1; size = Math.floor(size / 2)) {
    try { localStorage.setItem('filler' + size, 'x'.repeat(size)); } catch {}
  }
})()`;
