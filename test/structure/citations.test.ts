import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, faultOf, findCitations, type Anchors } from './citations.js';
import { globPattern } from './contributing.js';
import { committedFiles, filesBelow, readModules, readProjectFile } from './source-tree.js';

const page = `
# Execution semantics
## 2. The decide step
### 2.7 Failure of a task
**2.7.1 Retry rule.** Limit = ...
### 5.4 Task update
1. Body
2. extendLease
| id | promise |
|---|---|
| **I1** | An accepted start is not lost |
`;

describe('anchors of a page', () => {
  it('are headings, bold numbers, list items and ids of table rows', () => {
    expect([...anchorsOf(page)]).toEqual(['2', '2.7', '2.7.1', '5.4', '5.4.1', '5.4.2', 'I1']);
  });
});

describe('citations in a text', () => {
  const found = (text: string): string[] =>
    findCitations(text).map(({ document, reference, line }) => `${line} ${document} ${reference}`);

  it.each([
    ['// Retries (semantics 2.7.1).', ['1 semantics 2.7.1']],
    [
      '// Semantics 1.5, 1.6 and 2.11: controls',
      ['1 semantics 1.5', '1 semantics 1.6', '1 semantics 2.11'],
    ],
    ['\n// one (contract-core\n// 15.3)', ['2 contract-core 15.3']],
    [
      ' * (invariants M7 to M9, architecture\n * section 3).',
      ['1 invariants M7', '1 invariants M9', '1 architecture section 3'],
    ],
    ['-- see decision 0004, invariants section 7', ['1 decision 0004', '1 invariants section 7']],
    ["it('ends (architecture, idea 3)', ...)", ['1 architecture idea 3']],
    ['the interface of a store; semantics of 3 kinds', []],
  ])('%j', (text, citations) => {
    expect(found(text)).toEqual(citations);
  });
});

describe('a citation', () => {
  const anchors: Anchors = new Map([
    ['semantics', anchorsOf(page)],
    ['architecture', new Set(['3'])],
    ['decision', new Set(['0004'])],
  ]);
  const fault = (document: string, reference: string): string | undefined =>
    faultOf({ document, reference, line: 1 }, anchors);

  it('resolves to an anchor of its page', () => {
    expect(fault('semantics', '2.7.1')).toBeUndefined();
    expect(fault('semantics', 'I1')).toBeUndefined();
    expect(fault('architecture', 'section 3')).toBeUndefined();
    expect(fault('decision', '0004')).toBeUndefined();
  });

  it('of a missing section, page or form is a fault', () => {
    expect(fault('semantics', '2.7.4')).toBe('names no anchor of the page');
    expect(fault('semantics', 'M99')).toBe('names no anchor of the page');
    expect(fault('interface', '4.5')).toBe('names no page of docs');
    expect(fault('architecture', 'section 9')).toBe('names no anchor of the page');
    expect(fault('architecture', 'idea 3')).toBe('is written `architecture section N`');
    expect(fault('decision', '4')).toBe('is written `decision NNNN`');
  });
});

const pages = filesBelow('docs', ['.md']);
const anchors: Anchors = new Map([
  ...pages
    .filter((name) => path.posix.dirname(name) === 'docs')
    .map((name) => [path.posix.basename(name, '.md'), anchorsOf(readProjectFile(name))] as const),
  [
    'decision',
    new Set(pages.flatMap((name) => /^docs\/decisions\/(\d{4})-/.exec(name)?.[1] ?? [])),
  ],
]);
const citing = committedFiles().filter(
  (name) =>
    /^(?:src|test|bench|bin|cluster|docs)\/.*\.(?:ts|mjs|js|lua|py|go|md)$|^[^/]+\.(?:md|js|ts)$/.test(
      name,
    ) &&
    name !== 'test/structure/citations.test.ts' &&
    name !== 'test/structure/citations.ts',
);

describe('the handbook', () => {
  it('has every section that code, tests and pages cite', () => {
    const cited = citing.flatMap((name) =>
      findCitations(readProjectFile(name)).map((one) => ({ ...one, name })),
    );
    expect(cited.length).toBeGreaterThan(400);
    const faults = cited.flatMap((one) => {
      const fault = faultOf(one, anchors);
      if (fault === undefined) return [];
      return [`${one.name}:${one.line} ${one.document} ${one.reference} ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it('links only to files that exist', () => {
    const files = new Set(committedFiles());
    const folders = [...files].map((name) => path.posix.dirname(name));
    const broken = citing
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        [...readProjectFile(name).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
          .map((match) => path.posix.join(path.posix.dirname(name), match[1] ?? ''))
          .filter((target) => !files.has(target) && !folders.includes(target.replace(/\/$/, '')))
          .map((target) => `${name} -> ${target}`),
      );
    expect(broken).toEqual([]);
  });

  it('names only source files that exist', () => {
    const files = committedFiles();
    const exists = (name: string): boolean => {
      const pattern = globPattern(name);
      return files.some((file) => pattern.test(file));
    };
    const missing = citing
      .filter((name) => name.endsWith('.md') && !name.startsWith('docs/decisions/'))
      .flatMap((name) =>
        [...readProjectFile(name).matchAll(/`([\w*-]+(?:\/[\w.*-]+)+\.(?:ts|lua|mjs))`/g)]
          .map((match) => match[1] ?? '')
          .filter((path) => !exists(path) && !exists(`src/${path}`))
          .map((path) => `${name} names ${path}`),
      );
    expect(missing).toEqual([]);
  });

  it('names only files and folders of tests that exist', () => {
    const files = committedFiles();
    const missing = pathsOfTests().filter(
      ({ path: name }) => !files.some((file) => file === name || file.startsWith(`${name}/`)),
    );
    expect(missing).toEqual([]);
  });

  it('quotes only tests that exist', () => {
    const modules = new Map(readModules('test').map((module) => [module.path, module]));
    const textOf = (name: string): string => {
      const { text = '', imports = [] } = modules.get(name) ?? {};
      const beside = imports.map((imported) => modules.get(imported)?.text ?? '');
      return [text, ...beside].join(' ').replaceAll("\\'", "'").replace(/\s+/g, ' ');
    };
    const quoted = citing
      .filter((name) => name.endsWith('.md'))
      .flatMap((page) =>
        [...readProjectFile(page).matchAll(/`(test\/[\w./-]+\.test\.ts)`,? "([^"]+)"/g)].map(
          ([, name = '', title = '']) => ({ page, name, title }),
        ),
      );
    expect(quoted.length).toBeGreaterThan(50);
    const missing = quoted.filter(({ name, title }) => {
      const text = textOf(name);
      return !title.split('…').every((piece) => text.includes(piece.trim()));
    });
    expect(missing).toEqual([]);
  });
});

/** Paths below `test` and `plugins` that pages name; NAME stands for any plug-in. */
function pathsOfTests(): { page: string; path: string }[] {
  return citing
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/decisions/'))
    .flatMap((page) =>
      [...readProjectFile(page).matchAll(/`((?:test|plugins)\/[\w./-]+?)\/?`/g)].map((match) => ({
        page,
        path: match[1] ?? '',
      })),
    )
    .filter(({ path: name }) => !name.startsWith('plugins/NAME'));
}
