// What a slow line and an eye notice: how much is sent until a list, and an execution of 10,000
// tasks, can be used (so that 5 Mbit/s do it within 1.5 s), and that nothing jumps while a page
// loads.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { PageFixture } from './fixture.js';
import { fillServer } from './full-server.js';
import { addressOf, type Places } from './page-list.js';

/** 5 Mbit/s for 1.5 s, less 0.3 s of ways to and fro. */
const bytesMax = (5_000_000 / 8) * 1.2;
const shiftMax = 0.05;
const branches = 10_000;

const wide = {
  ...{ name: 'ui_ten_thousand', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2 },
  timeoutSeconds: 0,
  tasks: [
    {
      ...{ name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN_DYNAMIC' },
      inputParameters: { forkTaskName: 'ui_letter', forkTaskInputs: '${workflow.input.items}' },
    },
    { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
  ],
};

describe.skipIf(browserMissing !== undefined)('on a slow line', () => {
  let fixture: PageFixture;
  let places: Places;
  let large: string;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    places = await fillServer(fixture);
    await fixture.define(wide);
    const items = Array.from({ length: branches }, (_, number) => ({ number }));
    large = await fixture.run(wide.name, { items });
  });
  afterAll(() => fixture?.stop());

  /** A tab with nothing in its cache, and what is sent to it. */
  async function counted(): Promise<{ page: Page; bytes: () => number }> {
    const page = await fixture.browser.open('about:blank');
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.dataReceived', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    return { page, bytes: () => bytes };
  }

  it('a list takes few enough bytes until it can be used', async () => {
    const { page, bytes } = await counted();
    await page.goto(`${fixture.server.url}/executions`);
    await page.getByRole('row').nth(3).waitFor();
    expect(bytes()).toBeGreaterThan(50_000);
    expect(bytes()).toBeLessThan(bytesMax);
    await page.context().close();
  });

  it('so does an execution of 10,000 tasks', async () => {
    const { page, bytes } = await counted();
    await page.goto(`${fixture.server.url}/executions/${large}`);
    await page.getByRole('region', { name: 'Graph of the tasks' }).waitFor();
    expect(bytes()).toBeLessThan(bytesMax);
    await page.context().close();
  });

  it.each([
    ...['', 'executions', 'executions/{failed}', 'executions/{wide}', 'definitions', 'failures'],
    ...['definitions/ui_order', 'queues', 'queues/ui_ship', 'operations', 'inbox', 'admin/users'],
  ])('nothing jumps while /%s loads', async (address) => {
    const page = await fixture.browser.open('about:blank');
    await page.addInitScript(countShifts);
    await page.goto(`${fixture.server.url}/${addressOf(address, places)}`);
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined);
    expect(await page.evaluate<number>('window.shiftSum')).toBeLessThanOrEqual(shiftMax);
    await page.context().close();
  });
});

/** Runs in the browser, before the page: adds up by how much things move by themselves. */
const countShifts = `window.shiftSum = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries())
      if (!hadRecentInput) window.shiftSum += value;
  }).observe({ type: 'layout-shift', buffered: true });`;
