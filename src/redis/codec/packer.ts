// Writes MessagePack for stored records and for the arguments of scripts into one growing buffer.
// Only what those two need: lists, texts, bytes, numbers, booleans and null; the general library
// does the reading. Redis' Lua knows no binary type, so in arguments bytes are written as strings.
// A record inside an argument is one string (its bytes), and inside a record a list.

export type PackValue =
  string | number | boolean | null | undefined | Uint8Array | readonly PackValue[];

const startBytes = 256 * 1024;
/** A buffer that one huge argument has made larger is not kept. */
const keptBytesMax = 16 * 1024 * 1024;
/** Room for any header and number. */
const slack = 16;
/** Up to here writing character by character beats the native call, which takes some 900 steps. */
const shortTextMax = 20;
/** From here on the bytes are counted first: three times the characters would be a large buffer. */
const countedTextMin = 64 * 1024;

/** Called as such: looking up a text's property is slow where texts have many inner forms. */
const codeAt = String.prototype.charCodeAt;

export class Packer {
  position = 0;
  #buffer = Buffer.allocUnsafeSlow(startBytes);
  #view = new DataView(this.#buffer.buffer);
  #inRecord = false;

  /** Begins anew; what was written before is void. */
  clear(): void {
    this.position = 0;
    this.#inRecord = false;
    if (this.#buffer.length > keptBytesMax) this.#replaceBuffer(startBytes);
  }

  /** Takes back all writes from `start` on, and a record or list under way with them. */
  rewind(start: number): void {
    this.position = start;
    this.#inRecord = false;
  }

  /** A copy of what has been written from `start` on. */
  take(start = 0): Buffer {
    const bytes = Buffer.allocUnsafe(this.position - start);
    this.#buffer.copy(bytes, 0, start, this.position);
    return bytes;
  }

  /** A list of `length` values that have been written already, from place to place, as bytes. */
  listOf(
    length: number,
    parts: readonly { readonly start: number; readonly end: number }[],
  ): Buffer {
    const bytes = parts.reduce((sum, { start, end }) => sum + end - start, 5);
    const list = Buffer.allocUnsafe(bytes);
    list[0] = 0xdd;
    list.writeUInt32BE(length, 1);
    let at = 5;
    for (const { start, end } of parts) at += this.#buffer.copy(list, at, start, end);
    return list;
  }

  /** Appends bytes of another packer as they are. */
  append(from: Packer, start: number, end: number): void {
    this.#ensure(end - start);
    from.#buffer.copy(this.#buffer, this.position, start, end);
    this.position += end - start;
  }

  /** Begins a list whose length is known. */
  list(length: number): void {
    this.#ensure(slack);
    if (length < 16) this.#buffer[this.position++] = 0x90 | length;
    else this.#longList(length);
  }

  /** Begins a list whose length `endList` fills in; returns its place. */
  startList(): number {
    this.#ensure(slack);
    this.#longList(0);
    return this.position - 5;
  }

  endList(at: number, length: number): void {
    this.#view.setUint32(at + 1, length);
  }

  /** Begins a record of `length` fields; ends with `endRecord`. */
  startRecord(length: number): number {
    const at = this.#inRecord ? -1 : this.startString();
    this.list(length);
    return at;
  }

  endRecord(at: number): void {
    if (at >= 0) this.endString(at);
  }

  /** Begins a string of records that `endString` ends. */
  startString(): number {
    this.#ensure(slack);
    const at = this.position;
    this.#buffer[at] = 0xdb;
    this.position = at + 5;
    this.#inRecord = true;
    return at;
  }

  endString(at: number): void {
    this.#inRecord = false;
    this.#view.setUint32(at + 1, this.position - at - 5);
  }

  /** Bytes are written as such, as in a record, until `clear`. */
  asRecord(): void {
    this.#inRecord = true;
  }

  value(value: PackValue): void {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return this.number(value);
      case 'boolean':
        return this.boolean(value);
      case 'undefined':
        return this.nothing();
      default:
        if (value === null) return this.nothing();
        if (value instanceof Uint8Array) return this.bytes(value);
        this.list(value.length);
        for (let i = 0; i < value.length; i++) this.value(value[i]);
    }
  }

  nothing(): void {
    this.#ensure(slack);
    this.#buffer[this.position++] = 0xc0;
  }

  boolean(value: boolean): void {
    this.#ensure(slack);
    this.#buffer[this.position++] = value ? 0xc3 : 0xc2;
  }

  number(value: number): void {
    this.#ensure(slack);
    const whole = value >>> 0;
    const target = this.#buffer;
    if (whole !== value) {
      target[this.position] = 0xcb;
      this.#view.setFloat64(this.position + 1, value);
      this.position += 9;
    } else if (whole < 128) {
      target[this.position++] = whole;
    } else if (whole < 65_536) {
      target[this.position] = 0xcd;
      this.#view.setUint16(this.position + 1, whole);
      this.position += 3;
    } else {
      target[this.position] = 0xce;
      this.#view.setUint32(this.position + 1, whole);
      this.position += 5;
    }
  }

  /**
   * The length is filled in afterwards: the header is chosen for the longest that the text can
   * become. `prefix`: one ASCII character that comes before it.
   */
  text(value: string, prefix = 0): void {
    // Known to be a text then, so that its length is no lookup either.
    const text = String(value);
    const { length } = text;
    const room = prefix === 0 ? 0 : 1;
    const longest = (length < countedTextMin ? length * 3 : Buffer.byteLength(text)) + room;
    this.#ensure(longest + (length < countedTextMin ? slack : startBytes));
    if (length <= shortTextMax && room === 0) return this.#shortText(text, length, longest);
    const start = this.position;
    const header = longest < 65_536 ? 3 : 5;
    if (room === 1) this.#buffer[start + header] = prefix;
    const bytes = room + this.#buffer.write(text, start + header + room);
    if (header === 3) {
      this.#buffer[start] = 0xda;
      this.#view.setUint16(start + 1, bytes);
    } else {
      this.#buffer[start] = 0xdb;
      this.#view.setUint32(start + 1, bytes);
    }
    this.position = start + header + bytes;
  }

  /** As `text`, but for its `bytes` bytes, which follow apart. */
  startText(bytes: number, prefix: number): void {
    this.#ensure(slack);
    this.#buffer[this.position] = 0xdb;
    this.#view.setUint32(this.position + 1, bytes + 1);
    this.#buffer[this.position + 5] = prefix;
    this.position += 6;
  }

  /** A string of so many bytes, which follow apart. */
  startBytes(bytes: number): void {
    this.#ensure(slack);
    this.#buffer[this.position] = 0xdb;
    this.#view.setUint32(this.position + 1, bytes);
    this.position += 5;
  }

  /** A text whose ASCII characters stand at the beginning of `from`; at most 255. */
  ascii(from: Uint8Array, length: number): void {
    this.#ensure(length + slack);
    const target = this.#buffer;
    let end = this.position;
    if (length < 32) target[end++] = 0xa0 | length;
    else {
      target[end++] = 0xd9;
      target[end++] = length;
    }
    for (let i = 0; i < length; i++) target[end++] = from[i] as number;
    this.position = end;
  }

  /** A text, or null for undefined and null. */
  textIfAny(text: string | null | undefined): void {
    if (text === undefined || text === null) this.nothing();
    else this.text(text);
  }

  listIfAny(list: readonly PackValue[] | null): void {
    if (list === null) this.nothing();
    else this.value(list);
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#ensure(length + slack);
    const header = this.#inRecord ? 0xc4 : 0xd9;
    if (length < 256) {
      this.#buffer[this.position] = header;
      this.#buffer[this.position + 1] = length;
      this.position += 2;
    } else {
      this.#buffer[this.position] = header + 2;
      this.#view.setUint32(this.position + 1, length);
      this.position += 5;
    }
    this.#buffer.set(bytes, this.position);
    this.position += length;
  }

  #longList(length: number): void {
    this.#buffer[this.position] = 0xdd;
    this.#view.setUint32(this.position + 1, length);
    this.position += 5;
  }

  #shortText(text: string, length: number, longest: number): void {
    const start = this.position;
    const target = this.#buffer;
    const first = longest < 32 ? start + 1 : start + 2;
    let end = first;
    for (let i = 0; i < length; i++) {
      const code = codeAt.call(text, i);
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
    this.position = end;
  }

  #replaceBuffer(bytes: number): void {
    this.#buffer = Buffer.allocUnsafeSlow(bytes);
    this.#view = new DataView(this.#buffer.buffer);
  }

  #ensure(bytes: number): void {
    const needed = this.position + bytes;
    if (needed <= this.#buffer.length) return;
    const smaller = this.#buffer;
    this.#replaceBuffer(Math.max(needed, smaller.length * 2));
    smaller.copy(this.#buffer, 0, 0, this.position);
  }
}
