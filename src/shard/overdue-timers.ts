// Timers of executions that should have been carried out and were not: a wake-up that was due a
// while ago and stands in the store in two checks of its shard, a second apart. One check alone
// proves nothing: after a start all that became due meanwhile is late for a moment. A node checks
// its shards anyway (execution-timers.ts); a shard that shows something late is checked again each
// second until it does not.
import type { ExecutionId } from '../std/ids.js';

/** Of an execution; `at`: epoch ms. */
export interface DueWakeUp {
  readonly id: ExecutionId;
  readonly at: number;
}

/** A wake-up is carried out within milliseconds of its time; later than this it is late, ms. */
const lateMs = 5000;

export class OverdueTimers {
  readonly #late = new Map<number, readonly DueWakeUp[]>();
  readonly #overdue = new Map<number, readonly DueWakeUp[]>();

  /** Takes in the timers that a check of a shard has found, oldest first; `now`: epoch ms. */
  seen(shard: number, due: readonly DueWakeUp[], now: number): void {
    const firstInTime = due.findIndex(({ at }) => at > now - lateMs);
    const late = firstInTime < 0 ? due : due.slice(0, firstInTime);
    const before = this.#late.get(shard) ?? [];
    if (late.length === 0 && before.length === 0) return;
    const known = new Map(before.map(({ id, at }) => [id, at]));
    set(
      this.#overdue,
      shard,
      late.filter(({ id, at }) => known.get(id) === at),
    );
    set(this.#late, shard, late);
  }

  /** Shards that are to be checked again. */
  get shards(): number[] {
    return [...this.#late.keys()];
  }

  /** The shard is not this node's any more. */
  forget(shard: number): void {
    this.#late.delete(shard);
    this.#overdue.delete(shard);
  }

  /** Oldest first. */
  list(): DueWakeUp[] {
    return [...this.#overdue.values()].flat().sort((a, b) => a.at - b.at);
  }
}

function set(
  lists: Map<number, readonly DueWakeUp[]>,
  shard: number,
  list: readonly DueWakeUp[],
): void {
  if (list.length === 0) lists.delete(shard);
  else lists.set(shard, list);
}
