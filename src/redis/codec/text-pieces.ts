// A huge text stands in pieces, because one write of many megabytes holds Redis, and so everybody's
// commits, for tens of milliseconds. Its field holds a mark, which is a text of format 2: how many
// pieces there are, and the field that they are named after. They are fields of the same segment,
// `p<n>.<field>`. Two fields that have the same text, such as the output of a task and that of its
// execution, name the same pieces, which are written once.
import { FormatError, textFormatCode, type StoredValue } from './record.js';

export const textPieceBytes = 512 * 1024;

export interface TextPieces {
  /** Field that they are named after. */
  readonly of: string;
  readonly count: number;
}

const piecesFormatCode = 0x32;

export function pieceName(of: string, number: number): string {
  return `p${number}.${of}`;
}

export function pieceNames({ of, count }: TextPieces): string[] {
  return Array.from({ length: count }, (_, number) => pieceName(of, number));
}

/** The mark that the field holds in place of its text. */
export function markOf({ of, count }: TextPieces): string {
  return `${String.fromCharCode(piecesFormatCode)}${count}.${of}`;
}

/** `bytes` in pieces of `textPieceBytes`, which share its memory. */
export function cutIntoPieces(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += textPieceBytes) {
    pieces.push(bytes.subarray(start, start + textPieceBytes));
  }
  return pieces;
}

/**
 * Puts the texts of one segment together, and takes the pieces out of its fields. Returns which
 * fields had pieces. Throws Error when one is missing.
 */
export function joinPieces(fields: Map<string, StoredValue>): Map<string, TextPieces> {
  const found = new Map<string, TextPieces>();
  for (const [name, value] of fields) {
    const pieces = readMark(value);
    if (pieces === undefined || isPiece(name)) continue;
    const parts: Uint8Array[] = [textStart];
    for (const piece of pieceNames(pieces)) {
      const part = fields.get(piece);
      if (!(part instanceof Uint8Array)) throw new Error(`The text ${name} lacks ${piece}`);
      parts.push(part);
    }
    found.set(name, pieces);
    fields.set(name, Buffer.concat(parts));
  }
  for (const name of fields.keys()) if (isPiece(name)) fields.delete(name);
  return found;
}

const textStart = Uint8Array.of(textFormatCode);

function isPiece(name: string): boolean {
  return name.startsWith('p');
}

function readMark(value: StoredValue): TextPieces | undefined {
  if (!(value instanceof Uint8Array) || value[0] !== piecesFormatCode) return undefined;
  const [, count, of] = /^2(\d+)\.([iov]\d*)$/.exec(Buffer.from(value).toString('latin1')) ?? [];
  if (count === undefined || of === undefined) throw new FormatError('text in pieces', '2', 1);
  return { of, count: Number(count) };
}
