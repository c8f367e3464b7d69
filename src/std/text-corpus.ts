// Texts of many documents in memory, searched for any part of them. They stand in lower case as
// UTF-8 in blocks outside the heap, one behind the other, and a search runs over the blocks: about
// 1 GB/s, which no index of substrings beats below some gigabytes, and it costs nothing beside the
// texts (24 bytes a document). A document that changes is written anew at the end; a block in
// which little is alive is written anew too.
//
// A search answers a set of document numbers, one bit each. Its steps pause after every block, and
// a document that changes meanwhile may or may not be found.
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

/** A set of document numbers. */
export type DocumentSet = Uint8Array;

export class TextCorpus {
  #blocks: (Block | undefined)[] = [];
  #open = -1;
  /** Block of each document, -1 = there is none. */
  #blockOf = new Int32Array(1024).fill(-1);
  #startOf = new Uint32Array(1024);
  #lengthOf = new Uint32Array(1024);
  #bytes = 0;
  #size = 0;

  /** Bytes of all blocks. */
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

  /** All documents. */
  everything(): DocumentSet {
    const found = new Uint8Array(this.#size);
    for (let document = 0; document < this.#size; document += 1) {
      if ((this.#blockOf[document] as number) >= 0) found[document] = 1;
    }
    return found;
  }

  /** Documents that hold `part`, which is in lower case and not empty. */
  *containing(part: string): Steps<DocumentSet> {
    const found = new Uint8Array(this.#size);
    const wanted = Buffer.from(part);
    for (let at = 0; at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at];
      if (block === undefined) continue;
      this.#searchBlock(at, block, { wanted, found });
      yield;
    }
    return found;
  }

  #searchBlock(
    at: number,
    { bytes, used, documents, starts }: Block,
    { wanted, found }: { wanted: Buffer; found: DocumentSet },
  ): void {
    const whole = bytes.subarray(0, used);
    let place = 0;
    for (let from = whole.indexOf(wanted); from >= 0;) {
      while (place + 1 < starts.length && (starts[place + 1] as number) <= from) place += 1;
      const document = documents[place] as number;
      const end = starts[place + 1] ?? used;
      const isAlive =
        this.#blockOf[document] === at && this.#startOf[document] === (starts[place] as number);
      if (from + wanted.length > end) {
        // It runs over the end of a text: not a hit, another may begin right behind.
        from = whole.indexOf(wanted, from + 1);
        continue;
      }
      if (isAlive) found[document] = 1;
      from = end >= used ? -1 : whole.indexOf(wanted, end);
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
