// The lint rule against casts through another type, and the types that take their place.
import { expect, expectTypeOf, it } from 'vitest';
import type { JsonForm } from '../../src/model/json.js';
import { LineLinter } from './lint-line.js';

const linter = new LineLinter({ rules: 'no-restricted' });

async function refusedIn(line: string, file = 'src/model/json-text.ts'): Promise<boolean> {
  const source = `export const given = (a: object): unknown => ${line};\n`;
  const rules = await linter.refusalsOf(source, file);
  return rules.includes('no-restricted-syntax');
}

it.each([
  ['a as unknown as string', true],
  ['a as never as string', true],
  ['(a as object) as Error', true],
  ['a as Error', false],
  ["['a'] as const", false],
])('%s, refused: %s', { timeout: 60_000 }, async (line, isRefused) => {
  expect(await refusedIn(line)).toBe(isRefused);
});

it('is refused in the page, too', { timeout: 60_000 }, async () => {
  expect(await refusedIn('a as unknown as string', 'ui/src/routes.ts')).toBe(true);
});

it('takes records for JSON, and nothing that JSON does not hold', () => {
  type Holds<T> = T extends JsonForm<T> ? true : false;
  interface Entry {
    readonly name: string;
    readonly dueAt?: number | undefined;
    readonly parts: readonly { readonly id: bigint | null }[];
  }
  expectTypeOf<Holds<Entry>>().toEqualTypeOf<true>();
  expectTypeOf<Holds<{ at: Date }>>().toEqualTypeOf<false>();
  expectTypeOf<Holds<{ at: Map<string, string> }>>().toEqualTypeOf<false>();
  expectTypeOf<Holds<{ run: () => void }>>().toEqualTypeOf<false>();
  expectTypeOf<Holds<{ parts: { value: unknown }[] }>>().toEqualTypeOf<false>();
});
