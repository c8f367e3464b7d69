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
const widths = [1280, 390];
/** Which answers come late: whatever the order, nothing may jump. */
const late = {
  'answers come at once': /^never$/,
  'details come late':
    /\/(?:why|log|stats\/(?:rates|workflows)|nextFewSchedules)$|^\/api\/(?:tasks|metadata\/taskdefs)\//,
  'the main answer comes late': /\/(?:outline|latest-versions|stats\/queues|scheduler\/schedules)$/,
} as const;

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

  it('the outline of 10,000 tasks is asked for once', async () => {
    const page = await fixture.browser.open('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.endsWith('/outline')) asked.push(`outline${search}`);
    });
    const checked = page.waitForResponse((answer) => answer.url().endsWith('includeTasks=false'));
    await page.goto(`${fixture.server.url}/executions/${large}`);
    await page.getByRole('region', { name: 'Graph of the tasks' }).waitFor();
    const { tasks } = (await (await checked).json()) as { tasks: { rows: unknown[] } };
    expect(tasks.rows).toEqual([]);
    await page.evaluate(manyFrames);
    expect(asked).toEqual(['outline', 'outline?includeTasks=false']);
    await page.context().close();
  });

  it('its JSON comes in portions of 100 tasks, never as a whole', async () => {
    const page = await fixture.browser.open('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${fixture.server.url}/executions/${large}?tab=json`);
    await page.getByText('Tasks 1 to 100 of 10,002').waitFor({ timeout: 40_000 });
    await page.getByRole('button', { name: 'Later tasks' }).click();
    await page.getByText('Tasks 101 to 200 of 10,002').waitFor();
    const shown = page.getByRole('region', { name: 'The execution as JSON' });
    await expect.poll(() => shown.innerText()).toContain('_ui_letter_110');
    expect(asked.filter((url) => url.includes('includeTasks=true'))).toEqual([]);
    await page.context().close();
  });

  const several = ['executions/{failed}', 'executions/{waiting}', 'executions/{wide}'];
  const tables = ['definitions', 'queues/ui_ship', 'schedules'];
  const others = ['', 'executions', 'definitions/ui_order', 'failures', 'queues', 'operations'];
  const loading = [...several, ...tables, ...others, 'inbox', 'admin/users'];
  describe.each(widths)('%i px wide', (width) => {
    it.each([
      ...loading.map((address) => [address, 'answers come at once'] as const),
      ...[...several, ...tables].flatMap((address) => [
        [address, 'details come late'] as const,
        [address, 'the main answer comes late'] as const,
      ]),
    ])('nothing jumps while /%s loads and %s', async (address, order) => {
      const page = await fixture.browser.open('about:blank', { width });
      await page.addInitScript(countShifts);
      await page.route(
        ({ pathname }) => late[order].test(pathname),
        async (route) => {
          await page.evaluate(manyFrames);
          await route.continue();
        },
      );
      await page.goto(`${fixture.server.url}/${addressOf(address, places)}`);
      await page.locator('h1').first().waitFor();
      await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined);
      const { sum, moved } = await page.evaluate<Shifts>('window.shifts');
      expect(sum, moved.join('\n')).toBeLessThanOrEqual(shiftMax);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.context().close();
    });
  });
});

/** Runs in the browser: long enough for everything else to be drawn. */
const manyFrames = `(async () => {
  for (let frame = 0; frame < 25; frame += 1) await new Promise(requestAnimationFrame);
})()`;

interface Shifts {
  readonly sum: number;
  /** Which elements moved, from where to where: x, y, width, height. */
  readonly moved: readonly string[];
}

/** Runs in the browser, before the page: adds up by how much things move by themselves. */
const countShifts = `{
  const shifts = (window.shifts = { sum: 0, moved: [] });
  const boxOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  const nameOf = (node) => node?.outerHTML?.slice(0, 80) ?? node?.textContent?.slice(0, 40);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      shifts.sum += value;
      for (const { node, previousRect, currentRect } of sources)
        shifts.moved.push(
          value.toFixed(4) + ' ' + nameOf(node) + ': ' + boxOf(previousRect) + ' to ' + boxOf(currentRect),
        );
    }
  }).observe({ type: 'layout-shift', buffered: true });
}`;
