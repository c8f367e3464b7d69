// Which attempts of an execution the store's queues may hold, and how they got there: by a move in
// a commit, or by a push. Sync matches never go there, and a task that ends need not be searched
// for.
import { SparseMap } from '../std/sparse.js';
import type { Task } from '../model/execution.js';
import type { ReadyMove } from './pending-commit.js';

/** By a move: what the head of the queue may hold. */
export type Queued = ReadyMove | 'pushed';

export class QueuedAttempts {
  readonly #known = new SparseMap<Task, { reopenCount: number; queued: Queued }>();

  /** `isComplete`: false for an execution that was loaded: then any attempt may be queued. */
  constructor(private readonly isComplete: boolean) {}

  /** Whether the queues have certainly never held the current attempt of a task. */
  isNew(task: Task): boolean {
    return this.isComplete && this.#known.get(task)?.reopenCount !== task.reopenCount;
  }

  /** The current attempt of a task. */
  add(task: Task, queued: Queued): void {
    this.#known.set(task, { reopenCount: task.reopenCount, queued });
  }

  /**
   * How an attempt, which is over, may have got into its queue; undefined when it is not there. An
   * unknown attempt counts as pushed: then the queue is searched.
   */
  take(task: Task, reopenCount: number): Queued | undefined {
    const known = this.#known.get(task);
    if (known?.reopenCount === reopenCount) {
      this.#known.delete(task);
      return known.queued;
    }
    return this.isComplete ? undefined : 'pushed';
  }
}
