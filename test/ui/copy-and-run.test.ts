// What the page offers to copy does what the page does: the texts are run as they are. And forms
// made from a schema start what one types.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { projectRoot } from '../../testkit/project.js';
import { pythonClient, type Sdk } from '../support/sdks.js';
import { installTimeoutMs } from '../support/tool-cache.js';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const run = promisify(execFile);
type Program = Exclude<Sdk, { readonly missing: string }>;
const programMsMax = 30_000;
/** The Python client may have to be fetched first. */
const programTestMs = installTimeoutMs + 2 * programMsMax;

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

  it.each([
    ...['admin/users', 'admin/groups', 'admin/applications', 'admin/secrets'],
    ...['admin/environment', 'schedules', 'webhooks', 'events', 'outgoing-webhooks'],
  ])('has a command beside the empty list of %s, which makes the first one', async (address) => {
    const empty = await fixture.browser.open(`${fixture.server.url}/${address}`);
    const command = await empty.locator('.command code').innerText();
    await run('sh', ['-c', `${command} --fail`]);
    await empty.reload();
    await empty.getByRole('table').getByRole('button').first().waitFor();
    await empty.context().close();
  });

  it('has a field for each property and says what does not fit', async () => {
    await page.getByLabel('Amount *').fill('0');
    await page.getByText('0 is less than 1').waitFor();
    await page.getByLabel('Amount *').fill('7');
    await page.getByText('0 is less than 1').waitFor({ state: 'detached' });
    await page.getByLabel('Express').selectOption('true');
    await page.getByLabel('Tags').fill('a, b');
    await page.getByLabel('Speed').selectOption('fast');
  });

  it.for(['curl', 'JavaScript', 'Python', 'CLI'] as const)(
    'is copied as %s that starts the same',
    { timeout: programTestMs },
    async (form, { skip }) => {
      const program = await programOf(form);
      if ('missing' in program) {
        tell(program.missing);
        return skip(program.missing);
      }
      const before = await runs();
      await outputOf(program, await copied(form));
      await expect.poll(async () => (await runs()).length).toBe(before.length + 1);
      expect((await runs())[0]).toEqual(filled);
    },
  );

  it('starts it, and offers the same input again', async () => {
    const before = await runs();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/executions/*');
    await expect.poll(async () => (await runs()).length).toBe(before.length + 1);
    expect((await runs())[0]).toEqual(filled);
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Run like this' }).click();
    await expect.poll(() => page.getByLabel('Amount *').inputValue()).toBe('7');
    await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('a, b');
    expect(fixture.browser.complaints).toEqual([]);
  });

  it('lists the last five inputs, newest first and none twice, and takes one of them', async () => {
    const form = `${fixture.server.url}/run?name=ui_typed`;
    for (const amount of [1, 2, 3, 2, 4, 5]) {
      await page.goto(form);
      await page.getByLabel('Amount *').fill(String(amount));
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.waitForURL('**/executions/*');
    }
    await page.goto(form);
    const inputs = page.getByRole('combobox', { name: 'Last inputs' });
    const amounts = async (): Promise<(string | undefined)[]> => {
      const texts = await inputs.locator('option').allInnerTexts();
      return texts.slice(1).map((text) => /"amount": (\d+)/.exec(text)?.[1]);
    };
    // The first one of this page was 7 (above); 1 to 5 came after it.
    await expect.poll(amounts).toEqual(['5', '4', '2', '3', '1']);
    await inputs.selectOption({ index: 4 });
    await expect.poll(() => page.getByLabel('Amount *').inputValue()).toBe('3');
  });

  it.each([
    ['an execution', 'ui_typed', ['curl', 'JavaScript', 'Python']],
    ['a definition', 'ui_charge', ['curl', 'JavaScript', 'Python', 'CLI']],
    ['the list of executions', 'totalHits', ['curl', 'JavaScript', 'Python']],
  ] as const)(
    'is not the only one: %s is copied as a request that answers it',
    { timeout: programTestMs },
    async (place, holds, forms) => {
      const [id] = await runIds();
      const address = {
        'an execution': `executions/${id}`,
        'a definition': 'definitions/ui_typed',
      };
      const path = address[place as keyof typeof address] ?? 'executions?status=RUNNING';
      await page.goto(`${fixture.server.url}/${path}`);
      const texts: [CopyForm, string][] = [];
      for (const form of forms) texts.push([form, await copied(form)]);
      const outputs = await Promise.all(
        texts.map(async ([form, text]) => {
          const program = await programOf(form);
          return 'missing' in program ? program.missing : await outputOf(program, text);
        }),
      );
      for (const output of outputs) expect(output).toMatch(new RegExp(`${holds}|^skipped`));
      expect(outputs[0]).toContain(holds);
    },
  );

  /** What the page copies for its request. */
  async function copied(form: CopyForm): Promise<string> {
    await page
      .getByRole('button', { name: /^Cop/ })
      .and(page.locator('[aria-haspopup=menu]'))
      .click();
    await page.getByRole('menuitem', { name: form }).click();
    await page.getByRole('button', { name: `Copied ${form}` }).waitFor();
    return await page.evaluate<string>('navigator.clipboard.readText()');
  }

  async function runIds(): Promise<string[]> {
    const path = '/api/workflow/search?query=workflowType=ui_typed';
    const found = (await fixture.expectOk('GET', path)) as {
      readonly results: readonly { readonly workflowId: string }[];
    };
    return found.results.map(({ workflowId }) => workflowId);
  }

  /** Inputs of all executions, newest first. */
  async function runs(): Promise<unknown[]> {
    const path = '/api/workflow/search?query=workflowType=ui_typed&sort=startTime:DESC';
    const found = (await fixture.expectOk('GET', path)) as {
      readonly results: readonly { readonly input: string }[];
    };
    return found.results.map(({ input }) => JSON.parse(input) as unknown);
  }
});

type CopyForm = 'curl' | 'JavaScript' | 'Python' | 'CLI';

/** What runs a text of each form, or why nothing here does. */
async function programOf(form: CopyForm): Promise<Sdk> {
  switch (form) {
    case 'curl':
      return { command: 'bash', args: ['-c'] };
    case 'JavaScript':
      return { command: process.execPath, args: ['--input-type=module', '-e'] };
    case 'Python': {
      const client = await pythonClient();
      return 'missing' in client ? client : { ...client, args: ['-c'] };
    }
    case 'CLI': {
      const missing = 'skipped: the command `conductor` (conductor-cli) is not on the path';
      const found = await run('bash', ['-c', 'command -v conductor']).catch(() => undefined);
      return found === undefined ? { missing } : { command: 'bash', args: ['-c'] };
    }
  }
}

/** What it has printed; rejects with its complaints when it fails. */
async function outputOf({ command, args }: Program, text: string): Promise<string> {
  const options = { cwd: projectRoot, timeout: programMsMax };
  return (await run(command, [...args, text], options)).stdout;
}

const filled = { amount: 7, express: true, tags: ['a', 'b'], speed: 'fast' };
