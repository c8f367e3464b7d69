import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areaFindings } from '../../src/server/build-fsck.js';
import { findingKinds } from '../../src/fsck/finding.js';
import { readModules } from './source-tree.js';

const read = (file: string): string =>
  fs.readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('the documentation', () => {
  it('says of every folder of the source what lives there', () => {
    const folders = fs
      .readdirSync(new URL('../../src/', import.meta.url), { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => name);
    const layout = read('docs/architecture.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split(' | ')[0]);
    const named = new Set(layout.flatMap((cell = '') => cell.match(/(?<=`)[\w-]+(?=`)/g) ?? []));
    expect(folders.filter((name) => !named.has(name))).toEqual([]);
  });

  it('counts the scripts as they are', () => {
    const scripts = fs
      .readdirSync(new URL('../../src/', import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.lua') && !path.includes('scripts/lib/'));
    expect(scripts).toHaveLength(20);
    expect(read('docs/invariants.md')).toContain('There are twenty scripts:');
  });

  it('says of every folder of tests what it is for', () => {
    const root = new URL('../../test/', import.meta.url);
    const folders = fs
      .readdirSync(root, { withFileTypes: true })
      .filter((one) => one.isDirectory());
    const page = read('docs/testing.md');
    const unnamed = folders.filter(({ name }) => !page.includes(`\`test/${name}\``));
    expect(unnamed.map(({ name }) => name)).toEqual([]);
  });

  it('lists every kind of violation with the promise that it breaks, and no other', () => {
    const rows = [...read('docs/fsck.md').matchAll(/^\| `([\w-]+)` \| (I\d+) \|/gm)];
    const kinds = { ...findingKinds, ...areaFindings };
    expect(Object.fromEntries(rows.map(([, kind, promise]) => [kind, promise]))).toEqual(kinds);
  });

  it('calls nothing unserved that an endpoint serves', () => {
    const pages = ['docs/contract-core.md', 'docs/contract-admin.md'].map(read);
    const unserved = pages.flatMap((page) =>
      [...(/^Not served yet: .*$/m.exec(page)?.[0].matchAll(/`([^`]+)`/g) ?? [])].map(
        (one) => one[1],
      ),
    );
    expect(unserved.length).toBeGreaterThan(0);
    const code = readModules('src/api').map(({ path, text }) => ({
      path,
      lines: text.split('\n').filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line)),
    }));
    const served = unserved.flatMap((prefix = '') =>
      code
        .filter(({ lines }) =>
          lines.some((line) => new RegExp(`['\`]${prefix}(?![\\w-])`).test(line)),
        )
        .map(({ path }) => `${path} serves ${prefix}`),
    );
    expect(served).toEqual([]);
  });
});
