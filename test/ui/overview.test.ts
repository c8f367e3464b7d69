// Numbers on two pages agree with each other and with the server, in a mixed state: the overview
// with its plots, the list of executions, failures, queues, definitions and what the store holds.
// And views that one has saved come back.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { PageFixture } from './fixture.js';
import { fillServer } from './full-server.js';

type Numbers = Readonly<Record<string, number>>;

describe.skipIf(browserMissing !== undefined)('numbers on the page', () => {
  let fixture: PageFixture;
  let page: Page;
  let counts: Numbers;
  beforeAll(async () => {
    fixture = await PageFixture.start('', ['--queue-sample-seconds', '1']);
    await fillServer(fixture);
    const answer = await fixture.expectOk('GET', '/api/workflow/facets');
    counts = inWords((answer as { readonly status: Numbers }).status);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);
  const total = (): number => Object.values(counts).reduce((sum, each) => sum + each, 0);

  it('agree on the overview: all, those of the window, the plot and its table', async () => {
    await expect.poll(() => tiles('Executions')).toEqual(counts);
    await expect.poll(() => tiles('Started lately')).toEqual(counts);
    const plot = page.getByRole('img', { name: /^Executions that started/ });
    await expect.poll(() => plot.getAttribute('aria-label')).toContain(`: ${total()} in all`);
    await page.getByText('The same as a table').click();
    await expect.poll(() => columnSums('Executions by start')).toEqual(withoutZeros(counts));
  });

  it('agree in the list of executions that each number leads to', async () => {
    await open('executions');
    const facets = page.getByRole('group', { name: 'Status' });
    await expect.poll(async () => numbersIn(await facets.innerText())).toEqual(counts);
    await page.getByText(`1 to ${total()} of ${total()}`).waitFor();
    await open('');
    await page
      .getByRole('link', { name: /^4\s*Failed$/ })
      .first()
      .click();
    await page.getByText('1 to 4 of 4').waitFor();
  });

  it('agree on failures: groups, what needs attention and what a retry would take', async () => {
    await open('');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await expect.poll(() => attention.innerText()).toMatch(/3\s+ui_order failed at charge/);
    await open('failures');
    await page.getByRole('button', { name: 'Retry all 3' }).click();
    await page.getByRole('heading', { name: 'Retry 3 executions' }).waitFor();
  });

  it('agree on queues: the list, a queue, its open tasks and the plot', async () => {
    const stats = (await fixture.expectOk('GET', '/api/stats/queues')) as readonly Queue[];
    const letters = stats.find(({ taskType }) => taskType === 'ui_letter')?.waiting ?? 0;
    expect(letters).toBe(37);
    await open('queues');
    const row = page.getByRole('row').filter({ hasText: 'ui_letter' });
    await expect.poll(() => row.locator('[data-title=Waiting]').innerText()).toBe(String(letters));
    await open('queues/ui_letter');
    await page.getByText(/^37\s*waiting$/).waitFor();
    await page.getByText(/^\d+ (ms|s|min \d+ s|min)\s*longest wait$/).waitFor();
    const tasks = page.getByRole('table', { name: 'Open tasks' });
    await expect.poll(() => tasks.getAttribute('aria-rowcount')).toBe(String(letters + 1));
    await open('?window=15m');
    // There were 40, until three of them were done.
    await page.getByRole('img', { name: /^Waiting in ui_letter: at most (3[7-9]|40)$/ }).waitFor();
  });

  it('agree on what ended, and on what went into a queue and out of it', async () => {
    await open('');
    const ended = page.getByRole('region', { name: 'Ended' });
    // One execution failed, was retried, and failed again.
    const { Running: _running, Paused: _paused, Failed: failed = 0, ...others } = counts;
    const ends = withoutZeros({ ...others, Failed: failed + 1 });
    const shown = async (): Promise<Numbers> => {
      const pairs = (await ended.innerText()).matchAll(/^(\D+?)\s+(\d+)$/gm);
      return Object.fromEntries([...pairs].map(([, word, number]) => [word, Number(number)]));
    };
    await expect.poll(shown).toEqual(ends);
    const sum = Object.values(ends).reduce((all, each) => all + each, 0);
    const label = new RegExp(`^Executions that ended: ${sum} in all`);
    await ended.getByRole('img', { name: label }).waitFor();
    await ended.getByText(/^Per minute now: \d+ start, \d+ end, \d+ of them failed/).waitFor();
    await open('queues/ui_letter');
    const flow = page.getByRole('region', { name: 'In and out' });
    await flow.getByText('Went in: 40 in the last hour').waitFor();
    await flow.getByText('Handed out: 3 in the last hour').waitFor();
    await flow.getByText('Completed: 3 in the last hour').waitFor();
    await flow.getByText('Failed: 0 in the last hour').waitFor();
    expect(fixture.browser.complaints).toEqual([]);
  });

  it('agree on definitions and on what the store holds', async () => {
    const names = (await fixture.expectOk('GET', '/api/metadata/workflow/names')) as string[];
    await open('definitions');
    const table = page.getByRole('table', { name: 'Definitions' });
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(names.length + 1));
    const orderRow = table.getByRole('row').filter({ hasText: 'ui_order' });
    const runs = orderRow.getByRole('link', { name: /^\d+$/ });
    const ofOrders = '/api/workflow/facets?query=workflowType=ui_order';
    const { total: orderRuns } = (await fixture.expectOk('GET', ofOrders)) as { total: number };
    await expect.poll(() => runs.innerText()).toBe(String(orderRuns));
    // What runs has neither failed nor not.
    const ended = `${ofOrders} AND status IN (COMPLETED,FAILED,TIMED_OUT,TERMINATED)`;
    const { total: orderEnds } = (await fixture.expectOk('GET', ended)) as { total: number };
    expect(orderEnds).toBeLessThan(orderRuns);
    const share = `${Math.round((4 / orderEnds) * 100)} %`;
    await expect.poll(() => orderRow.innerText()).toContain(share);
    await runs.click();
    await page.getByText(`1 to ${orderRuns} of ${orderRuns}`).waitFor();
    await open('');
    const storage = page.getByRole('region', { name: 'Storage' });
    await storage.getByRole('link', { name: 'ui_wide' }).waitFor();
    const orders = storage.getByRole('row').filter({ hasText: 'ui_order' });
    await expect.poll(() => orders.innerText()).toMatch(/\t\d/);
    const [, number = ''] = (await orders.innerText()).split('\t');
    await orders.getByRole('link').click();
    await page.getByText(`1 to ${number} of ${number}`).waitFor();
  });

  it('come back with a saved view, with its order and columns', async () => {
    await open('executions?status=FAILED');
    await page.getByText('1 to 4 of 4').waitFor();
    await page.getByText('Times, order, columns').click();
    await page.getByLabel('Order').selectOption('Oldest first');
    await page.getByLabel('More columns').fill('input.amount, input.card.country');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(firstFailed).toContain('de');
    await page.getByText('status IN (FAILED)').waitFor();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('declined “Ünïcode”');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await open('executions');
    await page.getByText(`1 to ${total()} of ${total()}`).waitFor();
    await page.getByLabel('Saved view', { exact: true }).selectOption('declined “Ünïcode”');
    await page.getByText('1 to 4 of 4').waitFor();
    await expect.poll(firstFailed).toContain('de');
    await page.getByRole('button', { name: 'Forget this view' }).click();
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(fixture.browser.complaints).toEqual([]);
  });

  const firstFailed = (): Promise<string> => page.getByRole('row').nth(1).innerText();

  async function tiles(section: string): Promise<Numbers> {
    return numbersIn(await page.getByRole('region', { name: section }).innerText());
  }

  /** Of a table by its columns. */
  async function columnSums(label: string): Promise<Numbers> {
    const table = page.getByRole('region', { name: label }).getByRole('table');
    const [head = [], ...rows] = (await table.getByRole('row').allInnerTexts()).map((row) =>
      row.split('\t'),
    );
    const sums = head
      .slice(1)
      .map((word, column): [string, number] => [
        word,
        rows.reduce((sum, row) => sum + Number(row[column + 1]), 0),
      ]);
    return Object.fromEntries(sums);
  }
});

interface Queue {
  readonly taskType: string;
  readonly waiting: number;
}

const words = ['Running', 'Paused', 'Completed', 'Failed', 'Timed out', 'Terminated'];

function inWords(counts: Numbers): Numbers {
  return Object.fromEntries(
    words.map((word) => [word, counts[word.toUpperCase().replace(' ', '_')] ?? 0]),
  );
}

const withoutZeros = (counts: Numbers): Numbers =>
  Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));

/** The number beside each status word, before or after it. */
function numbersIn(text: string): Numbers {
  const found: Record<string, number> = {};
  const parts = text.split(/\n+/).map((part) => part.trim());
  for (const word of words) {
    const at = parts.indexOf(word);
    const [before, after] = [parts[at - 1] ?? '', parts[at + 1] ?? ''];
    const number = /^\d+$/.test(before) && parts[0] !== word ? before : after;
    if (at >= 0 && /^\d+$/.test(number)) found[word] = Number(number);
  }
  return found;
}
