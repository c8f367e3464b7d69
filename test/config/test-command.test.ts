// `npm test` on the build machine gives failed files another try alone, and takes it for nothing
// where an error that no test caught stood beside the failure.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';

const config = `export default { test: { globals: true, projects: [
  { extends: true, test: { name: 'unit', include: ['*.test.mjs'] } },
] } };
`;
/** Fails in the first run of the file only. */
const once = `import fs from 'node:fs';
const marker = new URL('ran', import.meta.url);
const isFirst = !fs.existsSync(marker);
fs.writeFileSync(marker, '');
it('fails once', () => expect(isFirst).toBe(false));
`;
const uncaught = `it('rejects behind its back', () => {
  if (isFirst) void Promise.reject(new Error('nobody caught this'));
});
`;

let folder: string;
beforeEach(() => (folder = createFolder()));
afterEach(() => removeFolder(folder));

function npmTest(test: string): { readonly code: number | null; readonly said: string } {
  fs.writeFileSync(path.join(folder, 'vitest.config.mjs'), config);
  fs.writeFileSync(path.join(folder, 'some.test.mjs'), test);
  const args = ['bin/test.mjs', 'unit', '--root', folder];
  // A runner that starts another one must not look like its worker.
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...Object.fromEntries(env), CI: 'true' },
  });
  return { code: status, said: stdout + stderr };
}

describe('npm test of a file that fails once', { timeout: 60_000 }, () => {
  it('passes alone, and says so', () => {
    const { code, said } = npmTest(once);
    expect(said).toMatch(/failed beside others, passed alone: .*fails once/);
    expect(said).toMatch(/^1 passed, 0 failed$/m);
    expect(code).toBe(0);
  });

  it('stays red where an error was not caught, and tells that error', () => {
    const { code, said } = npmTest(once + uncaught);
    expect(said).toContain('an error that no test caught: nobody caught this');
    expect(said).toMatch(/^1 passed, 1 failed$/m);
    expect(code).toBe(1);
  });
});
