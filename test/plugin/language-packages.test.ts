// jq and JSON paths as packages that anybody can use alone: compiled, and loaded from a folder that
// holds nothing else but what their package.json names.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';

let folder: string;
beforeAll(() => (folder = createFolder()));
afterAll(() => removeFolder(folder));

/** What a script prints that can import the package alone. */
function outputOf(name: string, script: string): unknown {
  const modules = path.join(projectRoot, 'node_modules');
  const own = path.join(projectRoot, 'packages', name);
  const target = path.join(folder, 'node_modules', '@downbeat', name);
  fs.mkdirSync(target, { recursive: true });
  fs.copyFileSync(path.join(own, 'package.json'), path.join(target, 'package.json'));
  const compiler = path.join(modules, 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', own, '--outDir', path.join(target, 'dist')]);
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(own, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const each of Object.keys(dependencies)) {
    const link = path.join(folder, 'node_modules', each);
    if (!fs.existsSync(link)) fs.symlinkSync(path.join(modules, each), link);
  }
  const file = path.join(folder, `${name}.mjs`);
  fs.writeFileSync(file, script);
  return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' }));
}

// Each is compiled, which takes long on a busy machine.
describe('a language of definitions as a package', { timeout: 120_000 }, () => {
  it('jq runs programs within a budget', () => {
    const script = `import { jq, JqLimit } from '@downbeat/jq';
      const adults = jq('.users[] | select(.age >= 18) | .name');
      const found = adults({ users: [{ name: 'Ada', age: 36 }, { name: 'Tim', age: 9 }] });
      let limit = false;
      try { jq('[range(1e9)]')(null, { stepsMax: 10000 }); } catch (error) { limit = error instanceof JqLimit; }
      console.log(JSON.stringify([found, limit, jq('test("a+b")')('xaab')]));`;
    expect(outputOf('jq', script)).toEqual([['Ada'], true, [true]]);
  });

  it('JSON paths lead to values', () => {
    const script = `import { jsonPath } from '@downbeat/json-path';
      const books = { books: [{ title: 'A', price: 8 }, { title: 'B', price: 12 }] };
      const cheap = jsonPath('$.books[?(@.price < 10)].title')(books);
      console.log(JSON.stringify([cheap, jsonPath('$.none')(books), jsonPath('$[') === undefined]));`;
    expect(outputOf('json-path', script)).toEqual([['A'], null, true]);
  });
});
