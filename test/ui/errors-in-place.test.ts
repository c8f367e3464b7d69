// Errors where they belong: the server goes while one works, and the page stays; a definition has
// mistakes, and they are marked in its text and its graph while one types.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, stepTimeoutMs } from './browser.js';
import { order, PageFixture } from './fixture.js';

const stack = `Error: card expired ${'x'.repeat(200)}\n    at charge (${'y'.repeat(150)}.js:1:2)\n    at main`;

describe.skipIf(browserMissing !== undefined)('errors in place', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);
  const text = (): ReturnType<Page['getByRole']> =>
    page.getByRole('textbox', { name: 'Definition as JSON' });
  const marks = (kind: string): ReturnType<Page['locator']> =>
    page.locator(`.cm-lintRange-${kind}`);
  const graph = (): ReturnType<Page['getByRole']> =>
    page.getByRole('region', { name: 'Graph of the tasks' });
  const problems = (): ReturnType<Page['getByRole']> =>
    page.getByRole('region', { name: 'Problems' });

  async function write(change: (definition: Writable) => void): Promise<void> {
    const definition = structuredClone(order) as unknown as Writable;
    change(definition);
    await text().fill(JSON.stringify(definition, undefined, 2));
  }

  it('marks a misspelt field and an unknown type in text and graph, and they stay', async () => {
    await open('definition-editor?name=ui_order&version=1');
    await text().waitFor();
    await write(({ tasks: [charge, , join] }) => {
      Object.assign(charge ?? {}, { inputParameter: {} });
      Object.assign(join ?? {}, { type: 'JION' });
    });
    await problems().getByText('Did you mean inputParameters?').waitFor();
    await problems().getByText('Did you mean JOIN?').waitFor();
    await expect.poll(() => marks('warning').count()).toBe(2);
    await expect.poll(() => graph().locator('.broken').count()).toBe(2);
    // Typing elsewhere leaves the marks where they belong.
    await text().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText('\n\n');
    await expect.poll(() => marks('warning').count()).toBe(2);
    await expect
      .poll(() => page.locator('.cm-line', { hasText: 'JION' }).innerHTML())
      .toMatch(/lint/);
  });

  it('leads from a problem to its task', async () => {
    await problems().getByRole('button', { name: 'Show join' }).click();
    await expect.poll(() => graph().locator('.chosen').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('task')).toBe('join');
  });

  it('marks what the server would refuse without a try to save it', async () => {
    await write((definition) => {
      definition.schemaVersion = 1;
    });
    await problems().getByText('schemaVersion: 2 is only supported').waitFor();
    const line = page.locator('.cm-line', { hasText: 'schemaVersion' });
    await line.locator('.cm-lintRange-error').waitFor();
    // Its ground is marked, and the strip beside the text shows where it is in the whole.
    const ground = page.locator('.cm-problem-line', { hasText: 'schemaVersion' });
    await ground.waitFor();
    expect(await page.locator('.cm-problem-map i').count()).toBe(1);
    await write(() => undefined);
    await problems().waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.cm-problem-map i').count()).toBe(0);
    await expect.poll(() => marks('error').count()).toBe(0);
  });

  it('keeps the last good graph while the text is none', async () => {
    await write(({ tasks: [charge] }) => {
      Object.assign(charge ?? {}, { taskReferenceName: 'charge_it' });
    });
    await graph().locator('.graph-node', { hasText: 'charge_it' }).waitFor();
    await text().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText('{');
    await page.getByText('The graph shows the last text that made sense.').waitFor();
    expect(await graph().locator('.graph-node', { hasText: 'charge_it' }).count()).toBe(1);
    await page.keyboard.press('Backspace');
    await page.getByText('The graph shows the last text').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Discard the draft' }).click();
  });

  it('wraps a long reason and keeps the lines of a stack trace', async () => {
    const id = await fixture.run('ui_order', { amount: 1 });
    await fixture.work('ui_charge', 'FAILED_WITH_TERMINAL_ERROR', stack);
    await open(`executions/${id}`);
    await page.locator('.cause').waitFor();
    const shown = await page.locator('.cause').innerText();
    expect(shown).toMatch(/\n {4}at charge \(y{150}\.js:1:2\)\n {4}at main/);
    expect(await page.locator('.cause pre').evaluate(hiddenPixels)).toBe(0);
    expect(await page.evaluate<number>(overflow)).toBe(0);
  });

  it('keeps the page in shape whatever somebody wrote as a reason', async () => {
    const ends = {
      terminationStatus: 'FAILED',
      terminationReason: '${workflow.input.reason}',
    };
    const stop = { name: 'stop', taskReferenceName: 'stop', type: 'TERMINATE' };
    const name = `ui_${'long_name_'.repeat(15)}`;
    await fixture.define({ ...order, name, tasks: [{ ...stop, inputParameters: ends }] });
    const lines = Array.from({ length: 200 }, (_, line) => `    at charge (charge.js:${line})`);
    const ids = [
      await fixture.run(name, { reason: 'x'.repeat(5000) }),
      await fixture.run(name, { reason: ['Error: card expired', ...lines].join('\n') }),
    ];
    await page.setViewportSize({ width: 390, height: 844 });
    const paths = ['', 'failures?window=1h', 'executions', ...ids.map((id) => `executions/${id}`)];
    for (const path of paths) {
      await open(path);
      await page
        .locator('main')
        .getByText(/x{100}|card expired/)
        .first()
        .waitFor();
      const main = await page.locator('main').evaluate(({ scrollHeight }: Height) => scrollHeight);
      expect(await page.evaluate<number>(overflow), path).toBe(0);
      expect(main, path).toBeLessThan(5000);
    }
    await page.locator('.why summary').click();
    expect(await page.locator('.why pre').innerText()).toContain('at charge (charge.js:199)');
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('says once that the server is away, and asks again when it is back', async () => {
    const id = await fixture.run('ui_order', { amount: 2 });
    await fixture.work('ui_charge', 'FAILED_WITH_TERMINAL_ERROR', 'card expired');
    const running = await fixture.run('ui_order', { amount: 3 });
    for (const path of [`executions/${running}`, `executions/${id}?tab=history`, '']) {
      await open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const unanswered = new Map<string, number>();
      page.on('requestfailed', (request) =>
        unanswered.set(request.url(), (unanswered.get(request.url()) ?? 0) + 1),
      );
      await page.route(/\/(?:api|health)/, (route) => route.abort());
      await fixture.server.kill('SIGTERM');
      await page.getByText('No connection to the server since').waitFor();
      // What is asked for from now on, by a click and by the clock, gets no answer either.
      const tab = page.getByRole('tab', { name: 'Input and output' });
      if (path !== '') await tab.click();
      // A question is asked three times until its part gives up.
      await expect
        .poll(() => [...unanswered].filter(([url, times]) => /api/.test(url) && times > 2).length, {
          timeout: stepTimeoutMs,
        })
        .toBeGreaterThan(0);
      await expect
        .poll(() => page.locator('.note.error, [role=alert]').count(), { message: path })
        .toBe(1);
      await page.unroute(/\/(?:api|health)/);
      await fixture.server.restart();
      await page.getByText('No connection to the server since').waitFor({ state: 'detached' });
      await expect.poll(() => page.locator('.note.error, [role=alert]').count()).toBe(0);
      if (path !== '') await page.getByText('"amount"').first().waitFor();
    }
  });

  it('says once why several parts of a page are not there, and asks for all of them again', async () => {
    await open('');
    const broken = /\/api\/stats/;
    await page.route(broken, (route) =>
      route.fulfill({ status: 403, json: { message: 'Statistics are closed to you.' } }),
    );
    await open('');
    await page.getByText('Statistics are closed to you.').waitFor();
    await expect.poll(() => page.getByText('Not loaded: it says why above.').count()).toBe(2);
    expect(await page.getByText('Statistics are closed to you.').count()).toBe(1);
    await page.unroute(broken);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Not loaded: it says why above.').first().waitFor({ state: 'detached' });
    await page.getByText('Statistics are closed to you.').waitFor({ state: 'detached' });
  });

  it('opens a page that was never opened while the server is away, and goes on after it', async () => {
    await open('');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await expect.poll(() => page.evaluate<string[]>(notFetched)).toEqual([]);
    await fixture.server.kill('SIGTERM');
    await page.getByText('No connection to the server since').waitFor();
    await page.getByRole('link', { name: 'Failures', exact: true }).click();
    await page.getByRole('heading', { name: 'Failures' }).waitFor();
    await page.getByRole('link', { name: 'Definitions', exact: true }).click();
    await page.getByRole('heading', { name: 'Definitions' }).waitFor();
    await fixture.server.restart();
    await page.getByText('No connection to the server since').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'ui_order' }).first().waitFor();
  });

  it('keeps what is typed while the server is away', async () => {
    await open('definition-editor?name=ui_order&version=1');
    await text().waitFor();
    await fixture.server.kill('SIGTERM');
    await write((definition) => {
      Object.assign(definition, { description: 'typed meanwhile' });
    });
    await page.getByText('No connection to the server since').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    expect(await text().innerText()).toContain('typed meanwhile');
    await fixture.server.restart();
    await page.getByText('No connection to the server since').waitFor({ state: 'detached' });
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' });
    await page.getByText('The server is back.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const stored = await fixture.expectOk('GET', '/api/metadata/workflow/ui_order');
    expect(stored).toMatchObject({ description: 'typed meanwhile' });
  });
});

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

interface Height {
  readonly scrollHeight: number;
}

interface Writable {
  schemaVersion: number;
  readonly tasks: readonly object[];
}

/** Runs in the browser: how much of an element is out of sight at its side. */
const hiddenPixels = (element: Box): number => element.scrollWidth - element.clientWidth;

/** Runs in the browser: how much the page is wider than its window. */
const overflow = `document.documentElement.scrollWidth - document.documentElement.clientWidth`;

/** Runs in the browser: code of pages that was not fetched yet. */
const notFetched = `(() => {
  const fetched = performance.getEntriesByType('resource').map(({ name }) => name);
  return document.querySelector('meta[name=page-code]').content.split(' ')
    .filter((file) => !fetched.some((name) => name.endsWith(file)));
})()`;
