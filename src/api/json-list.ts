// Answers that are lists of texts which are JSON already: tasks for a poll, definitions. Their
// bytes are written at once: one text of them all would be laid out in memory, measured and then
// written, which for batches of tasks took 2 % of the node and made a twelfth of its garbage.
import { inSlices, type Steps } from '../std/slices.js';
import type { ApiResponse } from './http-server.js';

/** Room for the answers of most polls. */
const scratch = Buffer.allocUnsafeSlow(1024 * 1024);
/** Bytes of a character of UTF-16 at most. */
const bytesPerCharMax = 3;

/** 200 with a JSON list. */
export function jsonList(items: readonly string[]): ApiResponse {
  return listOf(listBytes(items));
}

/**
 * As `jsonList`, of any number of items whose texts are made here: texts and bytes in slices of the
 * event loop, since some thousand definitions are tens of MB.
 */
export async function jsonListInSlices<T>(
  items: readonly T[],
  textOf: (item: T) => Steps<string>,
): Promise<ApiResponse> {
  return listOf(await inSlices(layingOut(items, textOf)));
}

function listOf(body: Buffer | string): ApiResponse {
  return { status: 200, contentType: 'application/json', body };
}

/** Characters of a slice, some hundred microseconds of work; one item may have more. */
const charsPerSlice = 64 * 1024;

function* layingOut<T>(
  items: readonly T[],
  textOf: (item: T) => Steps<string>,
): Steps<Buffer | string> {
  const pieces: Buffer[] = [];
  let text = '[';
  for (const [index, item] of items.entries()) {
    const next = yield* textOf(item);
    text += index === 0 ? next : `,${next}`;
    if (text.length < charsPerSlice) continue;
    pieces.push(Buffer.from(text));
    text = '';
    yield;
  }
  text += ']';
  return pieces.length === 0 ? text : yield* joining([...pieces, Buffer.from(text)]);
}

/** As `Buffer.concat`: writing memory that is new takes longer than laying the text out. */
function* joining(pieces: readonly Buffer[]): Steps<Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    end += piece.copy(whole, end);
    if (end % (16 * charsPerSlice) < piece.length) yield;
  }
  return whole;
}

function listBytes(items: readonly string[]): Buffer | string {
  let end = 0;
  for (const item of items) {
    const room = scratch.length - end - '[]'.length;
    if (item.length * bytesPerCharMax > room) return `[${items.join(',')}]`;
    scratch[end] = end === 0 ? openingBracket : comma;
    end += 1 + scratch.write(item, end + 1);
  }
  if (end === 0) return '[]';
  scratch[end++] = closingBracket;
  return Buffer.from(scratch.subarray(0, end));
}

const openingBracket = 0x5b;
const closingBracket = 0x5d;
const comma = 0x2c;
