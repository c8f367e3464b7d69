// The handbook builds as a site: each link leads to a page and a heading that are there, each page
// is listed, and pieces of code in it can be read by what they are for.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';

interface SiteModule {
  readonly buildSite: (root: string, out: string) => { pages: number };
}

const folder = createFolder();
const site = path.join(folder, 'site');
let build: SiteModule['buildSite'];

beforeAll(async () => {
  const module = path.join(projectRoot, 'site', 'build-site.mjs');
  build = ((await import(module)) as SiteModule).buildSite;
  build(projectRoot, site);
});
afterAll(() => removeFolder(folder));

const sources = fs
  .readdirSync(path.join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .sort();

describe('the site', () => {
  it('has a page for each of the handbook, and lists all of them', () => {
    const list = fs.readFileSync(path.join(site, 'llms.txt'), 'utf8');
    for (const name of sources) {
      const target = name.toLowerCase().replace(/(^|\/)readme\.md$/, '$1index.md');
      expect([target, fs.existsSync(path.join(site, target))]).toEqual([target, true]);
      if (target !== 'index.md') expect(list).toContain(`](${target})`);
    }
  });

  it('is not built where a link leads nowhere, or a page is not listed', () => {
    const root = path.join(folder, 'project');
    for (const part of [
      'docs',
      'site',
      'ui/public',
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
    ]) {
      fs.cpSync(path.join(projectRoot, part), path.join(root, part), { recursive: true });
    }
    const built = (): unknown => build(root, path.join(folder, 'out'));
    fs.appendFileSync(
      path.join(root, 'docs', 'events.md'),
      '\n[there](access.md#no-such-heading)\n',
    );
    expect(built).toThrow('docs/events.md: docs/access.md has no heading #no-such-heading');
    fs.appendFileSync(path.join(root, 'docs', 'events.md'), '\n![there](none.png)\n');
    expect(built).toThrow('docs/events.md: there is no picture docs/none.png');
    fs.writeFileSync(path.join(root, 'docs', 'lost.md'), '# Lost\n');
    expect(built).toThrow('docs/README.md lists no page docs/lost.md');
  });
});

describe.each(['README.md', ...sources.map((name) => path.join('docs', name))])('%s', (name) => {
  const text = fs.readFileSync(path.join(projectRoot, name), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```/gm)];

  it('has JSON that can be parsed and commands that a shell can read', () => {
    for (const [, language, code = ''] of blocks) {
      if (language === 'json') expect(() => JSON.parse(code) as unknown, code).not.toThrow();
      if (language === 'sh' || language === 'bash') {
        const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
        expect([code, status, stderr]).toEqual([code, 0, '']);
      }
    }
  });
});
