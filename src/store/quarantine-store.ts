// Which executions may have ended the nodes that loaded them (invariants M13, I15). A mark is
// written before such a load and cleared after it; one that is left tells of a node that died.
import type { ExecutionId } from '../std/ids.js';

export interface LoadMark {
  readonly id: ExecutionId;
  /** Nodes that died while they loaded it, before this load. */
  readonly deaths: number;
  /**
   * The node that loads it now, a random text per node and start; '': none, it is only remembered.
   */
  readonly loader: string;
}

export interface QuarantineStore {
  /** Marks of executions of these shards; of most shards there are none. */
  marks(shards: readonly number[]): Promise<LoadMark[]>;
  find(id: ExecutionId): Promise<LoadMark | undefined>;
  /**
   * Writes marks. A later `ExecutionStore.load` reads behind them, also before this resolves.
   */
  set(marks: readonly LoadMark[]): Promise<void>;
  clear(ids: readonly ExecutionId[]): Promise<void>;
}
