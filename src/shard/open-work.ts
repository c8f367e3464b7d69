// The open work of an execution, which it has promised and which is not yet carried out: pushes to
// queues, messages, runs of system tasks. As long as there is any, the execution stays in memory
// and its mark in the dirty set (invariants M5).
import type { Task } from '../model/execution.js';
import { SparseMap } from '../std/sparse.js';

/** Names an attempt within its execution. */
export function attemptKey(task: { number: number; reopenCount: number }): string {
  return `${task.number}:${task.reopenCount}`;
}

export const pushOf = (attempt: string): string => `push ${attempt}`;
export const runOf = (task: Task): string => `run ${task.number}`;
export const deliveryOf = (messageId: number): string => `message ${messageId}`;
/** Tasks that became SCHEDULED are still to be matched or put into ready. */
export const matchInTurns = 'match';
export const releaseInTurns = 'release';
/** Key of a mark in the store whose reason is not known yet. */
export const recovery = 'recovery';

export class OpenWork {
  /** By key, the serial of who began it last; below 0 while that waits for a commit. */
  readonly #open = new SparseMap<string, number>();
  #serial = 0;

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** `serial`: only what began with this one. */
  has(key: string, serial?: number): boolean {
    const open = this.#open.get(key);
    return open !== undefined && (serial === undefined || Math.abs(open) === serial);
  }

  /** Returns a serial. Work that was open under this key is taken over. */
  begin(key: string): number {
    this.#serial += 1;
    this.#open.set(key, this.#serial);
    return this.#serial;
  }

  /** As `begin`, for what is decided and waits for its commit, until `carriedOut`. */
  decide(key: string): number {
    const serial = this.begin(key);
    this.#open.set(key, -serial);
    return serial;
  }

  /** It is under way now. */
  carriedOut(key: string): void {
    const open = this.#open.get(key);
    if (open !== undefined) this.#open.set(key, Math.abs(open));
  }

  isDecided(key: string): boolean {
    return (this.#open.get(key) ?? 0) < 0;
  }

  /**
   * False when it was not open. With a serial, also when somebody else has begun it since: then it
   * stays open.
   */
  end(key: string, serial?: number): boolean {
    return this.has(key, serial) && this.#open.delete(key);
  }
}
