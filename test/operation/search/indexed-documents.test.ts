// The documents of a text index: they are found by their ids, whatever those have in common.
import { expect, it } from 'vitest';
import { IndexedDocuments } from '../../../src/operation/search/indexed-documents.js';

const statuses = ['OPEN', 'ENDED'] as const;
const facts = { name: 'n', status: 'OPEN', startedAt: 1 } as const;

// With one hash for all of them this takes minutes.
it('takes up many tasks of one execution as fast as those of many', { timeout: 30_000 }, () => {
  const documents = new IndexedDocuments<string, (typeof statuses)[number]>(statuses);
  const count = 40_000;
  const idOf = (i: number): string =>
    `00a57896-8967-8eaf-b798-b54f${i.toString(16).padStart(8, '0')}`;
  for (let i = 0; i < count; i += 1) documents.put(idOf(i), facts, `text ${i}`);
  expect(documents.count).toBe(count);
  documents.put(idOf(7), { ...facts, status: 'ENDED' }, 'another');
  documents.remove(idOf(8));
  documents.remove(idOf(count));
  expect(documents.count).toBe(count - 1);
  expect(documents.corpus.text(7)).toContain('another');
  expect(documents.idOf(9)).toBe(idOf(9));
});
