import { describe, expect, it } from 'vitest';
import { filesBelow, readModules, readProjectFile } from './source-tree.js';

const scriptsMax = 21;
const folder = 'src/redis/scripts';
const parts = filesBelow(`${folder}/lib`, ['.lua']);
const scripts = ['src/redis/scripts', 'src/areas']
  .flatMap((below) => filesBelow(below, ['.lua']))
  .filter((name) => !parts.includes(name));

/** The comment lines that a file opens with. */
function headerOf(text: string): string {
  return /^(?:--.*\n)*/.exec(text)?.[0] ?? '';
}

/** Lines of code that use KEYS or ARGV with a fixed number, and are not the one that names it. */
function unnamedIndexes(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/--.*/, ''))
    .filter((line) => /\b(?:KEYS|ARGV)\[\d+\]/.test(line))
    .filter((line) => !/^local \w+ = (?:tonumber\()?(?:KEYS|ARGV)\[\d+\]\)?\s*$/.test(line));
}

/** Lines that name an index after the first line that does something else. */
function lateNames(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/--.*/, '').trim())
    .filter((line) => line !== '');
  const isName = (line: string): boolean => /^local \w+ = (tonumber\()?(KEYS|ARGV)\[/.test(line);
  const firstOther = lines.findIndex((line) => !isName(line));
  return firstOther < 0 ? [] : lines.slice(firstOther).filter(isName);
}

describe('the Redis scripts', () => {
  it('are few', () => {
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.length).toBeLessThanOrEqual(scriptsMax);
  });

  it.each(scripts)('%s says its purpose, KEYS, ARGV and replies', (name) => {
    const header = headerOf(readProjectFile(name));
    expect(header).toMatch(/KEYS/);
    expect(header).toMatch(/ARGV/);
    expect(header).toMatch(/repl(y|ies)|return/i);
    expect(header.split('\n').length).toBeGreaterThan(4);
  });

  it.each(parts)('%s says what it is for', (name) => {
    expect(headerOf(readProjectFile(name))).not.toBe('');
  });

  it.each(scripts)('%s gives each KEYS and ARGV a local name first', (name) => {
    const text = readProjectFile(name);
    expect(unnamedIndexes(text)).toEqual([]);
    expect(lateNames(text)).toEqual([]);
  });

  it.each([...scripts, ...parts])('%s spells no key', (name) => {
    const spelled = readProjectFile(name)
      .split('\n')
      .filter((line) => /redis\.p?call\(\s*['"]\w+['"]\s*,\s*['"]/.test(line))
      .filter((line) => !/['"](?:SCRIPT|FUNCTION|TIME)['"]/i.test(line));
    expect(spelled).toEqual([]);
  });
});

describe('the keys of Redis', () => {
  it('are spelled only in src/redis/keys.ts, src/redis/area-keys.ts and keys.ts of an area', () => {
    // Hash tags, in a text or a template.
    const tag = /['"`][^'"`\n]*(?:\{(?:p\$|p\d|q:)|\}:\{[a-z])[^'"`\n]*/;
    const spelled = readModules('src')
      .filter(({ path }) => !/^src\/(?:redis\/(?:area-)?keys|areas\/[\w-]+\/keys)\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        text
          .split('\n')
          .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && tag.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(spelled).toEqual([]);
  });
});
