// Finished executions whose time is over (architecture section 3): the owner of the shard removes
// them with all that belongs to them.
import type { Fence } from './execution-store.js';

export interface RetentionStore {
  /**
   * Removes executions of a shard that expired until `untilAt` (epoch ms), a bounded number per
   * call. Resolves with how many; 0 also when the shard has another owner by now.
   */
  sweepExpired(fence: Fence, untilAt: number): Promise<number>;
}
