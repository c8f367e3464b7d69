// Which GET routes count as changes (docs/access.md, Callers): a new one must say by its name that
// it reads, or be listed.
import { expect, it } from 'vitest';
import { changingGets } from '../../src/api/audit.js';
import { hasEffects, routineGets } from '../../src/api/changing-gets.js';
import { declaredEndpoints } from '../support/endpoints.js';

const gets = declaredEndpoints(['--auth']).filter(({ method }) => method === 'GET');
/** First words of names of endpoints that read. */
const readingWords =
  /^(?:check|count|export|find|get|group|has|list|outline|preview|probe|search|stream|why)[A-Z]/;

it('every GET reads by its name, or is known to change something', () => {
  const unclear = gets.filter((one) => !hasEffects(one) && !readingWords.test(one.name));
  expect(unclear.map(({ name }) => name)).toEqual([]);
});

it('no name stands in the lists for nothing', () => {
  const names = new Set(gets.map(({ name }) => name));
  const listed = [...changingGets, ...routineGets];
  // Only a server with an identity provider has these.
  const elsewhere = ['signInWithProvider', 'finishSignInWithProvider'];
  expect(listed.filter((name) => !names.has(name) && !elsewhere.includes(name))).toEqual([]);
});
