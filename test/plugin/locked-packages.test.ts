// What has to be installed for the server and for chosen plug-ins, from the lock file alone.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  closureOf,
  corePackages,
  holdsPackages,
  lockOf,
  readLock,
} from '../../bin/lib/locked-packages.mjs';
import { serverPackages } from '../../bin/lib/packages.mjs';
import { projectRoot } from '../../testkit/project.js';

const lock = {
  '': { dependencies: { a: '1' } },
  'node_modules/a': { version: '1.0.0', integrity: 'x', dependencies: { b: '1' } },
  'node_modules/b': { version: '1.0.0' },
  'node_modules/a/node_modules/b': { version: '2.0.0' },
  'node_modules/@downbeat/plugin-p': { link: true, resolved: 'plugins/p' },
  'plugins/p': { version: '0.1.0', dependencies: { b: '1', c: '1' } },
  'plugins/p/node_modules/c': { version: '3.0.0', optional: true },
};

describe('the packages that something needs', () => {
  it('are those that Node would find from there', () => {
    expect(closureOf(lock, ['a'])).toEqual(['node_modules/a', 'node_modules/a/node_modules/b']);
    expect(corePackages(lock)).toEqual(closureOf(lock, ['a']));
  });

  it('are for a plug-in its link and what its folder needs', () => {
    expect(closureOf(lock, ['@downbeat/plugin-p'])).toEqual([
      ...['node_modules/@downbeat/plugin-p', 'node_modules/b', 'plugins/p/node_modules/c'],
    ]);
  });

  it('are held when each is there as it is locked, a link too; optional ones may be absent', () => {
    const wanted = closureOf(lock, ['a', '@downbeat/plugin-p']);
    const { 'plugins/p/node_modules/c': _optional, ...installed } = lock;
    expect(holdsPackages(lock, installed, wanted)).toBe(true);
    const { 'node_modules/@downbeat/plugin-p': _link, ...unlinked } = installed;
    expect(holdsPackages(lock, unlinked, wanted)).toBe(false);
    const other = { ...installed, 'node_modules/a': { version: '1.0.1', integrity: 'x' } };
    expect(holdsPackages(lock, other, wanted)).toBe(false);
  });

  it('of this server leave out what plug-ins bring', () => {
    const core = corePackages(readLock());
    expect(core).toContain('node_modules/undici');
    const ofPlugins = ['pg', 'pdfkit', '@platformatic/kafka', '@modelcontextprotocol/sdk'];
    expect(core.filter((place) => ofPlugins.includes(place.slice(13)))).toEqual([]);
  });

  it('of a fresh start are few: what runs the server, and what builds it', () => {
    const text = (name: string): string => fs.readFileSync(path.join(projectRoot, name), 'utf8');
    const parts = lockOf({
      manifest: JSON.parse(text('package.json')) as Record<string, unknown>,
      lock: JSON.parse(text('package-lock.json')) as { packages: ReturnType<typeof readLock> },
      names: serverPackages(readLock()),
    });
    const { '': own, ...packages } = parts.lock.packages;
    const places = Object.keys(packages);
    expect(places).toEqual(expect.arrayContaining(['node_modules/undici', 'node_modules/ioredis']));
    expect(Object.keys(own?.dependencies ?? {})).toEqual(
      expect.arrayContaining(['rolldown', 'marked', 'pino']),
    );
    // As development packages they would be left out under NODE_ENV=production.
    expect(Object.values(packages).filter((entry) => 'dev' in entry)).toEqual([]);
    const forTests = ['typescript', 'vitest', 'eslint', 'playwright-core', 'testcontainers'];
    expect(forTests.filter((name) => packages[`node_modules/${name}`] !== undefined)).toEqual([]);
    expect(places.length).toBeLessThan(0.2 * Object.keys(readLock()).length);
  });
});
