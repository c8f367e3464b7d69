// Which attempts of an execution the store's queues may hold, and how they got there: by a move in a
// commit, or by a push. Sync matches never go there, and a task that ends need not be searched for.
import { SparseMap } from '../std/sparse.js';

export type QueuedBy = 'move' | 'push';

export class QueuedAttempts {
  readonly #known = new SparseMap<string, QueuedBy>();

  /** `isComplete`: false for an execution that was loaded: then any attempt may be queued. */
  constructor(private readonly isComplete: boolean) {}

  add(attempt: string, by: QueuedBy): void {
    this.#known.set(attempt, by);
  }

  /**
   * How the attempt, which is over, may have got into its queue; undefined when it is not there.
   * What is not known counts as pushed: then the queue is searched.
   */
  take(attempt: string): QueuedBy | undefined {
    const by = this.#known.get(attempt);
    if (by !== undefined) this.#known.delete(attempt);
    return by ?? (this.isComplete ? undefined : 'push');
  }
}
