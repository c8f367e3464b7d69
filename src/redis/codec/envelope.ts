// MessagePack for the arguments of scripts, as Redis' Lua can read it: it knows no binary type, so byte strings are written
// as strings. Only what arguments need: lists, texts, bytes, numbers, booleans. One growing buffer is reused, because this
// runs for every commit.

export type EnvelopeValue = string | number | boolean | Uint8Array | readonly EnvelopeValue[];

const startBytes = 256 * 1024;
/** A buffer that one huge argument has made larger is not kept. */
const keptBytesMax = 4 * 1024 * 1024;
/** Room for any header and number. */
const slack = 16;

let buffer = Buffer.allocUnsafeSlow(startBytes);
let position = 0;

/** The bytes of `value`; they are the caller's. */
export function packEnvelope(value: EnvelopeValue): Buffer {
  position = 0;
  write(value);
  const bytes = Buffer.allocUnsafe(position);
  buffer.copy(bytes, 0, 0, position);
  if (buffer.length > keptBytesMax) buffer = Buffer.allocUnsafeSlow(startBytes);
  return bytes;
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
    default:
      if (value instanceof Uint8Array) return writeBytes(value);
      ensure(slack);
      writeListHeader(value.length);
      for (const item of value) write(item);
  }
}

function ensure(bytes: number): void {
  const needed = position + bytes;
  if (needed <= buffer.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, buffer.length * 2));
  buffer.copy(larger, 0, 0, position);
  buffer = larger;
}

/** The length is filled in afterwards: the header is chosen for the longest that the text can become. */
function writeText(text: string): void {
  const longest = text.length * 3;
  ensure(longest + slack);
  if (longest < 32) {
    const start = position++;
    const bytes = writeShort(text);
    buffer[start] = 0xa0 | bytes;
  } else if (longest < 256) {
    buffer[position] = 0xd9;
    const start = position + 1;
    position += 2;
    buffer[start] = text.length < 16 ? writeShort(text) : writeLong(text);
  } else if (longest < 65_536) {
    buffer[position] = 0xda;
    const start = position + 1;
    position += 3;
    buffer.writeUInt16BE(writeLong(text), start);
  } else {
    buffer[position] = 0xdb;
    const start = position + 1;
    position += 5;
    buffer.writeUInt32BE(writeLong(text), start);
  }
}

/** Character by character, which beats the native call for texts of a few characters. */
function writeShort(text: string): number {
  const start = position;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) {
      position = start;
      return writeLong(text);
    }
    buffer[position++] = code;
  }
  return position - start;
}

function writeLong(text: string): number {
  const bytes = buffer.write(text, position);
  position += bytes;
  return bytes;
}

function writeBytes(bytes: Uint8Array): void {
  const { length } = bytes;
  ensure(length + slack);
  if (length < 256) {
    buffer[position++] = 0xd9;
    buffer[position++] = length;
  } else if (length < 65_536) {
    buffer[position++] = 0xda;
    position = buffer.writeUInt16BE(length, position);
  } else {
    buffer[position++] = 0xdb;
    position = buffer.writeUInt32BE(length, position);
  }
  buffer.set(bytes, position);
  position += length;
}

function writeNumber(value: number): void {
  ensure(slack);
  if (value >= 0 && value < 128 && Number.isInteger(value)) {
    buffer[position++] = value;
  } else if (value >= 0 && value < 65_536 && Number.isInteger(value)) {
    buffer[position++] = 0xcd;
    position = buffer.writeUInt16BE(value, position);
  } else {
    buffer[position++] = 0xcb;
    position = buffer.writeDoubleBE(value, position);
  }
}

function writeListHeader(length: number): void {
  if (length < 16) {
    buffer[position++] = 0x90 | length;
  } else if (length < 65_536) {
    buffer[position++] = 0xdc;
    position = buffer.writeUInt16BE(length, position);
  } else {
    buffer[position++] = 0xdd;
    position = buffer.writeUInt32BE(length, position);
  }
}
