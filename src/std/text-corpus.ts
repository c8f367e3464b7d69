// Texts of many documents in memory, searched for any part of them. They stand in lower case as
// UTF-8 in blocks outside the heap, one behind the other, and a search runs over the blocks: about
// 1 GB/s, which no index of substrings beats below some gigabytes, and it costs nothing beside the
// texts (24 bytes a document). A document that changes is written anew at the end; a block in
// which little is alive is written anew too.
//
// A text may have sections; a search may ask for more of the section in which a part stands.
//
// A search answers a set of document numbers. Its steps pause after every block, and a document
// that changes meanwhile may or may not be found. A search among few documents jumps from one to
// the next, one for a rare part from place to place, so it costs what is rarer of the two.
import type { Steps } from './slices.js';

const blockBytes = 4 * 1024 * 1024;
/** Blocks with a smaller share of living bytes are written anew. */
const aliveShareMin = 0.5;

interface Block {
  readonly bytes: Buffer;
  used: number;
  alive: number;
  /** Documents in the order of their texts, dead ones too. */
  readonly documents: number[];
  /** Where each of these begins. */
  readonly starts: number[];
}

/** A set of document numbers: 1 at the place of each that belongs to it. */
export type DocumentSet = Uint8Array;

/** Ends a section of a text, if another follows. */
export const sectionEnd = '\u0001';
const sectionEndByte = 1;

/** The words to find, and the documents to search. */
export interface PartSearch {
  /** In lower case, not empty, in one section. */
  readonly part: string;
  readonly within: DocumentSet;
  /** Asked of the whole section in which the part stands. */
  readonly fits?: ((section: string) => boolean) | undefined;
}

/** Bytes of a block that are looked at to guess how rare a part is, and blocks. */
const sampleBytes = 64 * 1024;
const samplesMax = 4;

export class TextCorpus {
  #blocks: (Block | undefined)[] = [];
  #open = -1;
  /** Block of each document, -1 = there is none. */
  #blockOf = new Int32Array(1024).fill(-1);
  #startOf = new Uint32Array(1024);
  #lengthOf = new Uint32Array(1024);
  #bytes = 0;
  #size = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** One more than the largest document number that was ever put. */
  get size(): number {
    return this.#size;
  }

  /** Puts a document, or replaces it. */
  put(document: number, text: string): void {
    this.#write(document, Buffer.from(text));
  }

  remove(document: number): void {
    const at = this.#blockOf[document] ?? -1;
    if (at < 0) return;
    this.#blockOf[document] = -1;
    const block = this.#blocks[at] as Block;
    block.alive -= this.#lengthOf[document] as number;
    if (at !== this.#open && block.alive < block.used * aliveShareMin) this.#rewrite(at);
  }

  has(document: number): boolean {
    return (this.#blockOf[document] ?? -1) >= 0;
  }

  /** '' when there is none. */
  text(document: number): string {
    const block = this.#blocks[this.#blockOf[document] ?? -1];
    if (block === undefined) return '';
    const start = this.#startOf[document] as number;
    return block.bytes.toString('utf8', start, start + (this.#lengthOf[document] as number));
  }

  everything(): DocumentSet {
    const found = new Uint8Array(this.#size);
    for (let document = 0; document < this.#size; document += 1) {
      if ((this.#blockOf[document] as number) >= 0) found[document] = 1;
    }
    return found;
  }

  /** Documents that hold a part. */
  *containing(search: PartSearch): Steps<DocumentSet> {
    const found = new Uint8Array(this.#size);
    const wanted = Buffer.from(search.part);
    for (let at = 0; at < this.#blocks.length; at += 1) {
      if (this.#blocks[at] === undefined) continue;
      this.#searchBlock(at, wanted, { ...search, found });
      yield;
    }
    return found;
  }

  /** Documents of which a section fits. */
  *withSection(fits: (section: string) => boolean, within: DocumentSet): Steps<DocumentSet> {
    const found = new Uint8Array(this.#size);
    for (let document = 0; document < within.length; document += 1) {
      if (document % documentsPerPause === 0) yield;
      if (within[document] === 0 || !this.has(document)) continue;
      if (this.text(document).split(sectionEnd).some(fits)) found[document] = 1;
    }
    return found;
  }

  /** How often a part stands in a byte of text, guessed from samples. */
  frequency(part: string): number {
    const wanted = Buffer.from(part);
    const blocks = this.#blocks.filter((block) => block !== undefined);
    const step = Math.max(1, Math.floor(blocks.length / samplesMax));
    let bytes = 1;
    let hits = 0;
    for (let at = 0; at < blocks.length; at += step) {
      const block = blocks[at] as Block;
      const sample = block.bytes.subarray(0, Math.min(block.used, sampleBytes));
      bytes += sample.length;
      for (let from = sample.indexOf(wanted); from >= 0; hits += 1) {
        from = sample.indexOf(wanted, from + wanted.length);
      }
    }
    return hits / bytes;
  }

  #searchBlock(
    at: number,
    wanted: Buffer,
    { within, fits, found }: Omit<PartSearch, 'part'> & { found: DocumentSet },
  ): void {
    const { bytes, used, documents, starts } = this.#blocks[at] as Block;
    const whole = bytes.subarray(0, used);
    const isCandidate = (place: number): boolean => {
      const document = documents[place] as number;
      return (
        within[document] === 1 &&
        this.#blockOf[document] === at &&
        this.#startOf[document] === starts[place]
      );
    };
    let place = 0;
    let next = 0;
    for (;;) {
      while (place < documents.length && !isCandidate(place)) place += 1;
      if (place === documents.length) return;
      const from = whole.indexOf(wanted, Math.max(next, starts[place] as number));
      if (from < 0) return;
      while ((starts[place + 1] ?? used) <= from) place += 1;
      const end = starts[place + 1] ?? used;
      if (!isCandidate(place)) {
        next = end;
      } else if (from + wanted.length > end) {
        // It runs over the end of a text: not a hit, another may begin right behind.
        next = from + 1;
      } else {
        const section = fits && sectionAt(whole, from, { start: starts[place] as number, end });
        if (section === undefined || fits?.(section.text) === true) {
          found[documents[place] as number] = 1;
          next = end;
        } else {
          next = section.end;
        }
      }
      if (next >= end) place += 1;
    }
  }

  #write(document: number, text: Buffer): void {
    this.#grow(document + 1);
    this.remove(document);
    const at = this.#roomFor(text.length);
    const block = this.#blocks[at] as Block;
    text.copy(block.bytes, block.used);
    this.#blockOf[document] = at;
    this.#startOf[document] = block.used;
    this.#lengthOf[document] = text.length;
    block.documents.push(document);
    block.starts.push(block.used);
    block.used += text.length;
    block.alive += text.length;
  }

  /** Place of a block that has room. */
  #roomFor(bytes: number): number {
    const open = this.#blocks[this.#open];
    if (open !== undefined && open.used + bytes <= open.bytes.length) return this.#open;
    const size = Math.max(blockBytes, bytes);
    const free = this.#blocks.indexOf(undefined);
    const at = free < 0 ? this.#blocks.length : free;
    const block = { used: 0, alive: 0, documents: [], starts: [] };
    this.#blocks[at] = { bytes: Buffer.allocUnsafeSlow(size), ...block };
    this.#bytes += size;
    this.#open = at;
    return at;
  }

  /** Moves what is alive to the open block, and lets the block go. */
  #rewrite(at: number): void {
    const { bytes, documents, starts } = this.#blocks[at] as Block;
    this.#blocks[at] = undefined;
    this.#bytes -= bytes.length;
    for (const [place, document] of documents.entries()) {
      const start = starts[place] as number;
      if (this.#blockOf[document] !== at || this.#startOf[document] !== start) continue;
      this.#blockOf[document] = -1;
      this.#write(document, bytes.subarray(start, start + (this.#lengthOf[document] as number)));
    }
  }

  #grow(size: number): void {
    this.#size = Math.max(this.#size, size);
    if (size <= this.#blockOf.length) return;
    const length = Math.max(size, 2 * this.#blockOf.length);
    const blockOf = new Int32Array(length).fill(-1);
    blockOf.set(this.#blockOf);
    this.#blockOf = blockOf;
    const startOf = new Uint32Array(length);
    startOf.set(this.#startOf);
    this.#startOf = startOf;
    const lengthOf = new Uint32Array(length);
    lengthOf.set(this.#lengthOf);
    this.#lengthOf = lengthOf;
  }
}

/** As `frequency` guesses; each text once. */
export function rarestWordsFirst(corpus: TextCorpus, words: readonly string[]): string[] {
  const distinct = [...new Set(words)];
  if (distinct.length < 2) return distinct;
  const frequencies = new Map(distinct.map((word) => [word, corpus.frequency(word)]));
  return distinct.sort((a, b) => (frequencies.get(a) ?? 0) - (frequencies.get(b) ?? 0));
}

export function united(a: DocumentSet, b: DocumentSet): DocumentSet {
  const [longer, shorter] = a.length < b.length ? [b, a] : [a, b];
  return longer.map((isIn, document) => isIn | (shorter[document] ?? 0));
}

const documentsPerPause = 1000;

/** The section around a place of a text, and where it ends. */
function sectionAt(
  bytes: Buffer,
  at: number,
  document: { start: number; end: number },
): { text: string; end: number } {
  let start = at;
  while (start > document.start && bytes[start - 1] !== sectionEndByte) start -= 1;
  const next = bytes.indexOf(sectionEndByte, at);
  const end = next < 0 ? document.end : Math.min(next, document.end);
  return { text: bytes.toString('utf8', start, end), end };
}
