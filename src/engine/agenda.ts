// The agenda of an execution: what is still to be done before it is at rest, in order. It replaces
// the scan over all tasks of the reference's decide step (semantics 2.2): an update costs its own
// successors only. New work goes to the back, so that parallel branches advance in turn as in the
// reference's passes; what belongs to the item under way (the branches of a fork, the chosen case
// of a SWITCH) goes to the front, so that records are numbered as one mapping would number them.
import type { Task } from '../model/execution.js';
import type { GraphNode } from './compile.js';

export type AgendaItem =
  /** Start rule: map the first task that is not skipped (semantics 2.3 step 1). */
  | { kind: 'begin' }
  /**
   * A terminal record that has not been consumed: retry rule, optional, successors (semantics 2.3
   * step 6). `nextRound`: behind what is on the agenda by then, with in-line tasks made beside it.
   */
  | { kind: 'settle'; task: Task; nextRound?: true }
  /**
   * A record that a control operation has marked: make its new attempt, or carry it out again
   * (reopen.ts).
   */
  | { kind: 'reopen'; task: Task }
  /** A node to get a record, unless it has one: the first member of a loop's next iteration. */
  | { kind: 'map'; node: GraphNode; iteration: number }
  /** A fork whose branches from `branch` on have not been created. */
  | { kind: 'expand'; fork: Task; branch: number }
  /**
   * In-line run, or another evaluation of what waits for others (JOIN, EXCLUSIVE_JOIN, DO_WHILE,
   * PULL_WORKFLOW_MESSAGES).
   */
  | { kind: 'execute'; task: Task }
  /** The execution has ended: cancel what is not terminal (semantics 1.5.8 step 5). */
  | { kind: 'cancel-leftovers' };

export class Agenda {
  /** Reversed: the next item is the last. */
  #front: AgendaItem[] = [];
  #back: AgendaItem[] = [];
  #next = 0;

  get isEmpty(): boolean {
    return this.#front.length === 0 && this.#next === this.#back.length;
  }

  push(item: AgendaItem): void {
    this.#back.push(item);
  }

  /** Puts `items` before everything else, in the given order. */
  prepend(items: readonly AgendaItem[]): void {
    for (let index = items.length - 1; index >= 0; index--) {
      this.#front.push(items[index] as AgendaItem);
    }
  }

  shift(): AgendaItem | undefined {
    const first = this.#front.pop();
    if (first !== undefined) return first;
    if (this.#next === this.#back.length) return undefined;
    const item = this.#back[this.#next++];
    if (this.#next === this.#back.length) {
      this.#back.length = 0;
      this.#next = 0;
    }
    return item;
  }

  clear(): void {
    this.#front = [];
    this.#back = [];
    this.#next = 0;
  }
}
