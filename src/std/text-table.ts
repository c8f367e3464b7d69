// A map whose keys are texts of strangers: names in requests that nobody has checked. It holds so
// many entries and so many bytes at most, and forgets what was used longest ago. A key that is long
// is held as its SHA-256, so that no name takes more room than another. Where a read is made all
// the time and must cost no hash, keys are held as they are and only counted.
import { createHash } from 'node:crypto';
import { Lru } from './lru.js';

/** Longer keys are held as their hash, which has 43 characters: never as many as a key itself. */
const keyCharsMax = 40;
/** About what an entry takes beside its key's text and what its value weighs, bytes. */
const entryBytes = 120;

export interface TextTableLimits<Value> {
  /** Keys are held as they are, however long: `bytesMax` must be given. */
  readonly wholeKeys?: true;
  readonly entriesMax: number;
  /** Bytes of all keys and values, as this table counts them; absent: of no matter. */
  readonly bytesMax?: number;
  /** The weight of a value, bytes; absent: nothing. */
  readonly bytesOf?: (value: Value, key: string) => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

export class TextTable<Value> {
  readonly #entries: Lru<string, Entry<Value>>;
  #bytes = 0;

  constructor(private readonly limits: TextTableLimits<Value>) {
    this.#entries = new Lru(limits.entriesMax, (entry) => (this.#bytes -= entry.bytes));
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all entries, about. */
  get bytes(): number {
    return this.#bytes;
  }

  get(text: string): Value | undefined {
    return this.#entries.get(this.#keyOf(text))?.value;
  }

  /** A value that is heavier than the whole table is not kept. */
  set(text: string, value: Value): void {
    const { bytesMax = Number.POSITIVE_INFINITY, bytesOf } = this.limits;
    const key = this.#keyOf(text);
    const bytes = entryBytes + 2 * key.length + (bytesOf?.(value, text) ?? 0);
    this.delete(text);
    if (bytes > bytesMax) return;
    this.#bytes += bytes;
    this.#entries.set(key, { value, bytes });
    while (this.#bytes > bytesMax) this.#entries.deleteOldest();
  }

  /** As they are held. */
  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  delete(text: string): void {
    this.#entries.delete(this.#keyOf(text));
  }

  clear(): void {
    this.#entries.clear();
  }

  #keyOf(text: string): string {
    if (text.length <= keyCharsMax || this.limits.wholeKeys === true) return text;
    return createHash('sha256').update(text).digest('base64url');
  }
}
