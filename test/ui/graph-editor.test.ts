// A person who edits a definition in its graph, with the pointer and by keys alone. The text of the
// definition is what counts: each edit is looked up there.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

interface Task {
  readonly taskReferenceName: string;
  readonly type: string;
  readonly joinOn?: readonly string[];
  readonly forkTasks?: readonly (readonly Task[])[];
  readonly loopOver?: readonly Task[];
  readonly inputParameters?: object;
}

describe.skipIf(browserMissing !== undefined)('a graph that one edits', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    page = await fixture.browser.open(
      `${fixture.server.url}/definition-editor?name=${order.name}&version=1`,
    );
  });
  afterAll(() => fixture?.stop());

  it('inserts a task at an edge, and the JOIN waits for it', async () => {
    await slot('after ship').click();
    await page.getByRole('button', { name: 'HTTP', exact: true }).click();
    await expect.poll(shape).toEqual(['charge', 'fork(ship http_1, mail)', 'join']);
    expect((await tasks()).at(-1)?.joinOn).toEqual(['http_1', 'mail']);
  });

  it('changes a task in its panel; what refers to it follows its new name', async () => {
    const panel = page.getByRole('region', { name: 'Task http_1' });
    await panel.getByLabel('Reference name').fill('pack');
    await panel.getByLabel('Reference name').press('Enter');
    await expect.poll(shape).toEqual(['charge', 'fork(ship pack, mail)', 'join']);
    expect((await tasks()).at(-1)?.joinOn).toEqual(['pack', 'mail']);
    const input = page.getByRole('region', { name: 'Task pack' }).getByLabel('Input as JSON');
    await input.fill('{ "order": "${nobody.output.id}" }');
    await input.blur();
    const problem = page.getByText('No task is called nobody.');
    await problem.waitFor();
    await input.fill('{ "order": "${charge.output.id}" }');
    await input.blur();
    await problem.waitFor({ state: 'detached' });
    await input.fill('{');
    await input.blur();
    await page
      .getByText(/Expected property name|JSON/)
      .first()
      .waitFor();
    await input.fill('{ "order": "${charge.output.id}" }');
  });

  it('undoes and redoes step by step, in the text and in the graph', async () => {
    const undo = page.getByRole('button', { name: 'Undo', exact: true });
    await node('pack (HTTP)').waitFor();
    for (let i = 0; i < 3; i += 1) await undo.click();
    await expect.poll(shape).toEqual(['charge', 'fork(ship http_1, mail)', 'join']);
    await undo.click();
    await expect.poll(shape).toEqual(['charge', 'fork(ship, mail)', 'join']);
    await node('http_1 (HTTP)').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Redo', exact: true }).click();
    await expect.poll(shape).toEqual(['charge', 'fork(ship http_1, mail)', 'join']);
  });

  it('moves, wraps and deletes by keys alone', async () => {
    await node('charge (SIMPLE)').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await node('ship (SIMPLE)', true).waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(shape).toEqual(['charge', 'fork(http_1 ship, mail)', 'join']);
    expect((await tasks()).at(-1)?.joinOn).toEqual(['ship', 'mail']);
    await act('Put into a loop');
    await expect.poll(shape).toEqual(['charge', 'fork(http_1 do_while_1(ship), mail)', 'join']);
    await node('http_1 (HTTP)').focus();
    await page.keyboard.press('Enter');
    await node('http_1 (HTTP)', true).waitFor();
    await page.keyboard.press('Delete');
    await expect.poll(shape).toEqual(['charge', 'fork(do_while_1(ship), mail)', 'join']);
    await node('mail (SIMPLE)').focus();
    await page.keyboard.press('Control+z');
    await expect.poll(shape).toEqual(['charge', 'fork(http_1 do_while_1(ship), mail)', 'join']);
  });

  it('moves a fork with its JOIN to a slot, and never between the two', async () => {
    await node('fork (FORK_JOIN)').click();
    await act('Move to a slot');
    await slot('after join').waitFor({ state: 'detached' });
    expect(await slot('after fork').count()).toBe(0);
    await slot('at the beginning').click();
    await expect.poll(shape).toEqual(['fork(http_1 do_while_1(ship), mail)', 'join', 'charge']);
  });

  it('follows the text, and saves what both show', async () => {
    const text = page.getByLabel('Definition as JSON');
    await text.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify({ ...order, tasks: [order.tasks[0]] }));
    await node('fork (FORK_JOIN)').waitFor({ state: 'detached' });
    await node('charge (SIMPLE)').click();
    await act('Insert after');
    await page.getByRole('button', { name: 'Wait', exact: true }).press('Enter');
    await node('wait_1 (WAIT)', true).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
    const path = `/api/metadata/workflow/${order.name}?version=1`;
    const stored = (await fixture.expectOk('GET', path)) as { tasks: Task[] };
    expect(stored.tasks.map(shapeOf)).toEqual(['charge', 'wait_1']);
    // The browser tells of each text on the way that the server would refuse.
    const others = fixture.browser.complaints.filter((each) => !/status of 400/.test(each));
    expect(others).toEqual([]);
  });

  it('shows at its place in the text what the server has against it', async () => {
    await page.getByLabel('Definition as JSON').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify({ ...order, schemaVersion: 1 }, undefined, 1));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('schemaVersion: 2 is only supported').waitFor();
    const line = page.locator('.cm-line', { hasText: 'schemaVersion' });
    await line.locator('.cm-lintRange').waitFor();
  });

  /** By the menu of the chosen task, with keys alone. */
  async function act(title: string): Promise<void> {
    await page.getByRole('button', { name: /^What can be done with/ }).press('Enter');
    await page.getByRole('menuitem', { name: title }).press('Enter');
  }

  function node(name: string, pressed?: boolean): ReturnType<Page['getByRole']> {
    const graph = page.getByRole('region', { name: 'Graph of the tasks' });
    return graph.getByRole('button', {
      ...{ name, exact: true },
      ...(pressed === undefined ? {} : { pressed }),
    });
  }

  function slot(where: string): ReturnType<Page['locator']> {
    return page.locator('.graph-slot', { has: page.locator('title', { hasText: exactly(where) }) });
  }

  /** Of the draft that the browser keeps, which is the text; without one it is as it was. */
  async function tasks(): Promise<readonly Task[]> {
    const text = await page.evaluate<string | null>(draft);
    return text === null ? order.tasks : (JSON.parse(text) as { tasks: readonly Task[] }).tasks;
  }

  async function shape(): Promise<readonly string[]> {
    return (await tasks()).map(shapeOf);
  }
});

const exactly = (where: string): RegExp => new RegExp(`^Insert ${where}$`);

/** Such as `fork(ship pack, mail)`. */
function shapeOf({ taskReferenceName: ref, forkTasks = [], loopOver = [] }: Task): string {
  const inside = [...forkTasks, ...(loopOver.length > 0 ? [loopOver] : [])];
  if (inside.length === 0) return ref;
  return `${ref}(${inside.map((list) => list.map(shapeOf).join(' ')).join(', ')})`;
}

/** Runs in the browser. */
const draft = `localStorage.getItem('downbeat.draft.${order.name}')`;
