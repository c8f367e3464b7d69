// A commit that is not yet confirmed, of one transition of an execution or of several that were
// merged: the changes to write, and what waits behind the output gate for that write (invariants
// M4).
import { durable, type Durable } from '../std/durable.js';
import type { EventCounter } from '../telemetry/event-counters.js';
import type { Trace } from '../telemetry/trace.js';
import { Changes, type Output } from '../engine/decision.js';
import type { Task } from '../model/execution.js';
import type { ReadyAttempt } from '../queue/ready-head.js';
import type { QueueMove } from '../store/execution-store.js';

/** Somebody who waits behind the gate. */
export interface GateWaiter {
  /** `gate` vouches for what is let out now. */
  pass(gate: PassedGate): void;
  /** The write did not get through; nothing may be told as done. */
  fail(error: Error): void;
}

/** The gate when everything before it is durable. */
export type PassedGate = Durable<object>;
/** Nothing waits for a write: memory and store agree. */
export const openGate: PassedGate = durable({});

/** An output that leaves an execution: decided by a step, or made of a task by the dispatch. */
export type ReleasedOutput =
  | Exclude<Output, { kind: 'schedule' }>
  /** The commit has put an attempt into ready. */
  | { readonly kind: 'enqueued'; readonly task: Task; readonly move: ReadyMove }
  /** A SCHEDULED attempt is to be pushed to its queue. `serial`: of this piece of open work. */
  | {
      readonly kind: 'push';
      readonly task: Task;
      readonly reopenCount: number;
      readonly serial: number;
    }
  /** A SCHEDULED task that its queue may have or not. `givenBackAtPoll`: as in Push. */
  | { readonly kind: 'requeue'; readonly task: Task; readonly givenBackAtPoll: number };

export type DurableOutput = Durable<ReleasedOutput>;
/** One of a kind of the outputs. */
export type DurableOutputOf<Kind extends ReleasedOutput['kind']> = Durable<
  Extract<ReleasedOutput, { kind: Kind }>
>;

/** A move into ready, which the head of the queue holds too. */
export type ReadyMove = Extract<QueueMove, { kind: 'ready' }> & ReadyAttempt;

/** Outputs that were decided for one request. */
export interface TracedOutputs<Kind = Output> {
  readonly outputs: readonly Kind[];
  /** The request, if it brought a trace. */
  readonly trace: Trace | undefined;
}

export class PendingCommit {
  #changes: Changes | undefined;
  readonly #outputs: TracedOutputs<ReleasedOutput>[] = [];
  readonly #waiters: GateWaiter[] = [];
  readonly #counters: EventCounter[] = [];
  /** Set by the first commit of an execution that was started under an idempotency key. */
  idempotency: { name: string; key: string; counter: number } | undefined;
  /** The moves of the commit in queues. */
  readonly moves: QueueMove[] = [];
  /** The stored wake-up or form is out of date: write although nothing else changed. */
  isForced = false;

  get changes(): Changes {
    return this.#changes ?? noChanges;
  }

  /** Task records, or moves where those are more: what encoding and writing it takes. */
  get size(): number {
    return Math.max(this.changes.tasks.size, this.moves.length);
  }

  /** Whether the payloads that it writes have more characters; those without a text yet count 0. */
  hasCharsBeyond(chars: number): boolean {
    let left = chars;
    for (const { input, output } of this.changes.tasks.keys()) {
      left -= input.size + output.size;
      if (left < 0) return true;
    }
    return false;
  }

  get mustWrite(): boolean {
    return this.isForced || this.#changes !== undefined || this.moves.length > 0;
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

  hold(outputs: TracedOutputs<ReleasedOutput>): void {
    this.#outputs.push(outputs);
  }

  wait(waiter: GateWaiter): void {
    this.#waiters.push(waiter);
  }

  /** Something has happened, once the write is confirmed. */
  count(counter: EventCounter): void {
    this.#counters.push(counter);
  }

  /** Callers that wait for this commit wait for `other` from now on. */
  join(other: PendingCommit): void {
    other.#counters.push(...this.#counters);
    other.#outputs.push(...this.#outputs);
    other.#waiters.push(...this.#waiters);
  }

  /** The write is confirmed: returns what may leave now. */
  pass(): readonly TracedOutputs<DurableOutput>[] {
    for (const counter of this.#counters) counter.add();
    const gate = durable(this);
    for (const waiter of this.#waiters) waiter.pass(gate);
    const outputs: readonly TracedOutputs<unknown>[] = this.#outputs;
    return outputs as readonly TracedOutputs<DurableOutput>[];
  }

  fail(error: Error): void {
    for (const waiter of this.#waiters) waiter.fail(error);
  }
}

/** Nobody adds to it. */
const noChanges = new Changes();
