// The first five minutes: one click starts a sample that waits for a worker; the worker is copied
// in one of four languages and started; the page says that it is connected, and the execution ends.
// Four clicks and a copied line. The worker fits any other task that waits, too.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';
import {
  goClient,
  isGoClientBuilt,
  javaClient,
  pythonClient,
  sdkProgram,
  type Sdk,
} from '../support/sdks.js';
import { installTimeoutMs } from '../support/tool-cache.js';
import { browserMissing, clicksIn } from './browser.js';
import { order, PageFixture } from './fixture.js';

const galleryPages = fs
  .readdirSync(path.join(projectRoot, 'docs', 'gallery'))
  .filter((name) => name !== 'README.md');
const languages = ['JavaScript', 'Python', 'Java', 'Go'] as const;
type Language = (typeof languages)[number];
const workerMsMax = 60_000;

describe.skipIf(browserMissing !== undefined)('the first five minutes', () => {
  let fixture: PageFixture;
  let page: Page;
  const folder = createFolder();
  beforeAll(async () => {
    fixture = await PageFixture.start('', ['--outbound-allow-inside=true']);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(async () => {
    await fixture?.stop();
    removeFolder(folder);
  });

  it.for(languages)(
    'lead to a finished run of a worker of one’s own in %s: four clicks',
    { timeout: installTimeoutMs + 2 * workerMsMax },
    async (language, { skip }) => {
      const sdk = await sdkOf(language);
      if ('missing' in sdk) {
        tell(sdk.missing);
        return skip(sdk.missing);
      }
      await toTheSample();
      await clicksIn(page);
      await page.getByRole('button', { name: 'Run the sample' }).click();
      await page.getByText('Waiting for your first worker').waitFor();
      await page.getByRole('button', { name: language, exact: true }).click();
      await page.getByRole('button', { name: /^Copy (?:worker\.|FirstWorker|main\.go)/ }).click();
      const program = await page.evaluate<string>('navigator.clipboard.readText()');
      const stop = startWorker(sdk, { language, program, folder });
      try {
        await page.getByText(/^Connected: \S+ asks for first_greet$/).waitFor({
          timeout: workerMsMax,
        });
        const end = page.getByRole('button', { name: 'Run it again' });
        await end.waitFor({ timeout: workerMsMax });
      } finally {
        stop();
      }
      await page
        .getByText(/greeting for Ada/)
        .first()
        .waitFor();
      await page.getByRole('link', { name: 'Open the execution' }).click();
      await page.locator('.page-head').getByText('Completed').waitFor();
      expect(await clicksIn(page)).toBe(4);
    },
  );

  it('offer a worker that fits any task that waits', async () => {
    await fixture.define({
      ...order,
      outputParameters: { receipt: '${charge.output.receipt}' },
    });
    const id = await fixture.run(order.name, { amount: 3 });
    await page.goto(`${fixture.server.url}/executions/${id}`);
    await page.getByRole('link', { name: 'Write a worker for it' }).click();
    await page.getByRole('button', { name: 'JavaScript', exact: true }).click();
    const program = page.getByRole('region', { name: 'worker.mjs' });
    await expect.poll(() => program.innerText()).toContain('taskDefName: "ui_charge"');
    expect(await program.innerText()).toContain('receipt: `receipt for ${inputData.amount}`');
    await fixture.expectOk('GET', '/api/tasks/poll/ui_charge?workerid=ui-worker');
    await page.getByText('Connected: ui-worker asks for ui_charge').waitFor();
  });

  it('start the ten templates and the gallery, and open each in the editor with its mocks', async () => {
    await page.goto(`${fixture.server.url}/templates`);
    const gallery = page.getByRole('region', { name: 'Gallery' }).getByRole('listitem');
    await expect.poll(() => gallery.count()).toBe(galleryPages.length);
    const titles = await page.locator('.templates h2').allInnerTexts();
    expect(titles).toHaveLength(10 + galleryPages.length);
    for (const title of titles) {
      await page.goto(`${fixture.server.url}/templates`);
      await page
        .getByRole('listitem', { name: title, exact: true })
        .getByRole('link', { name: 'Open in the editor' })
        .click();
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      const status = page.getByRole('region', { name: 'Try' }).getByRole('status');
      await expect.poll(() => status.innerText()).toMatch(/^Completed/);
    }
    expect(fixture.browser.complaints).toEqual([]);
  }, 180_000);

  it('show a definition of the gallery in the handbook, as it is there', async () => {
    await page.goto(`${fixture.server.url}/templates`);
    const card = page.getByRole('listitem', { name: 'A loop with a fork in it' });
    await card.getByRole('link', { name: 'Handbook' }).click();
    await page.getByRole('heading', { name: 'A loop with a fork in it' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/gallery/loop.html');
  });

  it('ask for the address of the service that a template calls, and run with it', async () => {
    const service = http.createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const customer = { name: 'Ada', loyal: true };
      response.end(JSON.stringify(request.method === 'GET' ? customer : { order: 'O-7' }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    try {
      await page.goto(`${fixture.server.url}/templates`);
      const card = page.getByRole('listitem', { name: 'Chain of HTTP calls' });
      await card.getByRole('button', { name: 'Run it' }).click();
      const { port } = service.address() as AddressInfo;
      await page.getByLabel('Address').fill(`http://127.0.0.1:${port}`);
      await page.getByLabel('Customer').fill('ada');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.waitForURL('**/executions/*');
      await page.locator('.page-head').getByText('Completed').waitFor();
      const { output } = (await fixture.expectOk(
        'GET',
        `/api/workflow/${page.url().split('/').at(-1)}`,
      )) as { output: unknown };
      expect(output).toEqual({ order: 'O-7' });
    } finally {
      service.close();
    }
  });

  it('register all that a template brings, once, and keep what is there', async () => {
    const card = page.getByRole('listitem', { name: 'Event driven' });
    for (let round = 0; round < 2; round += 1) {
      await page.goto(`${fixture.server.url}/templates`);
      await card.getByRole('button', { name: 'Run it' }).click();
      await page.waitForURL('**/executions/*');
    }
    const handlers = (await fixture.expectOk('GET', '/api/event')) as { name: string }[];
    expect(handlers.map(({ name }) => name)).toEqual(['order_taken_welcomes']);
    const names = await fixture.expectOk('GET', '/api/metadata/workflow/names');
    expect(names).toEqual(expect.arrayContaining(['take_order', 'welcome_customer']));
    expect(fixture.browser.complaints).toEqual([]);
  });

  /** The empty overview at first, else the same button on its own page. */
  async function toTheSample(): Promise<void> {
    const found = (await fixture.expectOk('GET', '/api/workflow/search')) as { totalHits: number };
    const place = found.totalHits === 0 ? '' : 'first-steps';
    await page.goto(`${fixture.server.url}/${place}`);
  }
});

function sdkOf(language: Language): Promise<Sdk> {
  switch (language) {
    case 'JavaScript':
      return Promise.resolve({ command: process.execPath, args: ['--input-type=module', '-e'] });
    case 'Python':
      return pythonClient();
    case 'Java':
      return javaClient();
    case 'Go':
      return isGoClientBuilt()
        ? goClient()
        : Promise.resolve({ missing: 'skipped: the Go client, which takes minutes to build' });
  }
}

interface Copied {
  readonly language: Language;
  readonly program: string;
  readonly folder: string;
}

/** Runs what was copied with the SDK that is here. Returns what ends it and all it has started. */
function startWorker(sdk: Exclude<Sdk, { missing: string }>, copied: Copied): () => void {
  const [command, ...args] = commandOf(sdk, copied);
  const child = spawn(command, args, { cwd: projectRoot, detached: true, stdio: 'inherit' });
  const { pid = 0 } = child;
  return () => {
    if (pid > 0 && child.exitCode === null) process.kill(-pid, 'SIGKILL');
  };
}

function commandOf(
  { command, args }: Exclude<Sdk, { missing: string }>,
  { language, program, folder }: Copied,
): readonly [string, ...string[]] {
  const file = (name: string): string => {
    fs.writeFileSync(path.join(folder, name), program);
    return path.join(folder, name);
  };
  switch (language) {
    case 'JavaScript':
      return [command, ...args, program];
    case 'Python':
      return [command, ...args, file('worker.py')];
    case 'Java':
      return [command, ...args, file('FirstWorker.java')];
    case 'Go': {
      for (const name of ['go.mod', 'go.sum']) {
        fs.copyFileSync(sdkProgram('go', name), path.join(folder, name));
      }
      const worker = path.join(folder, 'worker');
      file('main.go');
      const offline = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod' };
      execFileSync('go', ['build', '-o', worker, '.'], { cwd: folder, env: offline });
      return [worker];
    }
  }
}
