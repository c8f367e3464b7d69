// Writes MessagePack for stored records and for the arguments of scripts. Redis' Lua knows no
// binary type, so in arguments bytes are written as strings. Only what those two need: lists,
// texts, bytes, numbers, booleans and null; the general library does the reading. A record inside
// an argument is written in place, with its length filled in afterwards, so a commit is built
// without a buffer per record. One growing buffer is reused.

export type EnvelopeValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | Uint8Array
  | NestedRecord
  | readonly EnvelopeValue[];

/** A record that is to arrive as one string (its bytes), such as a field's value. */
export class NestedRecord {
  constructor(
    readonly fields: readonly EnvelopeValue[],
    /** Bytes that it takes, nearly. */
    readonly length: number,
  ) {}
}

const startBytes = 256 * 1024;
/** A buffer that one huge argument has made larger is not kept. */
const keptBytesMax = 4 * 1024 * 1024;
/** Room for any header and number. */
const slack = 16;
/** Up to here writing character by character beats the native call. */
const shortTextMax = 12;

let buffer = Buffer.allocUnsafeSlow(startBytes);
let view = new DataView(buffer.buffer);
let position = 0;
/** First of the three headers of bytes: d9 for strings, c4 for the binary type. */
let bytesHeader = 0xd9;

/** Arguments of a script. */
export function packEnvelope(value: EnvelopeValue): Buffer {
  bytesHeader = 0xd9;
  return pack(value);
}

/** A stored record; absent values become null. */
export function packFields(fields: readonly EnvelopeValue[]): Buffer {
  bytesHeader = 0xc4;
  return pack(fields);
}

/** The bytes are the caller's. */
function pack(value: EnvelopeValue): Buffer {
  position = 0;
  write(value);
  const bytes = Buffer.allocUnsafe(position);
  buffer.copy(bytes, 0, 0, position);
  if (buffer.length > keptBytesMax) replaceBuffer(startBytes);
  return bytes;
}

function replaceBuffer(bytes: number): void {
  buffer = Buffer.allocUnsafeSlow(bytes);
  view = new DataView(buffer.buffer);
}

function ensure(bytes: number): void {
  const needed = position + bytes;
  if (needed <= buffer.length) return;
  const smaller = buffer;
  replaceBuffer(Math.max(needed, buffer.length * 2));
  smaller.copy(buffer, 0, 0, position);
}

function write(value: EnvelopeValue): void {
  switch (typeof value) {
    case 'string':
      return writeText(value);
    case 'number':
      return writeNumber(value);
    case 'boolean':
      ensure(slack);
      buffer[position++] = value ? 0xc3 : 0xc2;
      return;
    case 'undefined':
      ensure(slack);
      buffer[position++] = 0xc0;
      return;
    default:
      if (value === null) return write(undefined);
      if (value instanceof NestedRecord) return writeNested(value);
      if (value instanceof Uint8Array) return writeBytes(value);
      writeList(value);
  }
}

function writeList(list: readonly EnvelopeValue[]): void {
  ensure(slack);
  const { length } = list;
  if (length < 16) {
    buffer[position++] = 0x90 | length;
  } else {
    buffer[position] = 0xdd;
    view.setUint32(position + 1, length);
    position += 5;
  }
  for (let i = 0; i < length; i++) write(list[i]);
}

function writeNested(record: NestedRecord): void {
  ensure(slack);
  const start = position;
  const header = bytesHeader;
  buffer[start] = header + 2;
  position = start + 5;
  bytesHeader = 0xc4;
  writeList(record.fields);
  bytesHeader = header;
  view.setUint32(start + 1, position - start - 5);
}

/**
 * The length is filled in afterwards: the header is chosen for the longest that the text can
 * become.
 */
function writeText(text: string): void {
  const { length } = text;
  const longest = length * 3;
  ensure(longest + slack);
  if (length <= shortTextMax) return writeShortText(text, length, longest);
  const start = position;
  if (longest < 65_536) {
    position = start + 3;
    const bytes = buffer.write(text, position);
    buffer[start] = 0xda;
    view.setUint16(start + 1, bytes);
    position += bytes;
  } else {
    position = start + 5;
    const bytes = buffer.write(text, position);
    buffer[start] = 0xdb;
    view.setUint32(start + 1, bytes);
    position += bytes;
  }
}

function writeShortText(text: string, length: number, longest: number): void {
  const start = position;
  const target = buffer;
  const first = longest < 32 ? start + 1 : start + 2;
  let end = first;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) {
      end = first + target.write(text, first);
      break;
    }
    target[end++] = code;
  }
  if (longest < 32) {
    target[start] = 0xa0 | (end - first);
  } else {
    target[start] = 0xd9;
    target[start + 1] = end - first;
  }
  position = end;
}

function writeBytes(bytes: Uint8Array): void {
  const { length } = bytes;
  ensure(length + slack);
  if (length < 256) {
    buffer[position] = bytesHeader;
    buffer[position + 1] = length;
    position += 2;
  } else {
    buffer[position] = bytesHeader + 2;
    view.setUint32(position + 1, length);
    position += 5;
  }
  buffer.set(bytes, position);
  position += length;
}

function writeNumber(value: number): void {
  ensure(slack);
  const whole = value >>> 0;
  if (whole !== value) {
    buffer[position] = 0xcb;
    view.setFloat64(position + 1, value);
    position += 9;
  } else if (whole < 128) {
    buffer[position++] = whole;
  } else if (whole < 65_536) {
    buffer[position] = 0xcd;
    view.setUint16(position + 1, whole);
    position += 3;
  } else {
    buffer[position] = 0xce;
    view.setUint32(position + 1, whole);
    position += 5;
  }
}
