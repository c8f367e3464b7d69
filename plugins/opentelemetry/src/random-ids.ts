// Random ids of traces and spans. The start of every execution asks for one before the sampler says
// that it does not want the trace, so they come from bytes drawn in advance: 0.1 us each.
import { randomFillSync } from 'node:crypto';

const bytesDrawn = 8192;

export class RandomIds {
  readonly #bytes = Buffer.alloc(bytesDrawn);
  #used = bytesDrawn;

  /** Hexadecimal digits of so many random bytes; not all of them are zero. */
  next(bytes: 8 | 16): string {
    if (this.#used + bytes > bytesDrawn) {
      randomFillSync(this.#bytes);
      this.#used = 0;
    }
    const id = this.#bytes.toString('hex', this.#used, this.#used + bytes);
    this.#used += bytes;
    return allZeros.test(id) ? this.next(bytes) : id;
  }
}

const allZeros = /^0+$/;
