// Every page, in both themes, wide and narrow, full and below a base path: axe finds nothing, the
// browser reports nothing, no other host is called, nothing is wider than the window.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const basePath = '/tools/downbeat';

const pages = [
  ['', 'Overview'],
  ['executions', 'Executions'],
  ['executions/{id}', 'ui_order'],
  ['executions/{id}?tab=tasks', 'ui_order'],
  ['executions/{id}?tab=timeline', 'ui_order'],
  ['executions/{id}?tab=payloads', 'ui_order'],
  ['executions/{id}?tab=history', 'ui_order'],
  ['executions/{id}?tab=compare&compare={other}', 'ui_order'],
  ['executions/{id}?at=9999999999999', 'ui_order'],
  ['executions/{id}?tab=json', 'ui_order'],
  ['executions/{id}?task={task}', 'ui_order'],
  ['failures', 'Failures'],
  ['run?name=ui_order', 'Run ui_order'],
  ['definitions', 'Definitions'],
  ['definitions/ui_order', 'ui_order'],
  ['definitions/ui_order?tab=versions', 'ui_order'],
  ['definition-editor?name=ui_order&version=1', 'ui_order'],
  ['task-definitions', 'Task definitions'],
  ['task-definitions/ui_charge', 'ui_charge'],
  ['queues', 'Queues'],
  ['queues/ui_charge', 'ui_charge'],
  ['schedules', 'Schedules'],
  ['admin/users', 'Users'],
  ['admin/groups', 'Groups'],
  ['admin/applications', 'Applications'],
  ['admin/roles', 'Roles'],
  ['admin/secrets', 'Secrets'],
  ['admin/environment', 'Environment'],
  ['admin/audit', 'Audit log'],
  ['webhooks', 'Webhooks'],
  // Those of the other registries are the same page with other columns.
  ['prompts', 'Prompts'],
  ['outgoing-webhooks', 'Outgoing webhooks'],
  ['forms', 'Forms'],
  ['bulk-jobs', 'Bulk jobs'],
  ['bulk-jobs/{job}', 'Terminate 1 execution'],
  ['inbox', 'Inbox'],
  ['nowhere', 'No such page'],
] as const;

describe.skipIf(browserMissing !== undefined)('every page', () => {
  let fixture: PageFixture;
  let id: string;
  let other: string;
  let job: string;
  const opened = new Map<string, Page>();
  beforeAll(async () => {
    fixture = await PageFixture.start(basePath);
    await fixture.define(order);
    id = await fixture.run(order.name, { amount: 1 });
    await fixture.work('ui_charge', 'FAILED', 'card was declined');
    await fixture.expectOk('POST', `/api/workflow/${id}/retry`);
    await fixture.work('ui_charge', 'FAILED', 'card was declined again');
    other = await fixture.run(order.name, { amount: 2 });
    const request = { action: 'terminate', query: `workflowType = ${order.name}` };
    job = ((await fixture.expectOk('POST', '/api/bulk-jobs', request)) as { jobId: string }).jobId;
    const root = `${fixture.server.url}${basePath}/`;
    opened.set('light', await fixture.browser.open(root, { theme: 'light' }));
    const dark = { theme: 'dark', width: 390, reducedMotion: true } as const;
    opened.set('dark and narrow', await fixture.browser.open(root, dark));
  });
  afterAll(() => fixture?.stop());

  describe.each(['light', 'dark and narrow'])('%s', (look) => {
    it.each(pages)('/%s', async (path, title) => {
      const page = opened.get(look) as Page;
      const places = { id, other, job, task: await firstTask() };
      const address = path.replace(/\{(\w+)\}/g, (_all, name: keyof typeof places) => places[name]);
      await page.goto(`${fixture.server.url}${basePath}/${address}`);
      await page.locator('h1', { hasText: title }).first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => undefined);
      expect(await findingsOf(page)).toEqual([]);
      expect(await page.evaluate<number>(overflowOf)).toBeLessThanOrEqual(0);
      expect(fixture.browser.complaints.splice(0)).toEqual([]);
    });
  });

  async function firstTask(): Promise<string> {
    const workflow = await fixture.expectOk('GET', `/api/workflow/${id}`);
    return (workflow as { tasks: { taskId: string }[] }).tasks[0]?.taskId ?? '';
  }
});

interface Findings {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Runs in the browser. */
const runAxe = `axe.run(document, {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
})`;

/** Runs in the browser: pixels that the document is wider than the window. */
const overflowOf = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<Findings>(runAxe);
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
