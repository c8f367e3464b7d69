// Random bytes in small portions: one call of the system's generator costs as much for 4 KiB as for 12 bytes.
import { randomFillSync } from 'node:crypto';

const poolBytes = 4096;

export class RandomPool {
  #pool = Buffer.allocUnsafeSlow(0);
  #used = 0;

  /** `count` bytes (at most 4096) that were never given out before. */
  take(count: number): Buffer {
    if (this.#used + count > this.#pool.length) {
      this.#pool = randomFillSync(Buffer.allocUnsafeSlow(poolBytes));
      this.#used = 0;
    }
    const bytes = this.#pool.subarray(this.#used, this.#used + count);
    this.#used += count;
    return bytes;
  }
}
