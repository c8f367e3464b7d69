// The page stays small, and opens an execution of 10,000 tasks at once.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/project.js';
import { browserMissing, buildPage } from './browser.js';
import { PageFixture } from './fixture.js';

const assets = path.join(projectRoot, 'dist', 'ui', 'assets');

/** Bytes of the compressed form. */
function compressed(name: string): number {
  return fs.statSync(path.join(assets, `${name}.gz`)).size;
}

describe('the built page', () => {
  beforeAll(() => buildPage());

  it('loads at most 180 kB of scripts before its first page', () => {
    const index = fs.readFileSync(path.join(projectRoot, 'dist', 'ui', 'index.html'), 'utf8');
    const first = [...index.matchAll(/assets\/([\w-]+\.js)/g)].map(([, name]) => name as string);
    const bytes = first.reduce((sum, name) => sum + compressed(name), 0);
    expect(first.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(180_000);
  });

  it('keeps the editor below 145 kB', () => {
    const parts = fs.readdirSync(assets).filter((name) => /^(?:theme|editor)-.*\.js$/.test(name));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.reduce((sum, name) => sum + compressed(name), 0)).toBeLessThan(145_000);
  });
});

const branches = 10_000;
/** The budget is 1 s on an idle machine; tests share theirs. */
const openMsMax = 5_000;

describe.skipIf(browserMissing !== undefined)('an execution of 10,000 tasks', () => {
  let fixture: PageFixture;
  beforeAll(async () => {
    fixture = await PageFixture.start();
    await fixture.define(wideDefinition);
  });
  afterAll(() => fixture?.stop());

  it('opens, shows its tasks, and keeps few of them in the document', async () => {
    const forkInputs = Array.from({ length: branches }, (_, index) => ({ index }));
    const id = await fixture.run('ui_wide', { forkInputs });
    const page = await fixture.browser.open(fixture.server.url);
    const begin = performance.now();
    await page.goto(`${fixture.server.url}/executions/${id}?tab=tasks`);
    await page.getByRole('tab', { name: `Tasks (${branches + 2})` }).waitFor();
    await page.getByRole('row').nth(10).waitFor();
    expect(performance.now() - begin).toBeLessThan(openMsMax);
    expect(await page.getByRole('row').count()).toBeLessThan(200);
  });
});

const wideDefinition = {
  ...{ name: 'ui_wide', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 },
  tasks: [
    {
      name: 'fork',
      taskReferenceName: 'fork',
      type: 'FORK_JOIN_DYNAMIC',
      inputParameters: {
        forkTaskName: 'ui_branch',
        forkTaskInputs: '${workflow.input.forkInputs}',
      },
    },
    { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
  ],
};
