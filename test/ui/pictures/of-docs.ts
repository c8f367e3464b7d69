// The pictures of README and docs: a few pages of a server with a small shop in it, as one opens
// them. `npm run screenshots -- --docs` draws them into docs/pictures.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { projectRoot } from '../../../testkit/project.js';
import { readPageTemplates, workersOf, type PageTemplate } from '../../support/page-templates.js';
import { until } from '../../../testkit/until.js';
import type { PageFixture } from '../fixture.js';
import { compare } from './compare.js';

const folder = path.join(projectRoot, 'docs', 'pictures');
const size = { width: 1280, height: 800 };
const orders = 14;

interface Named {
  readonly workflowId: string;
}

/** Fills the server and draws; `fixture` has nothing in it yet. */
export async function drawPictures(fixture: PageFixture): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  const failed = await fillShop(fixture);
  const page = await fixture.browser.open(fixture.server.url, size);
  const helper = await fixture.browser.open('about:blank');
  await page.setViewportSize(size);
  await shot(page, 'overview', '', () => page.getByText('Needs attention').waitFor());
  await shot(page, 'execution', `executions/${failed}`, async () => {
    await page.getByRole('region', { name: 'Graph of the tasks' }).waitFor();
  });
  await shot(page, 'editor', 'definition-editor?template=saga&task=ship_order', async () => {
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByRole('region', { name: 'Try' }).getByText('Completed').first().waitFor();
  });
  await shot(page, 'templates', 'templates', () => page.getByText('Sub-workflows').waitFor());
  await shot(page, 'first-steps', 'first-steps', async () => {
    await page.getByRole('button', { name: 'Run the sample' }).click();
    await page.getByText('Waiting for your first worker').waitFor();
  });

  async function shot(
    shown: Page,
    name: string,
    address: string,
    ready: () => Promise<unknown>,
  ): Promise<void> {
    await shown.goto(`${fixture.server.url}/${address}`);
    await ready();
    await shown.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined);
    const png = await shown.screenshot();
    const { small } = await compare(helper, png, { scale: 1 });
    fs.writeFileSync(path.join(folder, `${name}.webp`), Buffer.from(small, 'base64'));
  }
}

/** Orders that end, one whose carrier refuses, and some that wait; the id of the one that fails. */
async function fillShop(fixture: PageFixture): Promise<string> {
  const all = readPageTemplates();
  const shop = ['saga', 'approval', 'polling'].map((id) => all.get(id) as PageTemplate);
  for (const { taskDefinitions, workflows } of shop) {
    await fixture.expectOk('POST', '/api/metadata/taskdefs', taskDefinitions);
    await fixture.expectOk('PUT', '/api/metadata/workflow', workflows);
  }
  const start = async (name: string, correlationId: string, input: object): Promise<string> =>
    String(
      await fixture.expectOk('POST', '/api/workflow', { name, version: 1, correlationId, input }),
    );
  const [saga] = shop as [PageTemplate];
  for (let number = 1; number <= orders; number += 1) {
    await start('saga_order', `order-${1040 + number}`, { order: `A-${number}`, amount: 40 });
  }
  for (const type of ['reserve_stock', 'charge_card']) await workAll(fixture, type, saga, orders);
  await fixture.work('ship_order', 'FAILED', 'The carrier does not deliver to this address');
  for (const type of ['refund_card', 'release_stock']) await workAll(fixture, type, saga, 1);
  await workAll(fixture, 'ship_order', saga, orders - 5);
  await start('approve_expense', 'trip-12', { amount: 250, purpose: 'a train ticket' });
  const found = async (): Promise<string | undefined> => {
    const query = encodeURIComponent('workflowType = saga_order AND status = FAILED');
    const answer = await fixture.expectOk('GET', `/api/workflow/search?query=${query}`);
    return (answer as { results: readonly Named[] }).results[0]?.workflowId;
  };
  return await until('the order that failed', found);
}

/** What workers do with the first tasks of a type. */
async function workAll(
  fixture: PageFixture,
  type: string,
  template: PageTemplate,
  number: number,
): Promise<void> {
  const result = workersOf(template)[type]?.({} as never, 0);
  const output = typeof result === 'object' ? result.output : {};
  for (let at = 0; at < number; at += 1) await fixture.work(type, 'COMPLETED', '', output);
}
