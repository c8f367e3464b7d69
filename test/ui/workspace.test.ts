// The editor is a workspace: palette, canvas, text and form show the same task and edit one text;
// the problems are repaired where they stand, and the simulated run is drawn over the canvas.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

interface Task {
  readonly taskReferenceName: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

describe.skipIf(browserMissing !== undefined)('the workspace of the editor', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const editorOf = (view: string): string => `${fixture.server.url}/definition-editor${view}`;
  const palette = (): ReturnType<Page['getByRole']> =>
    page.getByRole('complementary', { name: 'Insert a task' });
  const node = (name: string): ReturnType<Page['getByRole']> =>
    page.getByRole('region', { name: 'Graph of the tasks' }).getByRole('button', { name });
  const form = (ref: string): ReturnType<Page['getByRole']> =>
    page.getByRole('region', { name: `Task ${ref}` });

  /** Of the draft that the browser keeps. */
  async function draft(key: string): Promise<{ readonly tasks: readonly Task[] }> {
    const text = await page.evaluate<string>(`localStorage.getItem('downbeat.draft.${key}')`);
    return JSON.parse(text) as { tasks: readonly Task[] };
  }

  it('shows in text and form what is chosen on the canvas', async () => {
    await page.goto(editorOf(`?name=${order.name}&version=1`));
    await node('mail').click();
    await form('mail').waitFor();
    const marked = page.locator('.cm-chosen-task');
    await expect.poll(async () => (await marked.allInnerTexts()).join('')).toContain('"ui_mail"');
    expect(await marked.first().isVisible()).toBe(true);
    await node('charge').click();
    await form('charge').waitFor();
    await expect.poll(async () => (await marked.allInnerTexts()).join('')).toContain('"charge"');
  });

  it('shows on the canvas and in the form where the cursor stands in the text', async () => {
    await page.locator('.cm-line', { hasText: '"ui_ship"' }).click();
    await form('ship').waitFor();
    await expect.poll(() => node('ship').getAttribute('aria-pressed')).toBe('true');
    await page.getByText(/^line \d\d of \d\d$/).waitFor();
  });

  it('writes what one types into the form of a type with the right kind of value', async () => {
    await palette().getByLabel('Search tasks').fill('calls an address');
    await palette().getByRole('button', { name: 'HTTP', exact: true }).click();
    const http = form('http_1');
    await http.getByLabel('Method').selectOption('POST');
    await http.getByLabel('Address').fill('https://shop.example.com/${workflow.input.amount}');
    await http.getByLabel('Address').press('Enter');
    await http.getByRole('button', { name: 'Add to Headers' }).click();
    await http.getByLabel('Headers: name 1').fill('X-Shop');
    await http.getByLabel('Headers: X-Shop').fill('berlin');
    await http.getByLabel('Headers: X-Shop').press('Enter');
    await http.getByLabel('Answer within').fill('8s');
    await http.getByLabel('Answer within').press('Enter');
    await http.getByText('A number, or a reference').waitFor();
    await http.getByLabel('Answer within').fill('8000');
    await http.getByLabel('Answer within').press('Enter');
    await http.getByText('When it fails, waits or is repeated').click();
    await http.getByLabel('Goes on when it fails').check();
    await expect
      .poll(async () => taskIn((await draft(order.name)).tasks, 'http_1'))
      .toMatchObject({
        optional: true,
        inputParameters: {
          http_request: {
            uri: 'https://shop.example.com/${workflow.input.amount}',
            ...{ method: 'POST', headers: { 'X-Shop': 'berlin' }, readTimeOut: 8000 },
          },
        },
      });
  });

  it('drops a type from the palette at a slot of the canvas', async () => {
    await palette().getByLabel('Search tasks').fill('wait');
    const slot = page.locator('.graph-slot', {
      has: page.locator('title', { hasText: /^Insert at the beginning$/ }),
    });
    await palette().getByRole('button', { name: 'Wait', exact: true }).dragTo(slot);
    await form('wait_1').waitFor();
    expect((await draft(order.name)).tasks[0]?.taskReferenceName).toBe('wait_1');
  });

  it('offers what was meant by a reference that names no task, and puts it in', async () => {
    const charge = (reference: string): object => ({
      ...order,
      tasks: [{ ...order.tasks[0], inputParameters: { a: reference } }, ...order.tasks.slice(1)],
    });
    const text = page.getByRole('textbox', { name: 'Definition as JSON' });
    const problems = page.getByRole('region', { name: 'Problems' });
    for (const [written, meant] of [
      ['${amount}', '${workflow.input.amount}'],
      ['${shop.output.id}', '${ship.output.id}'],
    ] as const) {
      await text.fill(JSON.stringify(charge(written), undefined, 2));
      await problems.getByText('No task is called').waitFor();
      await problems.getByRole('button', { name: /^Use / }).click();
      await problems.waitFor({ state: 'detached' });
      const { tasks } = await draft(order.name);
      expect(tasks[0]?.['inputParameters']).toEqual({ a: meant });
    }
    await page.getByRole('button', { name: 'Discard the draft' }).click();
  });

  it('numbers on the canvas what a simulated run did, in its order', async () => {
    const trial = page.getByRole('region', { name: 'Try' });
    await trial.getByRole('button', { name: 'Try', exact: true }).click();
    await trial.getByRole('status').getByText('Completed').waitFor();
    const listed = await trial.locator('.try-steps b').allInnerTexts();
    expect(listed).toEqual(['charge', 'fork', 'ship', 'mail', 'join']);
    await expect.poll(() => node('mail').locator('.graph-step').innerHTML()).toContain('>4<');
  });

  it('puts the tasks of a template in, and saving registers what it brings', async () => {
    await page.goto(editorOf(`?name=${order.name}&version=1`));
    await palette().getByRole('button', { name: 'Retry with back-off' }).click();
    await form('ask_bank').waitFor();
    await page.getByText('what the template brings').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
    const stored = await fixture.expectOk('GET', '/api/metadata/workflow/ui_order?version=1');
    expect(stored).toMatchObject({ inputParameters: ['amount', 'account'] });
    const brought = await fixture.expectOk('GET', '/api/metadata/taskdefs/ask_bank');
    expect(brought).toMatchObject({ retryLogic: 'EXPONENTIAL_BACKOFF' });
  });

  it('inserts every type as the server takes it', async () => {
    await page.goto(editorOf(''));
    await palette().getByLabel('Search tasks').fill(' ');
    const types = palette().locator('ul').filter({ hasNotText: 'Retry with back-off' });
    const buttons = types.getByRole('button');
    const number = await buttons.count();
    expect(number).toBeGreaterThan(50);
    for (let at = 0; at < number; at += 1) {
      await buttons.nth(at).click();
      await page.locator('.inspector[aria-label^="Task "]').waitFor();
    }
    await fixture.expectOk('POST', '/api/metadata/workflow/validate', await draft('new'));
    const others = fixture.browser.complaints.filter((each) => !/status of 400/.test(each));
    expect(others).toEqual([]);
  });
});

function taskIn(tasks: readonly Task[], ref: string): Task | undefined {
  const inside = tasks.flatMap((task) => [
    task,
    ...((task['forkTasks'] ?? []) as readonly (readonly Task[])[]).flat(),
  ]);
  return inside.find(({ taskReferenceName }) => taskReferenceName === ref);
}
