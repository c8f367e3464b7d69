// Finished executions whose time is over (architecture section 3): the owner of the shard removes
// them with all that belongs to them.
import type { ExecutionId } from '../std/ids.js';
import type { Fence } from './execution-store.js';

/** An execution that is to go, as it was found. */
export interface Leaver {
  readonly id: ExecutionId;
  readonly head: string;
}

/**
 * Called with executions before they are removed; resolves with those that may go. A rejection
 * keeps all of them.
 */
export type BeforeRemoval = (leavers: readonly Leaver[]) => Promise<ReadonlySet<ExecutionId>>;

export interface Swept {
  /** Executions that went; 0 also when the shard has another owner by now. */
  readonly removed: number;
  /**
   * When the next one of the shard expires, epoch ms; Infinity: none is finished; 0: not known,
   * there was something to remove.
   */
  readonly nextAt: number;
}

export interface RetentionStore {
  /**
   * Removes executions of a shard that expired until `untilAt` (epoch ms), a bounded number per
   * call. One that moves between `before` and its removal stays.
   */
  sweepExpired(fence: Fence, untilAt: number, before?: BeforeRemoval): Promise<Swept>;
}
