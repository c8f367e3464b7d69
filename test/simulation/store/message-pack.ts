// MessagePack as the scripts of the store read and write it (`cmsgpack`). Strings are bytes, one
// character per byte, as everywhere in the store of the simulation.

export type Packed = number | string | boolean | null | Packed[];

export function unpack(bytes: string): Packed {
  return new Reader(bytes).value();
}

class Reader {
  #at = 0;

  constructor(private readonly bytes: string) {}

  value(): Packed {
    const tag = this.#uint(1);
    if (tag < 0x80) return tag;
    if (tag < 0x90) throw new Error('The scripts take no maps');
    if (tag < 0xa0) return this.#list(tag & 0x0f);
    if (tag < 0xc0) return this.#text(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x100;
    return this.#tagged(tag);
  }

  #tagged(tag: number): Packed {
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xd9:
        return this.#text(this.#uint(1));
      case 0xc5:
      case 0xda:
        return this.#text(this.#uint(2));
      case 0xc6:
      case 0xdb:
        return this.#text(this.#uint(4));
      case 0xcb:
        return Buffer.from(this.#text(8), 'latin1').readDoubleBE();
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return this.#uint(2 ** (tag - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return this.#int(2 ** (tag - 0xd0));
      case 0xdc:
        return this.#list(this.#uint(2));
      case 0xdd:
        return this.#list(this.#uint(4));
      default:
        throw new Error(`Unknown MessagePack tag ${tag}`);
    }
  }

  #list(length: number): Packed[] {
    const list = new Array<Packed>(length);
    for (let i = 0; i < length; i++) list[i] = this.value();
    return list;
  }

  #text(length: number): string {
    const text = this.bytes.slice(this.#at, this.#at + length);
    if (text.length !== length) throw new Error('MessagePack ends too early');
    this.#at += length;
    return text;
  }

  #uint(length: number): number {
    let value = 0;
    for (const end = this.#at + length; this.#at < end; this.#at++) {
      value = value * 256 + this.bytes.charCodeAt(this.#at);
    }
    return value;
  }

  #int(length: number): number {
    const value = this.#uint(length);
    return value >= 2 ** (8 * length - 1) ? value - 2 ** (8 * length) : value;
  }
}

/** Bytes of a value; whole numbers as whole numbers, as the scripts write them. */
export function pack(value: Packed): string {
  if (value === null) return '\xc0';
  if (typeof value === 'boolean') return value ? '\xc3' : '\xc2';
  if (typeof value === 'number') return packNumber(value);
  if (typeof value === 'string') return packText(value);
  const { length } = value;
  const start = length < 16 ? uint(0x90 + length, 1) : `\xdc${uint(length, 2)}`;
  return start + value.map(pack).join('');
}

function packText(text: string): string {
  const { length } = text;
  if (length < 32) return uint(0xa0 + length, 1) + text;
  if (length < 2 ** 8) return `\xd9${uint(length, 1)}${text}`;
  if (length < 2 ** 16) return `\xda${uint(length, 2)}${text}`;
  return `\xdb${uint(length, 4)}${text}`;
}

function packNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new Error(`The scripts pack no ${value}`);
  }
  if (value < 2 ** 7) return uint(value, 1);
  if (value < 2 ** 8) return `\xcc${uint(value, 1)}`;
  if (value < 2 ** 16) return `\xcd${uint(value, 2)}`;
  if (value < 2 ** 32) return `\xce${uint(value, 4)}`;
  return `\xcf${uint(value, 8)}`;
}

function uint(value: number, length: number): string {
  let text = '';
  for (let left = value, i = 0; i < length; i++, left = Math.floor(left / 256)) {
    text = String.fromCharCode(left % 256) + text;
  }
  return text;
}
