// The outer form of every stored record: a MessagePack array whose first element is the format
// number of that kind of record, or, for texts, one format character in front. A reader refuses a
// newer format by name (invariants I17).
import { Unpackr } from 'msgpackr';
import { packFields } from './envelope.js';
import type { PackValue } from './packer.js';

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
export function packRecord(fields: readonly PackValue[]): Buffer {
  return packFields(fields);
}

/**
 * A value as it was read: bytes; or what it became as a part of another record, a text or, of a
 * record, its fields.
 */
export type StoredValue = Uint8Array | string | readonly unknown[];

/**
 * The positional fields of a record of `kind`, format number first. Throws FormatError for a newer
 * format.
 */
export function unpackRecord(
  kind: string,
  stored: StoredValue,
  formatMax: number,
): readonly unknown[] {
  const fields: unknown = stored instanceof Uint8Array ? reader.unpack(stored) : stored;
  if (!Array.isArray(fields) || typeof fields[0] !== 'number' || fields[0] > formatMax) {
    throw new FormatError(kind, Array.isArray(fields) ? fields[0] : 'unknown', formatMax);
  }
  return fields as readonly unknown[];
}

/** A value that a script packed, which has no format number. */
export function unpackValue(bytes: Uint8Array): unknown {
  return reader.unpack(bytes);
}

/** Values that stand in a row, and where the last of them ends. */
export interface UnpackedValues {
  readonly values: readonly unknown[];
  readonly end: number;
}

/**
 * Values of several in a row, as long as those so far ask for another one; undefined when `bytes`
 * end before that.
 */
export function unpackWhile(
  bytes: Uint8Array,
  wantsMore: (values: readonly unknown[]) => boolean,
): UnpackedValues | undefined {
  const values: unknown[] = [];
  let end: number | undefined;
  try {
    reader.unpackMultiple(bytes, (value, _, endOfValue) => {
      values.push(value);
      if (wantsMore(values)) return undefined;
      end = endOfValue;
      return false;
    });
  } catch (error) {
    if ((error as { incomplete?: boolean }).incomplete !== true) throw error;
  }
  return end === undefined ? undefined : { values, end };
}

const textFormat = '1';
export const textFormatCode = 0x31;

/** JSON text behind its format character. */
export function packText(text: string): string {
  return textFormat + text;
}

/** JSON text of a stored text record. Throws FormatError for a newer format. */
export function unpackText(kind: string, stored: StoredValue): string {
  const isText = typeof stored === 'string';
  const format = isText ? stored.charCodeAt(0) : stored[0];
  if (format !== textFormatCode || Array.isArray(stored)) {
    throw new FormatError(kind, String.fromCharCode(Number(format)), 1);
  }
  return isText ? stored.slice(1) : (stored as Buffer).toString('utf8', 1);
}
