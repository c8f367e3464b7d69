// The release notes: each version has its section in CHANGELOG.md, the one of package.json first,
// and a section names each thing once, so that no entry says what another one takes back.
import { expect, it } from 'vitest';
import { readProjectFile } from './source-tree.js';

const text = readProjectFile('CHANGELOG.md');
const { version } = JSON.parse(readProjectFile('package.json')) as { version: string };

interface Section {
  readonly version: string;
  /** `unreleased`, or the day of the release. */
  readonly day: string;
  readonly text: string;
}

const sections: readonly Section[] = text
  .split(/^## /m)
  .slice(1)
  .map((part) => {
    const [heading = ''] = part.split('\n');
    const [, number = '', day = ''] = /^(\S+) \((.+)\)$/.exec(heading) ?? [];
    return { version: number, day, text: part };
  });

/** Of a semantic version without a suffix. */
const numbersOf = (name: string): number[] => name.split('.').map(Number);

function isNewer(one: string, other: string): boolean {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  const at = a.findIndex((number, i) => number !== b[i]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}

it('the version of package.json has the first section', () => {
  expect(sections[0]?.version).toBe(version);
});

it('sections are of semantic versions, newest first, with the day of their release', () => {
  for (const [i, section] of sections.entries()) {
    expect(section.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(section.day).toMatch(i === 0 ? /^(?:unreleased|\d{4}-\d\d-\d\d)$/ : /^\d{4}-\d\d-\d\d$/);
    const before = sections[i - 1];
    if (before !== undefined) expect(isNewer(before.version, section.version)).toBe(true);
  }
});

it('no version has two entries about one thing', () => {
  for (const section of sections) {
    const heads = [...section.text.matchAll(/^- \*\*([^*]+?)\*\*/gm)].map(([, head]) => head);
    expect(heads.length).toBeGreaterThan(0);
    expect(heads.filter((head, i) => heads.indexOf(head) !== i)).toEqual([]);
  }
});

it('what it names of the handbook is there', () => {
  const named = new Set(text.match(/docs\/[\w/-]+\.md/g));
  for (const file of named) expect(readProjectFile(file).length, file).toBeGreaterThan(0);
});
