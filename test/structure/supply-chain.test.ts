// What the server is made of besides its own code (docs/supply-chain.md): each package has a
// licence that may be shipped, a package that is no release has a decision, and the list of parts
// can be made by its command.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bundledPlaces } from '../../bin/lib/bundled-packages.mjs';
import { readLock } from '../../bin/lib/locked-packages.mjs';
import { readProjectFile } from './source-tree.js';

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  /** A plug-in of this project. */
  readonly link?: boolean;
}

const locks = ['package-lock.json', 'ui/package-lock.json'];

/** For development, and the build copies from them into what is shipped. */
const built = ['node_modules/uWebSockets.js', ...bundledPlaces(readLock())];

/** Licences of what runs in the server or the page. */
const shippedLicences = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  // Of fonts, whose texts are shipped with them (ui/public/licences).
  'OFL-1.1',
  'Unlicense',
];

/** Packages whose package.json names no licence, with the one that their licence file is. */
const licencesByFile: Readonly<Record<string, string>> = { 'png-js': 'MIT' };

function shippedPackages(lock: string): [name: string, entry: LockedPackage][] {
  const { packages } = JSON.parse(readProjectFile(lock)) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages)
    .filter(([place]) => place.startsWith('node_modules/') || place.includes('/node_modules/'))
    .filter(([, entry]) => entry.link !== true)
    .filter(([place, entry]) => entry.dev !== true || (lock === locks[0] && built.includes(place)))
    .map(([place, entry]) => [place.replace(/^.*node_modules\//, ''), entry]);
}

describe.each(locks)('the packages of %s', (lock) => {
  it('have licences that may be shipped', () => {
    const others = shippedPackages(lock)
      .map(([name, { license }]) => [name, license ?? licencesByFile[name] ?? 'none'] as const)
      .filter(([, licence]) => !shippedLicences.includes(licence));
    expect(others).toEqual([]);
  });

  it('are releases, or a decision says why one is not', () => {
    const decision = readProjectFile('docs/decisions/0012-a-lock-before-its-release.md');
    const early = shippedPackages(lock)
      .filter(([, { version }]) => version.includes('-'))
      .map(([name, { version }]) => `${name} ${version}`);
    expect(early.filter((name) => !decision.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('npm run sbom', () => {
  it('lists every package of the server as CycloneDX', () => {
    const output = execFileSync('npm', ['run', '--silent', 'sbom'], {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
      timeout: 60_000,
    });
    const { bomFormat, components } = JSON.parse(output) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    expect(bomFormat).toBe('CycloneDX');
    const listed = new Set(components.map(({ name, version }) => `${name} ${version}`));
    const shipped = shippedPackages('package-lock.json').map(
      ([name, { version }]) => `${name} ${version}`,
    );
    expect([...listed].sort()).toEqual([...new Set(shipped)].sort());
  });
});
