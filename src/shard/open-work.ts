// What an execution has promised and not yet seen carried out: pushes to queues, messages, runs of
// system tasks. As long as there is any, the execution stays in memory and its mark in the dirty
// set (invariants M5).
import type { Task } from '../model/execution.js';
import { SparseSet } from '../std/sparse.js';

/** Names an attempt within its execution. */
export function attemptKey(task: { number: number; reopenCount: number }): string {
  return `${task.number}:${task.reopenCount}`;
}

export const pushOf = (attempt: string): string => `push ${attempt}`;
export const runOf = (task: Task): string => `run ${task.number}`;
export const deliveryOf = (messageId: number): string => `message ${messageId}`;
export const releaseInTurns = 'release';

export class OpenWork {
  readonly #keys = new SparseSet<string>();

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** False when it was open already. */
  begin(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    return true;
  }

  /** False when it was not open. */
  end(key: string): boolean {
    return this.#keys.delete(key);
  }
}
