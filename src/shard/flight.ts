// What one or several merged transitions of an execution have decided and not yet had confirmed:
// the changes to write, and what waits behind the output gate for that write (invariants M4).
import { Changes, type Output } from '../engine/decision.js';

/** Somebody who waits behind the gate. */
export interface GateWaiter {
  pass(): void;
  /** The write did not get through; nothing may be told as done. */
  fail(error: Error): void;
}

export class Flight {
  #changes: Changes | undefined;
  readonly outputs: Output[] = [];
  readonly waiters: GateWaiter[] = [];
  /** Set by the first commit of an execution that was started under an idempotency key. */
  idempotency: { name: string; key: string; counter: number } | undefined;
  /** The durable wake-up is wrong and must be written although nothing else changed. */
  rewake = false;

  get changes(): Changes {
    return this.#changes ?? noChanges;
  }

  /** Takes what a step has changed; the first one's record becomes this flight's own. */
  add(changes: Changes): void {
    if (changes.isEmpty) return;
    if (this.#changes === undefined && changes.removedTasks.size === 0) this.#changes = changes;
    else (this.#changes ??= new Changes()).merge(changes);
  }

  get mustWrite(): boolean {
    return this.rewake || this.#changes !== undefined;
  }

  pass(): void {
    for (const waiter of this.waiters) waiter.pass();
  }

  fail(error: Error): void {
    for (const waiter of this.waiters) waiter.fail(error);
  }
}

/** Nobody adds to it. */
const noChanges = new Changes();
