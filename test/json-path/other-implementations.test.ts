// The same paths asked of the library that Conductor runs. Where there is no Java, a sentence says
// so. Each difference that is meant stands in a table with its reason; one that goes away has to
// leave the table.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluatePath, rootOf } from '../../packages/json-path/src/evaluate.js';
import { parseJsonPath } from '../../packages/json-path/src/parse.js';
import type { Json, JsonMap } from '../../packages/json-path/src/path.js';
import { tell } from '../support/figures.js';
import { projectRoot } from '../../testkit/project.js';
import { install, installTimeoutMs } from '../support/tool-cache.js';
import { answers, store } from './answers.js';

const library = 'json-path-2.9.0';
const runTimeoutMs = 60_000;

const differences: Readonly<Record<string, string>> = {
  'book.first().title': 'steps behind a function are ignored there',
  '$..price.max()': 'the running Conductor was observed to answer null',
  '$..price..length()': 'the running Conductor was observed to answer an empty list',
  "book[0].tags.concat('-', $.limit)": 'its texts in arguments keep a quote',
};

const more = [
  'book[*].tags[*]',
  '$.book[?(@.tags[0])].title',
  '$..book[0].title',
  '$..*',
  '$..[0]',
  "$['book'][*]['title']",
  'book[?(@.price != 8)].title',
  'book[?(@.price in [8, 22])].title',
  'book[?(@.nothing == null)].title',
  'book[0:1]',
  'book[-1:]',
  'book[?(@.title < "C")].price',
  'numbers[?(@ >= 3)]',
  'numbers[0,3]',
  'numbers[5:9]',
  '$.*',
  '$',
  'book.title',
  'book[0].title.x',
  'bicycle.price',
  "bicycle['nothing']",
  'book.length()',
  '$.book.size()',
];

/** Keys and lists of an indefinite path in any order: the library keeps no promised one. */
function canonical(value: Json): string {
  if (!Array.isArray(value)) return JSON.stringify(sorted(value));
  return JSON.stringify(value.map((item) => JSON.stringify(sorted(item))).sort());
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const map: JsonMap = {};
  for (const key of Object.keys(value).sort()) map[key] = sorted(value[key] as Json);
  return map;
}

function ownAnswer(text: string): Json {
  const parsed = parseJsonPath(text);
  return parsed === undefined ? null : evaluatePath(parsed, rootOf(store));
}

describe('the JSONPath of Conductor', () => {
  it('answers the same', { timeout: installTimeoutMs + runTimeoutMs }, async ({ skip }) => {
    const sources = path.join(projectRoot, 'test', 'json-path', 'java');
    const resolve = ['-q', '-B', '-f', path.join(sources, 'pom.xml')];
    const installed = await install(library, (folder) => [
      ['java', '--version'],
      ['mvn', ...resolve, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`],
    ]);
    if ('missing' in installed) {
      tell(installed.missing);
      return skip(installed.missing);
    }
    const paths = [...answers.map(([text]) => text), ...more];
    const others = await ask(path.join(installed.folder, '*'), sources, paths);
    const surprises = paths.flatMap((text, i) => {
      const own = canonical(ownAnswer(text));
      const other = canonical(others[i] as Json);
      const isMeant = Object.hasOwn(differences, text);
      return (own === other) === isMeant ? [{ path: text, own, other }] : [];
    });
    expect(surprises).toEqual([]);
  });
});

/** A path that is malformed there is null, as an expression of it would be. */
function ask(libraries: string, sources: string, paths: readonly string[]): Promise<Json[]> {
  const args = ['-cp', libraries, path.join(sources, 'JaywayPath.java')];
  return new Promise((resolve, reject) => {
    const child = execFile('java', args, { timeout: runTimeoutMs }, (error, stdout) => {
      if (error !== null) return reject(error);
      const lines = stdout.trim().split('\n');
      resolve(lines.map((line) => (JSON.parse(line) as { value?: Json }).value ?? null));
    });
    child.stdin?.end(
      paths.map((text) => `${JSON.stringify({ path: text, value: store })}\n`).join(''),
    );
  });
}
