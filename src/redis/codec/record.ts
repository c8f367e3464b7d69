// The outer form of every stored record: a MessagePack array whose first element is the format
// number of that kind of record, or, for texts, one format character in front. A reader refuses a
// newer format by name (invariants I17).
import { Unpackr } from 'msgpackr';
import { packFields, type EnvelopeValue } from './envelope.js';

const reader = new Unpackr({ useRecords: false, int64AsType: 'number' });

/** The store holds a record of a format that this version does not know. */
export class FormatError extends Error {
  constructor(kind: string, found: unknown, known: number) {
    super(
      `The store holds a ${kind} of format ${String(found)}; this version reads formats up to ${known}. ` +
        'Run the newer version that wrote it.',
    );
    this.name = 'FormatError';
  }
}

/** MessagePack of a positional record; `fields[0]` is its format number. */
export function packRecord(fields: readonly EnvelopeValue[]): Buffer {
  return packFields(fields);
}

/**
 * The positional fields of a record of `kind`, format number first. Throws FormatError for a newer
 * format.
 */
export function unpackRecord(kind: string, bytes: Uint8Array, formatMax: number): unknown[] {
  const fields = reader.unpack(bytes) as unknown;
  if (!Array.isArray(fields) || typeof fields[0] !== 'number' || fields[0] > formatMax) {
    throw new FormatError(kind, Array.isArray(fields) ? fields[0] : 'unknown', formatMax);
  }
  return fields;
}

const textFormat = '1';
const textFormatCode = 0x31;

/** JSON text behind its format character. */
export function packText(text: string): string {
  return textFormat + text;
}

/** JSON text of a stored text record. Throws FormatError for a newer format. */
export function unpackText(kind: string, bytes: Buffer): string {
  if (bytes[0] !== textFormatCode)
    throw new FormatError(kind, String.fromCharCode(bytes[0] ?? 63), 1);
  return bytes.toString('utf8', 1);
}
