// Callers that wait for a state of an execution (synchronous execute, signal/sync, semantics 1.7).
// A watcher costs a map entry and a timer; it is checked after each transition and outlives a
// reload of its execution.
import type { Clock, TimerHandle } from '../std/clock.js';
import type { ExecutionId } from '../std/ids.js';
import { AppError } from '../model/errors.js';
import type { OpenExecution } from '../engine/open-execution.js';

interface Watcher {
  readonly isReached: (open: OpenExecution) => boolean;
  readonly done: () => void;
  readonly timer: TimerHandle;
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

  /** Resolves when the state is reached or the time is over. Rejects when nobody waits any more. */
  until(
    id: ExecutionId,
    isReached: (open: OpenExecution) => boolean,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
  ): Promise<void> {
    const given = new AppError('unavailable', 'Nobody waits for the execution any more');
    if (signal?.aborted === true) return Promise.reject(given);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#delete(id, watcher);
        signal?.removeEventListener('abort', abort);
      };
      const done = (): void => {
        end();
        resolve();
      };
      const abort = (): void => {
        end();
        reject(given);
      };
      const watcher: Watcher = { isReached, done, timer: this.clock.after(timeoutMs, done) };
      this.#add(id, watcher);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** A transition of the execution has settled. */
  check(id: ExecutionId, open: OpenExecution): void {
    const set = this.#byId.get(id);
    if (set === undefined) return;
    for (const watcher of [...set]) if (watcher.isReached(open)) watcher.done();
  }

  #add(id: ExecutionId, watcher: Watcher): void {
    const set = this.#byId.get(id);
    if (set === undefined) this.#byId.set(id, new Set([watcher]));
    else set.add(watcher);
  }

  #delete(id: ExecutionId, watcher: Watcher): void {
    watcher.timer.cancel();
    const set = this.#byId.get(id);
    set?.delete(watcher);
    if (set?.size === 0) this.#byId.delete(id);
  }
}
