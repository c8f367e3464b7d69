import { describe, expect, it } from 'vitest';
import { inSlices } from '../../src/std/slices.js';
import { rarestWordsFirst, sectionEnd, TextCorpus } from '../../src/std/text-corpus.js';

async function found(corpus: TextCorpus, part: string): Promise<number[]> {
  const set = await inSlices(corpus.containing({ part, within: corpus.everything() }));
  return [...set.keys()].filter((document) => set[document] === 1);
}

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state % below;
  };
}

describe('a corpus of texts', () => {
  it('finds the documents that hold a part, as they are now', async () => {
    const corpus = new TextCorpus();
    corpus.put(0, 'paid in zürich');
    corpus.put(2, 'open in bern');
    expect(await found(corpus, 'in')).toEqual([0, 2]);
    expect(await found(corpus, 'ürich')).toEqual([0]);
    corpus.put(0, 'open');
    expect(await found(corpus, 'paid')).toEqual([]);
    corpus.remove(2);
    corpus.remove(1);
    expect(await found(corpus, 'open')).toEqual([0]);
    expect([corpus.has(0), corpus.has(2), corpus.text(0), corpus.text(2)]).toEqual([
      true,
      false,
      'open',
      '',
    ]);
  });

  it('finds nothing across the end of a text', async () => {
    const corpus = new TextCorpus();
    corpus.put(0, 'aab');
    corpus.put(1, 'aac');
    corpus.put(2, '');
    corpus.put(3, 'ba');
    expect(await found(corpus, 'ba')).toEqual([3]);
    expect(await found(corpus, 'aa')).toEqual([0, 1]);
  });

  it('takes a text that is larger than a block', async () => {
    const corpus = new TextCorpus();
    corpus.put(0, `${'x'.repeat(5_000_000)}end`);
    corpus.put(1, 'the end');
    expect(await found(corpus, 'end')).toEqual([0, 1]);
  });

  it('agrees with a plain list through thousands of changes, and lets dead texts go', async () => {
    const random = randomOf(7);
    const corpus = new TextCorpus();
    const texts = new Map<number, string>();
    const filler = 'y'.repeat(4000);
    for (let change = 0; change < 12_000; change += 1) {
      const document = random(500);
      if (random(4) === 0) {
        corpus.remove(document);
        texts.delete(document);
      } else {
        const text = `${filler} w${random(50)} v${random(9)}`;
        corpus.put(document, text);
        texts.set(document, text);
      }
      if (change % 1000 !== 0) continue;
      const part = `w${random(50)} v`;
      const expected = [...texts].filter(([, text]) => text.includes(part)).map(([one]) => one);
      expect(await found(corpus, part)).toEqual(expected.sort((a, b) => a - b));
    }
    // 500 texts of 4 KB: 2 MB alive of 36 MB that were written.
    expect(corpus.bytes).toBeLessThan(16 * 1024 * 1024);
  });

  it('asks for the section in which a part stands, among some documents only', async () => {
    const random = randomOf(11);
    const corpus = new TextCorpus();
    const texts: string[] = [];
    for (let document = 0; document < 3000; document += 1) {
      const sections = Array.from({ length: 1 + random(3) }, () =>
        Array.from({ length: random(6) }, () => `w${random(30)}`).join(' '),
      );
      texts.push(sections.join(sectionEnd));
      corpus.put(document, texts[document] as string);
    }
    for (let round = 0; round < 50; round += 1) {
      const part = `w${random(30)}`;
      const other = `w${random(30)}`;
      const within = Uint8Array.from(texts, () => (random(1 + (round % 4)) === 0 ? 1 : 0));
      const fits = (section: string): boolean => section.includes(other) && !/^w1/.test(section);
      const set = await inSlices(corpus.containing({ part, within, fits }));
      const inSection = await inSlices(corpus.withSection(fits, within));
      const expected = [...texts.keys()].filter((document) => within[document] === 1);
      const sectionsOf = (document: number): string[] =>
        (texts[document] as string).split(sectionEnd);
      expect([...set.keys()].filter((document) => set[document] === 1)).toEqual(
        expected.filter((document) =>
          sectionsOf(document).some((section) => section.includes(part) && fits(section)),
        ),
      );
      expect([...inSection.keys()].filter((document) => inSection[document] === 1)).toEqual(
        expected.filter((document) => sectionsOf(document).some(fits)),
      );
    }
  });

  it('guesses which of some words is the rarest', () => {
    const corpus = new TextCorpus();
    for (let i = 0; i < 1000; i += 1) corpus.put(i, i % 10 === 0 ? 'all some' : 'all');
    expect(rarestWordsFirst(corpus, ['all', 'some', 'all', 'none'])).toEqual([
      'none',
      'some',
      'all',
    ]);
  });
});
