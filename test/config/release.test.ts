// `npm run release`: what it refuses, what it plans, and what it writes, in a repository that is
// made for the test. The programmes that pack and list packages are stand-ins there.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { versionPlaces, withVersion } from '../../bin/lib/versions.mjs';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';

const { version: current } = JSON.parse(read(projectRoot, 'package.json')) as { version: string };
const stand = {
  pack: "import fs from 'node:fs'; fs.writeFileSync(`${process.argv[3]}/downbeat-9.0.0.tgz`, 'p');",
  sbom: "console.log('{}');",
};

let folder: string;
beforeEach(() => {
  folder = createFolder();
  for (const part of ['bin', 'CHANGELOG.md', '.gitignore', ...Object.keys(versionPlaces)]) {
    fs.cpSync(path.join(projectRoot, part), path.join(folder, part), { recursive: true });
  }
  for (const [name, text] of Object.entries(stand)) write(`bin/${name}.mjs`, text);
  write(
    'CHANGELOG.md',
    '# Changelog\n\n## 9.0.0 (unreleased)\n\n- **One**: thing.\n\n## 0.1.0 (2026-01-01)\n\n- **Old**: thing.\n',
  );
  git('init', '--quiet');
  commit();
});
afterEach(() => removeFolder(folder));

function read(root: string, name: string): string {
  return fs.readFileSync(path.join(root, name), 'utf8');
}

function write(name: string, text: string): void {
  fs.writeFileSync(path.join(folder, name), text);
}

function git(...args: string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' });
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'all');
}

function release(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const command = [path.join(folder, 'bin', 'release.mjs'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: folder,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

describe('the release of a version', () => {
  it.each([
    [[], 2, /--version must be a semantic version such as 0\.2\.0, not ''/],
    [['--version', '9'], 2, /not '9'/],
    [['--versoin', '9.0.0'], 2, /no option --versoin/],
    [['--version', '0.0.1'], 1, /0\.0\.1 is older than/],
    [['--version', '9.1.0'], 1, /first section of CHANGELOG\.md is that of 9\.0\.0: write/],
  ] as [string[], number, RegExp][])(
    'is refused with %j: nothing is changed',
    (args, code, why) => {
      const ran = release(...args, '--write');
      expect(ran).toMatchObject({ code, stdout: '' });
      expect(ran.stderr).toMatch(why);
      expect(git('status', '--porcelain')).toBe('');
    },
  );

  it('is refused where it was tagged, dated, or something is not committed', () => {
    git('tag', 'v9.0.0');
    write('README.md', `${read(folder, 'README.md')}\n`);
    write('CHANGELOG.md', '# Changelog\n\n## 9.0.0 (2026-02-02)\n\n- **One**: thing.\n');
    const { code, stderr } = release('--version', '9.0.0', '--write');
    expect(stderr.split('\n')).toEqual([
      'The tag v9.0.0 is there already: a version is released once.',
      'CHANGELOG.md says that 9.0.0 was released on 2026-02-02.',
      'Not committed: CHANGELOG.md, README.md. Commit or remove it.',
      'Nothing was changed.',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('is planned without a change', () => {
    const { code, stdout } = release('--version', '9.0.0');
    expect(code).toBe(0);
    expect(stdout).toContain(`${current} becomes 9.0.0 in package.json, package-lock.json, `);
    expect(stdout).toContain('git tag --annotate v9.0.0');
    expect(git('status', '--porcelain')).toBe('');
    expect(fs.existsSync(path.join(folder, 'release'))).toBe(false);
  });

  it('sets the version everywhere, dates its section, and packs', () => {
    const { code, stdout } = release('--version', '9.0.0', '--write');
    expect(code).toBe(0);
    expect(JSON.parse(read(folder, 'package.json'))).toMatchObject({ version: '9.0.0' });
    const lock = JSON.parse(read(folder, 'package-lock.json')) as Record<string, unknown>;
    expect(lock).toMatchObject({ version: '9.0.0', packages: { '': { version: '9.0.0' } } });
    expect(read(folder, 'README.md')).toContain('npx ./downbeat-9.0.0.tgz start');
    expect(read(folder, 'CHANGELOG.md')).toMatch(/^## 9\.0\.0 \(\d{4}-\d\d-\d\d\)$/m);
    expect(read(folder, 'CHANGELOG.md')).toContain('## 0.1.0 (2026-01-01)');
    expect(read(folder, 'release/downbeat-9.0.0.notes.md')).toBe(
      'Downbeat 9.0.0\n\n- **One**: thing.\n',
    );
    expect(read(folder, 'release/downbeat-9.0.0.cdx.json')).toBe('{}\n');
    expect(stdout).toMatch(/downbeat-9\.0\.0\.tgz\n {2}sha256 [0-9a-f]{64}\n/);
    // What it wrote is committed with the version, and nothing of what is published.
    expect(git('status', '--porcelain')).not.toContain('release/');
    expect(git('tag', '--list')).toBe('');
  });
});

it('each place of the version is there', () => {
  for (const name of Object.keys(versionPlaces)) {
    const text = withVersion(name, read(projectRoot, name), current, '9.8.7');
    expect(text).toContain('9.8.7');
  }
});
