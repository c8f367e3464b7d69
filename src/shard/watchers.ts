// Callers that wait for a state of an execution (synchronous execute, signal/sync, semantics 1.7).
// A watcher costs a map entry and a timer; it is checked after each transition and outlives a
// reload of its execution.
import type { Clock, TimerHandle } from '../std/clock.js';
import type { ExecutionId } from '../std/ids.js';
import type { OpenExecution } from '../engine/open-execution.js';

export interface Watcher {
  until: (open: OpenExecution) => boolean;
  /** The state is reached. */
  reached: () => void;
  timer: TimerHandle;
}

/** A watch that goes on; `cancel` ends it without telling anybody. */
export interface Watching {
  cancel(): void;
}

export class Watchers {
  readonly #byId = new Map<ExecutionId, Set<Watcher>>();

  constructor(private readonly clock: Clock) {}

  has(id: ExecutionId): boolean {
    return this.#byId.has(id);
  }

  ids(): IterableIterator<ExecutionId> {
    return this.#byId.keys();
  }

  /** Exactly one of `reached` and `timedOut` is called, once. */
  add(
    id: ExecutionId,
    until: (open: OpenExecution) => boolean,
    options: { timeoutMs: number; reached: () => void; timedOut: () => void },
  ): Watching {
    const watcher: Watcher = {
      until,
      reached: options.reached,
      timer: this.clock.after(options.timeoutMs, () => {
        this.#delete(id, watcher);
        options.timedOut();
      }),
    };
    const set = this.#byId.get(id);
    if (set) set.add(watcher);
    else this.#byId.set(id, new Set([watcher]));
    return { cancel: () => this.#delete(id, watcher) };
  }

  /** A transition of the execution has settled. */
  check(id: ExecutionId, open: OpenExecution): void {
    const set = this.#byId.get(id);
    if (set === undefined) return;
    for (const watcher of [...set]) {
      if (!watcher.until(open)) continue;
      this.#delete(id, watcher);
      watcher.reached();
    }
  }

  #delete(id: ExecutionId, watcher: Watcher): void {
    watcher.timer.cancel();
    const set = this.#byId.get(id);
    set?.delete(watcher);
    if (set?.size === 0) this.#byId.delete(id);
  }
}
