// Ids of executions that are started without one. Randomness is drawn in large portions: one call
// of the system's generator costs as much for 12 bytes as for 4 KiB.
import { randomFillSync } from 'node:crypto';
import type { FillRandom } from '../std/seeded-bytes.js';
import { executionIdOf, type ExecutionId } from '../std/ids.js';

const poolBytes = 4096;
const bytesPerId = 12;

export class RandomIds {
  #pool = Buffer.allocUnsafeSlow(poolBytes);
  #used = poolBytes;

  constructor(private readonly fill: FillRandom = (bytes) => randomFillSync(bytes)) {}

  /** An id in one of the given shards, evenly spread; undefined when there are none. */
  next(shards: readonly number[]): ExecutionId | undefined {
    if (this.#used + bytesPerId > poolBytes) {
      this.fill(this.#pool);
      this.#used = 0;
    }
    const bytes = this.#pool.subarray(this.#used, this.#used + bytesPerId);
    this.#used += bytesPerId;
    const shard = shards[bytes.readUInt16BE(10) % shards.length];
    return shard === undefined ? undefined : executionIdOf(shard, bytes);
  }
}
