// What pages show and do in detail: iterations of a loop, payloads and logs, a queue's leases,
// schedules, webhooks, forms, keys of applications, human tasks, mocks out of a past execution.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { order, PageFixture } from './fixture.js';

const loop = {
  ...{ ...order, name: 'ui_loop' },
  tasks: [
    {
      ...{ name: 'rounds', taskReferenceName: 'rounds', type: 'DO_WHILE' },
      loopCondition: "if ($.rounds['iteration'] < 3) { true; } else { false; }",
      loopOver: [{ name: 'ui_round', taskReferenceName: 'round', type: 'SIMPLE' }],
    },
  ],
};

const ask = {
  ...{ ...order, name: 'ui_ask' },
  tasks: [{ name: 'decide', taskReferenceName: 'decide', type: 'HUMAN' }],
};

const shopWebhook = {
  ...{ name: 'shop', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
  ...{ headers: { 'x-shop': 'known' }, secretValue: 'hidden', workflowsToStart: { ui_ask: 1 } },
};

const clockStepMs = 10;

describe.skipIf(browserMissing !== undefined)('details of pages', () => {
  let fixture: PageFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(order, loop, ask);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(() => fixture?.stop());

  const open = (path: string): Promise<unknown> => page.goto(`${fixture.server.url}/${path}`);
  const drawer = (): ReturnType<Page['getByRole']> => page.getByRole('complementary').first();
  const pane = (): ReturnType<Page['getByRole']> => page.getByRole('complementary');

  it('a loop shows one iteration at a time, in its graph and in its table', async () => {
    const id = await fixture.run('ui_loop');
    await fixture.work('ui_round', 'COMPLETED');
    await fixture.work('ui_round', 'COMPLETED');
    await open(`executions/${id}`);
    const iteration = page.getByRole('combobox', { name: 'Iteration' });
    await expect.poll(() => iteration.inputValue()).toBe('3');
    const node = page.locator('.graph-node').filter({ hasText: 'round' }).last();
    await expect.poll(() => node.getAttribute('data-kind')).toBe('waiting');
    await iteration.selectOption('1');
    await expect.poll(() => node.getAttribute('data-kind')).toBe('completed');
    await open(`executions/${id}?tab=tasks&iteration=2`);
    const rows = page.getByRole('table', { name: 'Tasks' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.last().innerText()).toMatch(/round__2\s+Completed/);
    await fixture.expectOk('DELETE', `/api/workflow/${id}`);
  });

  it('an execution shows the trace that it belongs to', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await fetch(`${fixture.server.url}/api/workflow`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ name: 'ui_loop', version: 1 }),
    });
    const id = await answer.text();
    await open(`executions/${id}`);
    const facts = page.getByRole('list', { name: 'Facts' });
    await expect.poll(() => facts.innerText()).toMatch(/Trace\s+4bf92f35/);
    await expect.poll(() => facts.getByTitle(`Copy ${traceId}`).count()).toBe(1);
    await fixture.expectOk('DELETE', `/api/workflow/${id}`);
  });

  it('a value of a payload is copied as a reference, and what a worker logged is shown', async () => {
    const id = await fixture.run(order.name, { amount: 4, card: { country: 'de' } });
    const [task] = (await fixture.expectOk(
      'GET',
      '/api/tasks/poll/batch/ui_charge?count=1&workerid=ui-worker',
    )) as { taskId: string }[];
    const taskId = task?.taskId ?? '';
    await fixture.expectOk('POST', `/api/tasks/${taskId}/log`, 'the bank has answered');
    await open(`executions/${id}?tab=payloads`);
    const input = page.locator('pre[aria-label=Input]');
    await input.getByText('country').hover();
    await page.getByRole('button', { name: 'Copy ${workflow.input.card.country}' }).waitFor();
    await input.focus();
    for (let line = 0; line < 4; line += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate<string>('navigator.clipboard.readText()'))
      .toBe('${workflow.input.card.country}');
    await open(`executions/${id}?task=${taskId}`);
    await pane().getByLabel('Logs').getByText('the bank has answered').waitFor();
    await pane().getByText('ui-worker').first().waitFor();
    await open('queues/ui_charge');
    const held = page.getByRole('table', { name: 'Open tasks' });
    await held.getByText(/^in \d+ s$/).waitFor();
    await fixture.expectOk('DELETE', `/api/workflow/${id}`);
  });

  it('the doctor of a queue names the domain that workers do not poll', async () => {
    const request = { name: order.name, version: 1, taskToDomain: { ui_charge: 'eu' } };
    const id = String(await fixture.expectOk('POST', '/api/workflow', request));
    await fixture.expectOk('GET', '/api/tasks/poll/ui_charge?workerid=ui-worker');
    await open('queues/ui_charge?domain=eu');
    const doctor = page.getByRole('region', { name: 'Doctor' });
    await doctor.getByText("1 task waits in domain 'eu', but the workers poll").waitFor();
    await doctor.getByText('another taskToDomain at the start').waitFor();
    await fixture.expectOk('DELETE', `/api/workflow/${id}`);
  });

  it('a schedule is told in words, with its next runs, paused with a reason, and run now', async () => {
    await fixture.expectOk('POST', '/api/scheduler/schedules', {
      ...{ name: 'each-morning', cronExpression: '0 0 9 * * *', zoneId: 'Europe/Berlin' },
      startWorkflowRequest: { name: 'ui_ask', version: 1, correlationId: 'by-hand' },
    });
    await open('schedules?id=each-morning');
    await drawer().getByRole('heading', { name: 'At 09:00 AM' }).waitFor();
    const runs = drawer().getByRole('list', { name: 'Next runs' }).getByRole('listitem');
    await expect.poll(() => runs.count()).toBe(5);
    await expect.poll(() => runs.first().innerText()).toMatch(/09:00 Europe\/Berlin .+ here/);
    await drawer().getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog', { name: 'Run now' }).getByRole('button').last().click();
    await drawer().getByText('Id of the execution').waitFor();
    await drawer().getByRole('button', { name: 'Pause' }).click();
    const pause = page.getByRole('dialog', { name: 'Pause' });
    await pause.getByLabel('Reason').fill('the shop is shut');
    await pause.getByRole('button', { name: 'Pause' }).click();
    await drawer().getByRole('button', { name: 'Resume' }).waitFor();
    expect(await fixture.expectOk('GET', '/api/scheduler/schedules/each-morning')).toMatchObject({
      paused: true,
      pausedReason: 'the shop is shut',
    });
  });

  it('a webhook shows its address and what was sent to it, and hides its secret', async () => {
    const { id } = (await fixture.expectOk('POST', '/api/metadata/webhook', shopWebhook)) as {
      id: string;
    };
    await fetch(`${fixture.server.url}/webhook/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-shop': 'known' },
      body: '{"order": 17}',
    });
    await open(`webhooks?id=${id}`);
    await drawer().getByText(`${fixture.server.url}/webhook/${id}`).waitFor();
    const deliveries = drawer().getByRole('region', { name: 'Deliveries' });
    await expect
      .poll(async () => {
        await page.reload();
        await deliveries.waitFor();
        return await deliveries.getByText('took effect').count();
      })
      .toBe(1);
    await deliveries.getByRole('button', { name: 'More' }).click();
    await deliveries.getByText('"order": 17').waitFor();
    expect(await drawer().innerText()).not.toContain('hidden');
  });

  it('a form is shown as a person gets it, and an access key is shown once', async () => {
    await fixture.expectOk('POST', '/api/human/template', {
      ...{ name: 'ui_answer', version: 1, templateUI: {} },
      jsonSchema: { type: 'object', properties: { remark: { type: 'string', title: 'Remark' } } },
    });
    await open('forms?id=ui_answer');
    await drawer().getByRole('region', { name: 'Preview' }).getByLabel('Remark').fill('good');
    const { id } = (await fixture.expectOk('POST', '/api/applications', { name: 'till' })) as {
      id: string;
    };
    await open(`admin/applications?id=${id}`);
    await drawer().getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog', { name: 'New access key' }).getByRole('button').last().click();
    const made = drawer().getByRole('status', { name: 'The new key' });
    await made.waitFor();
    const [, secret = ''] = await made.locator('code').allInnerTexts();
    await page.reload();
    const keys = drawer().getByRole('region', { name: 'Access keys' });
    await keys.getByRole('cell', { name: 'active' }).waitFor();
    expect(secret.length).toBeGreaterThan(20);
    expect(await page.content()).not.toContain(secret);
  });

  it('a human task is kept as a draft, given to somebody else, and skipped', async () => {
    const id = await fixture.run('ui_ask');
    const { tasks } = (await fixture.expectOk('GET', `/api/workflow/${id}`)) as {
      tasks: { taskId: string }[];
    };
    const taskId = tasks[0]?.taskId ?? '';
    await open(`inbox/${taskId}`);
    await page.getByLabel('Output').fill('{ "approved": true }');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Output').inputValue()).toContain('"approved": true');
    await page.getByRole('button', { name: 'Reassign' }).click();
    await page.getByRole('dialog').getByLabel('Id').fill('ann@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
    await page.getByRole('region', { name: 'Context' }).getByText('ann@example.com').waitFor();
    const skip = page.getByRole('button', { name: 'Skip' });
    await skip.click();
    await page.getByText('ann@example.com').waitFor({ state: 'detached' });
    await expect.poll(() => skip.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Complete' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(taskId));
    const ended = await fixture.expectOk('GET', `/api/workflow/${id}`);
    expect(ended).toMatchObject({ status: 'COMPLETED', output: { approved: true } });
  });

  it('a simulated run takes its mocks from a past execution', async () => {
    const id = await fixture.run('ui_loop', { past: 'input' });
    for (let i = 0; i < 3; i += 1) await fixture.work('ui_round', 'COMPLETED');
    await open('definition-editor?name=ui_loop&version=1');
    const trial = page.getByRole('region', { name: 'Try' });
    await trial.getByLabel('Id of a past execution').fill(id);
    await trial.getByRole('button', { name: 'Take its input and outputs' }).click();
    await expect
      .poll(() => trial.getByLabel('Input', { exact: true }).inputValue())
      .toContain('"past": "input"');
    const mocks = trial.getByLabel('Mocks by reference');
    await expect.poll(() => mocks.inputValue()).toContain('round__1');
    await trial.getByRole('button', { name: 'Try', exact: true }).click();
    await trial.getByRole('status').getByText('Completed').waitFor();
  });

  it('grey bars stand for data that takes longer than 200 ms, and for no other', async () => {
    const waiting = await fixture.browser.open(fixture.server.url);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    // Nothing of the stream stands in this list.
    await waiting.route('**/api/metadata/taskdefs*', async (route) => {
      await held;
      await route.continue();
    });
    await waiting.clock.install();
    await waiting.clock.pauseAt(Date.now() + 60_000);
    await waiting.goto(`${fixture.server.url}/task-definitions`);
    /** Moves the clock of the page until something is so; how far, ms. */
    const msUntil = async (isSo: () => Promise<boolean>): Promise<number> => {
      let ms = 0;
      const moved = async (): Promise<boolean> => {
        await waiting.clock.runFor(clockStepMs);
        ms += clockStepMs;
        return await isSo();
      };
      await expect.poll(moved, { interval: 1 }).toBe(true);
      return ms;
    };
    const bars = waiting.getByRole('status', { name: 'Loading' });
    const heading = waiting.getByRole('heading', { name: 'Task definitions', level: 1 });
    await msUntil(() => heading.isVisible());
    const shownAfterMs = await msUntil(() => bars.isVisible());
    // The heading came with the bars' wait, some steps before it was seen here.
    expect(shownAfterMs).toBeGreaterThan(150);
    answer();
    await msUntil(async () => (await bars.count()) === 0);
    await waiting.context().close();
  });

  it('a task definition names the definitions that use it, in whatever depth', async () => {
    const type = { ownerEmail: 'a@b.co', retryCount: 0 };
    const types = ['ui_round', 'ui_unused'].map((name) => ({ ...type, name }));
    await fixture.expectOk('POST', '/api/metadata/taskdefs', types);
    const usedBy = page.getByRole('region', { name: 'Used by' });
    await open('task-definitions/ui_unused');
    await usedBy.getByText('No definition.').waitFor();
    await open('task-definitions/ui_round');
    await expect.poll(() => usedBy.getByRole('listitem').allInnerTexts()).toEqual(['ui_loop']);
    await usedBy.getByRole('link', { name: 'ui_loop' }).click();
    await page.waitForURL('**/definitions/ui_loop');
  });

  it('a task that waits for a place leads to the one that holds it', async () => {
    const limited = { ...{ name: 'ui_limited', taskReferenceName: 'limited', type: 'SIMPLE' } };
    await fixture.define({ ...order, name: 'ui_limits', tasks: [limited] });
    await fixture.expectOk('POST', '/api/metadata/taskdefs', [
      { name: 'ui_limited', ownerEmail: 'a@b.co', concurrentExecLimit: 1, retryCount: 0 },
    ]);
    const holder = await fixture.run('ui_limits');
    const polled = `/api/tasks/poll/ui_limited?workerid=ui-worker`;
    await expect
      .poll(() => fixture.expectOk('GET', polled))
      .toMatchObject({ workflowInstanceId: holder });
    const waits = await fixture.run('ui_limits');
    await open(`executions/${waits}`);
    const why = page.getByRole('region', { name: 'Why', exact: true });
    await why.getByText('waits for a slot: 1 of at most 1').waitFor();
    await why.getByRole('link', { name: 'Held by limited' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/executions/${holder}`));
    await pane().getByText('ui-worker').first().waitFor();
    for (const id of [holder, waits]) await fixture.expectOk('DELETE', `/api/workflow/${id}`);
  });

  it('letter keys do nothing once they are switched off', async () => {
    await open('');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('?');
    await page
      .getByRole('dialog')
      .getByLabel(/letter/i)
      .click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Page, definition, id, business key or words').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(fixture.browser.complaints).toEqual([]);
  });

  it('an error in the browser is counted by the server', async () => {
    await open('');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.evaluate(() => {
      for (const message of ['planted', 'planted']) {
        queueMicrotask(() => {
          throw new Error(message);
        });
      }
      void Promise.reject(new Error('planted as well'));
    });
    const counted = async (): Promise<string[]> => {
      const text = await (await fetch(`${fixture.server.url}/metrics`)).text();
      return (text.match(/^downbeat_page_errors_total.*/gm) ?? []).sort();
    };
    await expect
      .poll(counted)
      .toEqual([
        'downbeat_page_errors_total{kind="promise"} 1',
        'downbeat_page_errors_total{kind="script"} 1',
      ]);
  });

  it('of many errors of one visit the first ten are counted', async () => {
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    let sent = 0;
    page.on('request', (request) => (sent += Number(request.url().endsWith('/api/page-errors'))));
    await page.evaluate(throwing, 15);
    await expect.poll(scriptErrors).toBe(1 + 10);
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.evaluate(throwing, 1);
    await expect.poll(scriptErrors).toBe(1 + 10 + 1);
    await expect.poll(() => sent).toBe(10 + 1);
  });

  /** How many the server has counted. */
  async function scriptErrors(): Promise<number> {
    const text = await (await fetch(`${fixture.server.url}/metrics`)).text();
    return Number(/^downbeat_page_errors_total.kind="script". (\d+)/m.exec(text)?.[1] ?? 0);
  }
});

/** Runs in the browser: so many errors, each another one; resolves when all were thrown. */
async function throwing(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    queueMicrotask(() => {
      throw new Error(`planted ${i}`);
    });
  }
  await Promise.resolve();
}
