// How much inputs and outputs an execution holds, for the bound on them
// (EngineLimits.executionBytesMax): a loop that hands a large value on from round to round would
// otherwise fill the memory of the node and of Redis. Changes only add up what they bring, so that
// they cost what they touch; the exact sum is taken when those may have passed the bound, and again
// after a sixteenth of it at the earliest.
import type { Task } from '../model/execution.js';
import type { Payload } from '../model/payload.js';
import { taskPart } from './decision.js';
import { charsOf } from './expression/bounds.js';

export class PayloadWeight {
  /** The sum at the last count, and what was added since. */
  #counted = 0;
  #since = 0;

  /** Rough characters held; more than there are when much has been replaced or removed. */
  get chars(): number {
    return this.#counted + this.#since;
  }

  /** `parts` of a record (taskPart) were set. */
  add(task: Task, parts: number): void {
    if (parts & taskPart.input) this.#since += weightOf(task.input);
    if (parts & taskPart.output) this.#since += weightOf(task.output);
  }

  /** Takes the exact sum. */
  count(tasks: readonly Task[]): void {
    this.#counted = 0;
    this.#since = 0;
    for (const task of tasks) this.#counted += weightOf(task.input) + weightOf(task.output);
  }

  isBeyond(tasks: readonly Task[], charsMax: number): boolean {
    if (this.chars <= charsMax || this.#since < charsMax / 16) return false;
    this.count(tasks);
    return this.#counted > charsMax;
  }
}

function weightOf(payload: Payload): number {
  return payload.hasText ? payload.size : charsOf(payload.value);
}
