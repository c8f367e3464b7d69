// The lint rule for values of JSON that become numbers or texts refuses what can throw.
import { expect, it } from 'vitest';
import { LineLinter } from './lint-line.js';

const linter = new LineLinter({ rules: 'downbeat/', project: 'json-text.tsconfig.json' });

async function refusedIn(line: string): Promise<boolean> {
  const source = `import type { Json } from './json.js';\nexport const given = (a: Json, n: number): unknown => ${line};\n`;
  const rules = await linter.refusalsOf(source, 'src/model/json-text.ts');
  return rules.includes('downbeat/no-json-coercion');
}

it.each([
  ['Number(a)', true],
  ['String(a)', true],
  ['`${a}`', true],
  ["'' + a", true],
  ["[a].join('')", true],
  ['Number(n)', false],
  ['`${n}`', false],
  ["typeof a === 'string' ? Number(a) : n", false],
])('%s, refused: %s', { timeout: 60_000 }, async (line, isRefused) => {
  expect(await refusedIn(line)).toBe(isRefused);
});
