import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { committedFiles, readProjectFile } from './source-tree.js';

const textFiles = committedFiles().filter((name) => !/\.(?:wasm|png|ico|gz|zip)$/.test(name));

/** The host that packages come from on this machine. */
function registryHost(): string {
  const url =
    process.env['npm_config_registry'] ??
    execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  return new URL(url).host;
}

describe('the repository', () => {
  it('names no package registry', () => {
    const host = registryHost();
    const usual = new RegExp(
      ['npmjs[.]org', 'pypi[.]org', 'golang[.]org/dl', 'maven[.]org', '^registry='].join('|'),
      'm',
    );
    const naming = textFiles.filter((name) => {
      const text = readProjectFile(name);
      return text.includes(host) || usual.test(text);
    });
    expect(naming.filter((name) => name !== 'test/structure/repository.test.ts')).toEqual([]);
  });

  it.each(textFiles.filter((name) => path.basename(name) === 'package-lock.json'))(
    'records no download addresses in %s, nor where it is written again',
    (name) => {
      const lock = readProjectFile(name);
      expect(lock).toContain('"integrity"');
      // Of a workspace it is the folder that npm links to.
      const places = [...lock.matchAll(/"resolved": "([^"]*)"/g)];
      const others = places.filter(
        ([, place = '']) => !/^(?:plugins|packages)\/[a-z-]+$/.test(place),
      );
      expect(others).toEqual([]);
      const settings = readProjectFile(path.join(path.dirname(name), '.npmrc'));
      expect(settings).toMatch(/^omit-lockfile-registry-resolved=true$/m);
    },
  );

  it('locks every package with its digest', () => {
    const lock = JSON.parse(readProjectFile('package-lock.json')) as {
      packages: Record<string, { integrity?: string; link?: boolean; inBundle?: boolean }>;
    };
    const loose = Object.entries(lock.packages)
      .filter(([name]) => name !== '' && !/^(?:plugins|packages)\//.test(name))
      .filter(([, entry]) => !entry.link && !entry.inBundle && !entry.integrity)
      .map(([name]) => name);
    expect(loose).toEqual([]);
  });
});
