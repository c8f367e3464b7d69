// What finished executions leave behind when their time is over (architecture section 3): the store
// forgets the record by itself, the rest is cleared away by the owner of the shard.
import type { Fence } from './execution-store.js';

export interface RetentionStore {
  /**
   * Clears away what executions of a shard that expired until `untilAt` (epoch ms) have left, a
   * bounded number per call. Resolves with how many; 0 also when the shard has another owner by
   * now.
   */
  sweepExpired(fence: Fence, untilAt: number): Promise<number>;
}
