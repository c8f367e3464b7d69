import { expect, it } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { readRefusal } from '../../src/operation/read-refusal.js';

const schema = { type: 'SCHEMA', id: 'order' } as const;

it.each([
  ['stranger@x.org', 'stranger@x.org has no READ access on SCHEMA order'],
  // Started while nobody was asked for a token.
  [undefined, 'An unknown starter has no READ access on SCHEMA order'],
])('a refusal names the starter, right and resource: %s', (starter, said) => {
  const parts = { access: everythingAllowed, starterOf: () => undefined };
  expect(readRefusal(parts, schema, [starter])).toBe(said);
});
