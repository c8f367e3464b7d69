// Bytes that look random and repeat with their seed: for test servers, whose runs are to repeat.
// Each purpose has a sequence of its own, so that what one part draws does not move another's.
// Nothing secret may come from here.
import { createHash } from 'node:crypto';

export type FillRandom = (bytes: Buffer) => void;

export class SeededBytes {
  readonly #drawn = new Map<string, number>();

  constructor(private readonly seed: number) {}

  of(purpose: string): FillRandom {
    return (bytes) => {
      for (let at = 0; at < bytes.length;) {
        at += this.#block(purpose).copy(bytes, at);
      }
    };
  }

  /** An id in the form of a UUID (version 4). */
  uuid(purpose: string): string {
    const bytes = Buffer.alloc(16);
    this.of(purpose)(bytes);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  #block(purpose: string): Buffer {
    const count = this.#drawn.get(purpose) ?? 0;
    this.#drawn.set(purpose, count + 1);
    return createHash('sha256').update(`${this.seed}|${purpose}|${count}`).digest();
  }
}
