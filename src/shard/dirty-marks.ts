// Removes executions from their shard's dirty set once nothing of theirs is open (invariants M5). A
// mark normally goes with the execution's next commit; what gets no further commit is removed here,
// all of a shard in one call, after a short while.
import { groupBy } from '../std/group-by.js';
import type { Clock, TimerHandle } from '../std/clock.js';
import type { ExecutionStore } from '../store/execution-store.js';
import { isDirty } from './commit-plan.js';
import type { ExecutionActor } from './execution-actor.js';
import type { ShardMonitor } from './executions.js';
import type { OwnedShards } from './owned-shards.js';

const idleMs = 100;

export class DirtyMarks {
  #marked = new Set<ExecutionActor>();
  #timer: TimerHandle | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly store: Pick<ExecutionStore, 'clearDirty'>,
    private readonly owned: OwnedShards,
    private readonly monitor: ShardMonitor,
    /** Is told of executions whose mark is gone. */
    private readonly cleared: (actor: ExecutionActor) => void,
  ) {}

  /** The store has a mark that the execution no longer needs. */
  strikeOff(actor: ExecutionActor): void {
    this.#marked.add(actor);
    this.#timer ??= this.clock.after(idleMs, () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    // With a commit on its way the mark goes with that.
    const left = [...this.#marked].filter(
      (actor) =>
        !actor.isDropped && actor.stored.isDirty && !isDirty(actor) && !actor.isUnconfirmed,
    );
    const byShard = groupBy(left, (actor) => actor.shard);
    this.#marked = new Set();
    for (const [shard, actors] of byShard) void this.#clear(shard, actors);
  }

  async #clear(shard: number, actors: ExecutionActor[]): Promise<void> {
    const fence = this.owned.fenceOf(shard);
    if (fence === undefined) return;
    for (const actor of actors) actor.clearMark('begun');
    try {
      await this.store.clearDirty(
        fence,
        actors.map((actor) => actor.id),
      );
    } catch (error) {
      this.monitor.failed(error);
      for (const actor of actors) actor.clearMark('failed');
      return;
    }
    for (const actor of actors) {
      actor.clearMark('done');
      this.cleared(actor);
    }
  }
}
