// What the page offers to copy does what the page does: the texts are run as they are. And forms
// made from a schema start what one types.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/project.js';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const typed = {
  ...order,
  name: 'ui_typed',
  inputSchema: {
    type: 'JSON',
    name: 'ui_typed_input',
    version: 1,
    data: {
      type: 'object',
      required: ['amount'],
      properties: {
        amount: { type: 'integer', title: 'Amount', minimum: 1 },
        express: { type: 'boolean', title: 'Express' },
        tags: { type: 'array', items: { type: 'string' }, title: 'Tags' },
        speed: { enum: ['slow', 'fast'], title: 'Speed' },
      },
    },
  },
};

describe.skipIf(browserMissing !== undefined)('the form that starts a workflow', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.expectOk('POST', '/api/schema', {
      ...{ name: 'ui_typed_input', version: 1, type: 'JSON', data: typed.inputSchema.data },
    });
    await fixture.define(typed);
    page = await fixture.browser.open(`${fixture.server.url}/run?name=ui_typed`);
  });
  afterAll(() => fixture?.stop());

  it('has a field for each property and says what does not fit', async () => {
    await page.getByLabel('Amount *').fill('0');
    await page.getByText('0 is less than 1').waitFor();
    await page.getByLabel('Amount *').fill('7');
    await page.getByText('0 is less than 1').waitFor({ state: 'detached' });
    await page.getByLabel('Express').selectOption('true');
    await page.getByLabel('Tags').fill('a, b');
    await page.getByLabel('Speed').selectOption('fast');
  });

  it.each([
    ['curl', 'bash', ['-c']],
    ['JavaScript', process.execPath, ['--input-type=module', '-e']],
  ])('is copied as %s that starts the same', async (form, program, args) => {
    const before = await runs();
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: form }).click();
    await page.getByRole('button', { name: `Copied ${form}` }).waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    const options = { cwd: projectRoot, timeout: 20_000 };
    await promisify(execFile)(program, [...args, text], options);
    await expect.poll(async () => (await runs()).length).toBe(before.length + 1);
    expect((await runs())[0]).toEqual(filled);
    await page.getByRole('button', { name: 'Copy as' }).waitFor();
  });

  it('starts it, and offers the same input again', async () => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/executions/*');
    await expect.poll(runs).toHaveLength(3);
    expect((await runs())[0]).toEqual(filled);
    await page.getByRole('link', { name: 'Run like this' }).click();
    await expect.poll(() => page.getByLabel('Amount *').inputValue()).toBe('7');
    expect(await page.getByLabel('Tags').inputValue()).toBe('a, b');
    expect(fixture.browser.complaints).toEqual([]);
  });

  /** Inputs of all executions, newest first. */
  async function runs(): Promise<unknown[]> {
    const path = '/api/workflow/search?query=workflowType=ui_typed&sort=startTime:DESC';
    const found = (await fixture.expectOk('GET', path)) as {
      readonly results: readonly { readonly input: string }[];
    };
    return found.results.map(({ input }) => JSON.parse(input) as unknown);
  }
});

const filled = { amount: 7, express: true, tags: ['a', 'b'], speed: 'fast' };
