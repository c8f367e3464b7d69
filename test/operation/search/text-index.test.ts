// The text index follows what changes while it is built, however long that takes.
import { expect, it } from 'vitest';
import { sectionEnd } from '../../../src/std/text-corpus.js';
import { TextIndex } from '../../../src/operation/search/text-index.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const statuses = ['OPEN'] as const;
const idOf = (i: number): string => `00a57896-8967-8eaf-b798-${String(i).padStart(12, '0')}`;

it('is built although that takes longer than changes are told', async () => {
  const clock = new VirtualClock();
  const texts = new Map(Array.from({ length: 50 }, (_, i) => [idOf(i), `text ${i}`]));
  const lifeMs = 10_000;
  let toldAt = 0;
  const changed = new Set<string>();
  const index = new TextIndex<string, 'OPEN'>({
    ...{ statuses, clock, bytesMax: 2 ** 30 },
    failed: (error) => expect.fail(String(error)),
    async *scan() {
      for (let i = 0; i < 50; i += 1) {
        clock.advance(1000);
        // One that was read already, and one that was not.
        for (const other of [0, 49]) {
          texts.set(idOf(other), `changed ${i}`);
          changed.add(idOf(other));
        }
        yield await Promise.resolve([idOf(i)]);
      }
    },
    read: (ids) =>
      Promise.resolve(
        ids.map((id) => ({
          ...{ id, text: texts.get(id) },
          facts: { name: 'n', status: 'OPEN' as const, startedAt: 1 },
        })),
      ),
    feed: {
      begin: () => Promise.resolve(void (toldAt = clock.monotonic())),
      next: () => {
        const isTooLate = clock.monotonic() - toldAt > lifeMs;
        toldAt = clock.monotonic();
        const told = new Set(changed);
        changed.clear();
        return Promise.resolve(isTooLate ? undefined : told);
      },
    },
  });
  const documents = await index.current();
  await index.stop();
  expect(documents?.count).toBe(50);
  const found = new Map(
    Array.from({ length: 50 }, (_, document) => {
      const [id, text] = (documents?.corpus.text(document) ?? '').split(sectionEnd);
      return [id, text] as const;
    }),
  );
  const shown = [0, 1, 49].map((i) => found.get(idOf(i)));
  expect(shown).toEqual(['changed 49', 'text 1', 'changed 49']);
});
