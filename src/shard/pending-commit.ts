// What one or several merged transitions of an execution have decided and not yet had confirmed:
// the changes to write, and what waits behind the output gate for that write (invariants M4).
import type { Trace } from '../telemetry/trace.js';
import { Changes, type Output } from '../engine/decision.js';

/** Somebody who waits behind the gate. */
export interface GateWaiter {
  pass(): void;
  /** The write did not get through; nothing may be told as done. */
  fail(error: Error): void;
}

/** Outputs that were decided for one request. */
export interface TracedOutputs<Kind = Output> {
  readonly outputs: readonly Kind[];
  /** The request, if it brought a trace. */
  readonly trace: Trace | undefined;
}

export class PendingCommit {
  #changes: Changes | undefined;
  readonly #outputs: TracedOutputs[] = [];
  readonly #waiters: GateWaiter[] = [];
  /** Set by the first commit of an execution that was started under an idempotency key. */
  idempotency: { name: string; key: string; counter: number } | undefined;
  /** The stored wake-up or form is out of date: write although nothing else changed. */
  isForced = false;

  get changes(): Changes {
    return this.#changes ?? noChanges;
  }

  get outputs(): readonly TracedOutputs[] {
    return this.#outputs;
  }

  get mustWrite(): boolean {
    return this.isForced || this.#changes !== undefined;
  }

  /** Takes what a step has changed; the first one's record becomes this one's own. */
  add(changes: Changes): void {
    if (changes.isEmpty) return;
    if (this.#changes === undefined && changes.removedTasks.size === 0) this.#changes = changes;
    else this.collected().merge(changes);
  }

  /** The changes, for those who change something outside a step. */
  collected(): Changes {
    return (this.#changes ??= new Changes());
  }

  hold(outputs: TracedOutputs): void {
    this.#outputs.push(outputs);
  }

  wait(waiter: GateWaiter): void {
    this.#waiters.push(waiter);
  }

  /** What waits here waits for `other` from now on. */
  join(other: PendingCommit): void {
    other.#outputs.push(...this.#outputs);
    other.#waiters.push(...this.#waiters);
  }

  pass(): void {
    for (const waiter of this.#waiters) waiter.pass();
  }

  fail(error: Error): void {
    for (const waiter of this.#waiters) waiter.fail(error);
  }
}

/** Nobody adds to it. */
const noChanges = new Changes();
