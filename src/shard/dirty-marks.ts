// Strikes executions off their shard's dirty set once nothing of theirs is open (invariants M5). A
// mark normally goes with the execution's next commit; what gets no further commit is struck off
// here, all of a shard in one call, after a short while.
import type { Clock, TimerHandle } from '../std/clock.js';
import type { ExecutionStore, Fence } from '../store/execution-store.js';
import { isDirty } from './commit-plan.js';
import type { ExecutionActor } from './execution-actor.js';

const idleMs = 100;

export class DirtyMarks {
  #marked = new Set<ExecutionActor>();
  #timer: TimerHandle | undefined;

  constructor(
    private readonly parts: {
      clock: Clock;
      store: ExecutionStore;
      fenceOf: (shard: number) => Fence | undefined;
      cleared: (actor: ExecutionActor) => void;
      failed: (error: unknown) => void;
    },
  ) {}

  /** The store has a mark that the execution no longer needs. */
  strikeOff(actor: ExecutionActor): void {
    this.#marked.add(actor);
    this.#timer ??= this.parts.clock.after(idleMs, () => {
      this.#timer = undefined;
      this.flush();
    });
  }

  flush(): void {
    const byShard = new Map<number, ExecutionActor[]>();
    for (const actor of this.#marked) {
      if (actor.dropped || !actor.dirtyStored || isDirty(actor)) continue;
      // With a commit on its way the mark goes with that.
      if (actor.pending !== undefined || actor.inFlight !== undefined) continue;
      const list = byShard.get(actor.shard);
      if (list) list.push(actor);
      else byShard.set(actor.shard, [actor]);
    }
    this.#marked = new Set();
    for (const [shard, actors] of byShard) this.#clear(shard, actors);
  }

  #clear(shard: number, actors: ExecutionActor[]): void {
    const fence = this.parts.fenceOf(shard);
    if (fence === undefined) return;
    for (const actor of actors) {
      actor.dirtyStored = false;
      actor.clearingMark = true;
    }
    this.parts.store
      .clearDirty(
        fence,
        actors.map((actor) => actor.id),
      )
      .finally(() => {
        for (const actor of actors) actor.clearingMark = false;
      })
      .then(
        () => {
          for (const actor of actors) this.parts.cleared(actor);
        },
        (error: unknown) => this.parts.failed(error),
      );
  }
}
