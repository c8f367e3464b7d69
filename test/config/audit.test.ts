// `npm run audit` against a registry of the test's own, and the job that runs it each morning.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { startLocalRegistry, type LocalRegistry } from '../support/local-registry.js';
import { projectRoot } from '../../testkit/project.js';

const timeoutMs = 120_000;
const weakness = {
  ...{ id: 1, url: 'https://example.org/1', title: 'it is weak', severity: 'high' },
  vulnerable_versions: '<999',
};

let registry: LocalRegistry | undefined;
let home: string | undefined;
afterEach(async () => {
  await registry?.close();
  if (home !== undefined) removeFolder(home);
});

async function audit(
  advisories: object | undefined,
): Promise<{ code: number; stdout: string; stderr: string }> {
  registry = await startLocalRegistry(path.join(projectRoot, 'node_modules'), advisories);
  home = createFolder();
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: home,
    npm_config_registry: registry.url,
    npm_config_fetch_retries: '0',
  };
  return await new Promise((resolve) => {
    const script = path.join(projectRoot, 'bin', 'audit.mjs');
    execFile(process.execPath, [script], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

it.each([
  ['nothing is known', {}, 0, /^0 of \d+ packages have known weaknesses\n$/, /^$/],
  [
    'a package of the server is weak',
    { undici: [weakness] },
    1,
    /^1 of \d+ packages/,
    /^undici \S+ \(high\): it is weak https:\/\/example\.org\/1\n/,
  ],
  [
    'a bundled package is weak',
    { ioredis: [weakness] },
    1,
    /^\d+ of \d+ packages/,
    /^ioredis \S+ \(high\): it is weak/m,
  ],
  [
    'a package for tests is weak',
    { 'axe-core': [weakness] },
    0,
    /^0 of \d+ packages/,
    /^only for development: axe-core /,
  ],
  ['nobody answers', undefined, 2, /^$/, /^The registry does not tell of weaknesses \(.*404/],
] as const)(
  'where %s it says so by its exit code',
  { timeout: timeoutMs },
  async (_case, advisories, code, said, listed) => {
    const ran = await audit(advisories);
    expect(ran).toMatchObject({
      ...{ code, stdout: expect.stringMatching(said), stderr: expect.stringMatching(listed) },
    });
  },
);

it('runs each morning, and its failure fails the job', () => {
  const read = (name: string): string => fs.readFileSync(path.join(projectRoot, name), 'utf8');
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect(scripts['audit']).toBe('node bin/audit.mjs');
  const workflow = parse(read('.github/workflows/audit.yml')) as {
    on: { schedule: { cron: string }[] };
    jobs: { audit: { 'continue-on-error'?: boolean; steps: Record<string, unknown>[] } };
  };
  expect(workflow.on.schedule[0]?.cron).toMatch(/^\d+ \d+ \* \* \*$/);
  const { steps, 'continue-on-error': goesOn } = workflow.jobs.audit;
  const step = steps.find(({ run }) => run === 'npm run audit');
  expect(step).toEqual({ run: 'npm run audit' });
  expect(goesOn).toBeUndefined();
});
