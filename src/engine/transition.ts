// One transition under way: the open execution, what the outside world looks like, and what the
// transition has changed and said so far. CommandHandlers and task types get it as their first
// argument.
import type { Execution, Task } from '../model/execution.js';
import type { AgendaItem } from './agenda.js';
import type { EngineContext } from './context.js';
import { Changes, taskPart, type Next, type Output } from './decision.js';
import type { OpenExecution } from './open-execution.js';
import type { ScriptRequest, ScriptResult } from './script.js';

/**
 * The state of an agenda item: `parked` when it asked for a script and must run again, having
 * changed nothing.
 */
export type ExecutionState = 'done' | 'parked';

export class Transition {
  readonly changes = new Changes();
  readonly outputs: Output[] = [];
  /** Records of followed types that got a terminal status or were removed in this step. */
  readonly closed: Task[] = [];
  /** The script that this step asked for. */
  asked: Next | undefined;
  /** Items that belong to the one under way; they go to the front of the agenda when it is done. */
  readonly #first: AgendaItem[] = [];

  /**
   * The moment of the step, epoch ms; the same throughout, so that what is derived from it fits
   * together.
   */
  readonly now: number;

  #spent = 0;

  constructor(
    readonly open: OpenExecution,
    readonly context: EngineContext,
  ) {
    this.now = context.now;
  }

  /**
   * Counts the work of the item under way as so many items: an item that goes over all branches of
   * a large fork ends its step, so that other executions get their turn.
   */
  spend(items: number): void {
    this.#spent += items;
  }

  /** The work that has been counted since the last call. */
  takeSpent(): number {
    const spent = this.#spent;
    this.#spent = 0;
    return spent;
  }

  get execution(): Execution {
    return this.open.execution;
  }

  touch(task: Task, parts: number): void {
    this.changes.touch(task, parts);
    if (parts !== taskPart.record) this.open.weight.add(task, parts);
  }

  emit(output: Output): void {
    this.outputs.push(output);
  }

  /** Takes back what has been emitted in this step. */
  retract(isMeant: (output: Output) => boolean): void {
    const index = this.outputs.findIndex(isMeant);
    if (index >= 0) this.outputs.splice(index, 1);
  }

  /** Work for later in this transition. */
  push(item: AgendaItem): void {
    this.open.agenda.push(item);
  }

  /** Work that comes right after the item under way, in the order of the calls. */
  pushFirst(item: AgendaItem): void {
    this.#first.push(item);
  }

  /** Forgets all work that is still to be done: the execution has ended. */
  dropPending(): void {
    this.#first.length = 0;
    this.open.agenda.clear();
  }

  /** Called by the hub when an item is done. */
  flushFirst(): void {
    if (this.#first.length === 0) return;
    this.open.agenda.prepend(this.#first);
    this.#first.length = 0;
  }

  /**
   * The result of a script; undefined when it has to be evaluated first: the item must then return
   * `parked` and must not have changed anything, because it runs again from its beginning. `key`
   * must be the same in that second run.
   */
  ask(key: string, request: () => ScriptRequest): ScriptResult | undefined {
    const { open } = this;
    if (open.answer?.key === key) {
      const { result } = open.answer;
      open.answer = undefined;
      return result;
    }
    open.parked = key;
    this.asked = { kind: 'evaluate', key, request: request() };
    return undefined;
  }
}
