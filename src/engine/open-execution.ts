// An execution in the memory of its single writer: its records and everything derived from them
// that makes a transition cost what it touches. Nothing here is stored: `openExecution` rebuilds
// all of it from the records with one scan, so that a crash at any point loses no work. The agenda
// after the scan holds the work that a crash, a budget or a script interrupted.
//
// It asks `types` for the facts of a task's type; load-execution.ts gives it the types that the
// engine knows.
//
// After `openExecution`, or a step that left `isBusy` true, the owner sends `continue` (or, while
// `parked`, `evaluated`) before any other command.
import { DueTimes } from '../std/due-times.js';
import { atOnce, eachInSteps, type Steps } from '../std/slices.js';
import { SparseMap, SparseSet } from '../std/sparse.js';
import type { Execution, Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import type { Payload } from '../model/payload.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import { Agenda } from './agenda.js';
import type { CompiledType, FindCompiledType } from './compile.js';
import { earliestDeadline, type TimedType } from './deadlines.js';
import type { Reply } from './decision.js';
import { PayloadWeight } from './payload-weight.js';
import { plainRefOf } from './references.js';
import type { ScriptResult } from './script.js';
import { reopenMarkOf } from './reopen-mark.js';
import { TaskNodes } from './task-nodes.js';

/** The facts of a task's type that an open execution uses; task-types/contract.ts explains each. */
export interface RecordType extends CompiledType, TimedType {
  readonly carriedOutBy: 'worker' | 'engine' | 'server';
  readonly isFollowed: boolean;
  isDue(open: OpenExecution, task: Task): boolean;
  readonly derivedInput: ((task: Task) => Payload) | undefined;
  readonly derivedOutput: DerivedOutput | undefined;
}

/** An output that is built from other records when somebody reads it. */
export interface DerivedOutput {
  of(open: OpenExecution, task: Task): JsonMap;
  /** One key of it without building the rest; undefined: ask `of`. */
  member(task: Task, key: string): Json | undefined;
}

export interface RecordTypes {
  /** Type of a record, by its run-time type, which a DYNAMIC may have chosen (semantics 4.2). */
  readonly of: (task: Task) => RecordType;
  /** Type behind the type of a configuration. */
  readonly named: FindCompiledType;
}

/** Tasks that are looked at again when one of the references they wait for has been settled. */
interface Waiting {
  readonly task: Task;
  /** References not settled yet; the task is looked at when it gets to 0. */
  remaining: number;
  /** Looked at whenever one is settled (scripts, EXCLUSIVE_JOIN). */
  readonly eager: boolean;
}

export class OpenExecution {
  readonly agenda = new Agenda();
  readonly deadlines = new DueTimes<Task>();
  readonly byNumber = new Map<number, Task>();
  /** Not terminal, in list order except for those reopened in place. */
  readonly openTasks = new Set<Task>();
  /** Key of the script result the transition waits for. */
  parked: string | undefined;
  /** The result that has come, for the item that asked. */
  answer: { key: string; result: ScriptResult } | undefined;
  /** Reply of a command whose transition is not settled yet. */
  pendingReply: Reply | undefined;
  /** The start's own transition, before any task that runs on its own (set-variable.ts). */
  isFirstPass = false;
  /** Deadlines of policy ALERT_ONLY that have been counted: `number:kind`. */
  readonly alerted = new SparseSet<string>();
  /** Derived payloads of terminal tasks (`outputOf`, `inputOf`). */
  readonly derivedOutputs = new SparseMap<Task, Payload>();
  readonly derivedInputs = new SparseMap<Task, Payload>();
  /** Inputs and outputs held. */
  readonly weight = new PayloadWeight();
  readonly #lastByRef = new Map<string, Task>();
  /**
   * Only what differs from `#lastByRef`: members of loops, and what came after one under the same
   * reference.
   */
  readonly #lastByPlainRef = new SparseMap<string, Task>();
  /** By reference; a list only where several wait for it. */
  readonly #waitingFor = new SparseMap<string, Waiting | Waiting[]>();
  /** Members of the current iteration that are not settled, by reference of the DO_WHILE. */
  readonly #unsettledMembers = new SparseMap<string, number>();
  /** Setting that a task's order to start a workflow waits for, by number of the task. */
  readonly heldOrders = new SparseMap<number, string>();
  /** Records of dynamic forks (semantics 4.5.2). */
  dynamicForks = 0;
  /** Records of skipped loop members, by reference without suffix. */
  readonly #skippedMembers = new SparseMap<string, Task>();
  /** Where each record stands in the graph. */
  readonly nodes: TaskNodes;

  constructor(
    readonly execution: Execution,
    readonly types: RecordTypes,
  ) {
    this.nodes = new TaskNodes(execution, types, this.#lastByRef);
  }

  /** A transition is under way: only `evaluated` (while parked) or `continue` may be stepped. */
  get isBusy(): boolean {
    if (this.parked !== undefined) return true;
    return !this.agenda.isEmpty && this.execution.state.status !== 'PAUSED';
  }

  /**
   * The newest attempt behind a reference, with its `__N` inside loops. A loop member that a caller
   * has skipped is skipped in every iteration.
   */
  lastByRef(ref: string): Task | undefined {
    const last = this.#lastByRef.get(ref);
    if (last !== undefined || this.#skippedMembers.size === 0) return last;
    const suffix = ref.lastIndexOf('__');
    return suffix < 0 ? undefined : this.#skippedMembers.get(ref.slice(0, suffix));
  }

  /**
   * The newest record behind a reference of the definition: the newest iteration's newest attempt
   * (semantics 3.4).
   */
  lastByPlainRef(ref: string): Task | undefined {
    const known = this.#lastByPlainRef.get(ref);
    if (known !== undefined) return known;
    const last = this.#lastByRef.get(ref);
    return last !== undefined && plainRefOf(last) === ref ? last : undefined;
  }

  /**
   * Takes a new record into the indices; it stands at the end of `execution.tasks` already, or
   * first when skipped.
   */
  add(task: Task): void {
    this.byNumber.set(task.number, task);
    if (this.nodes.isDynamicFork(task)) this.dynamicForks++;
    this.#lastByRef.set(task.ref, task);
    const plainRef = plainRefOf(task);
    if (plainRef !== task.ref || this.#lastByPlainRef.size > 0) {
      this.#lastByPlainRef.set(plainRef, task);
    }
    if (isTerminalTask(task.status)) {
      if (task.status !== 'SKIPPED') this.#count(task);
      else if (this.nodes.of(task)?.loop !== undefined) this.#skippedMembers.set(task.ref, task);
      return;
    }
    this.openTasks.add(task);
    this.#count(task);
    this.arm(task);
  }

  #count(task: Task): void {
    if (task.executed || task.retried) return;
    const loop = this.nodes.of(task)?.loop;
    if (loop === undefined) return;
    this.#unsettledMembers.set(loop.ref, (this.#unsettledMembers.get(loop.ref) ?? 0) + 1);
  }

  /** Renews the deadline of a task from its record. */
  arm(task: Task): void {
    this.deadlines.arm(task, earliestDeadline(task, this.types.of(task), this.alerted));
  }

  /** Members of the DO_WHILE's current iteration that have not been settled. */
  unsettledMembers(loop: Task): number {
    return this.#unsettledMembers.get(loop.ref) ?? 0;
  }

  /**
   * Says that a record has been consumed (executed, or superseded by a retry): the tasks that
   * waited for it are put on the agenda. `through`: its reference is done, not only this attempt.
   */
  consumed(task: Task, through: boolean): void {
    const loop = this.nodes.of(task)?.loop;
    if (loop !== undefined) {
      const left = (this.#unsettledMembers.get(loop.ref) ?? 1) - 1;
      this.#unsettledMembers.set(loop.ref, left);
      if (left === 0 && through) this.#lookAgain(this.#lastByRef.get(loop.ref));
    }
    if (!through || this.#waitingFor.size === 0) return;
    const found = this.#waitingFor.get(task.ref);
    if (found === undefined) return;
    this.#waitingFor.delete(task.ref);
    for (const waiting of Array.isArray(found) ? found : [found]) {
      waiting.remaining--;
      if (waiting.remaining <= 0 || waiting.eager) this.#lookAgain(waiting.task);
    }
  }

  #lookAgain(task: Task | undefined): void {
    if (task !== undefined && !isTerminalTask(task.status)) {
      this.agenda.push({ kind: 'execute', task });
    }
  }

  /**
   * Lets `task` wait for references (with suffix); true when none is missing, so that it is to be
   * looked at now. `eager`: look whenever one of them is settled.
   */
  waitFor(task: Task, refs: readonly string[], eager: boolean): boolean {
    const waiting: Waiting = { task, remaining: 0, eager };
    for (const ref of refs) {
      const last = this.lastByRef(ref);
      if (last !== undefined && isThrough(last)) continue;
      waiting.remaining++;
      const others = this.#waitingFor.get(ref);
      if (others === undefined) this.#waitingFor.set(ref, waiting);
      else if (Array.isArray(others)) others.push(waiting);
      else this.#waitingFor.set(ref, [others, waiting]);
    }
    return waiting.remaining === 0;
  }

  /** Position in the list; -1 when absent. */
  indexOf(task: Task): number {
    return indexOfTask(this.execution.tasks, task);
  }

  /**
   * Takes a record out of list and indices. The older attempts of its reference go first or with
   * it.
   */
  remove(task: Task): void {
    const index = this.indexOf(task);
    if (index >= 0) this.execution.tasks.splice(index, 1);
    if (this.nodes.isDynamicFork(task)) this.dynamicForks--;
    this.byNumber.delete(task.number);
    this.openTasks.delete(task);
    this.deadlines.arm(task, 0);
    this.derivedOutputs.delete(task);
    this.derivedInputs.delete(task);
    if (this.#lastByRef.get(task.ref) === task) this.#lastByRef.delete(task.ref);
    const plainRef = plainRefOf(task);
    if (this.#lastByPlainRef.get(plainRef) === task) this.#lastByPlainRef.delete(plainRef);
  }

  /**
   * Throws every derived thing away and makes it again from the records: after loading, and after
   * control operations that change many records (restart, retry, rerun). One scan.
   */
  rebuild(): void {
    atOnce(this.rebuildInSteps());
  }

  /** As `rebuild`, of an execution that nobody else has yet. */
  *rebuildInSteps(): Steps<void> {
    this.agenda.clear();
    this.deadlines.clear();
    this.alerted.clear();
    this.byNumber.clear();
    this.openTasks.clear();
    this.derivedOutputs.clear();
    this.derivedInputs.clear();
    this.dynamicForks = 0;
    this.#lastByRef.clear();
    this.#lastByPlainRef.clear();
    this.#waitingFor.clear();
    this.#unsettledMembers.clear();
    this.nodes.clear();
    this.#skippedMembers.clear();
    this.parked = undefined;
    this.answer = undefined;
    const { tasks, state } = this.execution;
    const ended = isTerminalWorkflow(state.status);
    this.weight.count(tasks);
    yield* eachInSteps(tasks, (task) => {
      this.nodes.reopen(task);
      this.add(task);
    });
    if (ended) {
      if (this.openTasks.size > 0) this.agenda.push({ kind: 'cancel-leftovers' });
      return;
    }
    if (state.createTime > 0) yield* this.#rebuildAgenda();
  }

  *#rebuildAgenda(): Steps<void> {
    let unconsumed = 0;
    for (const task of this.execution.tasks) {
      if (reopenMarkOf(task) === undefined) continue;
      unconsumed++;
      this.agenda.push({ kind: 'reopen', task });
    }
    yield* eachInSteps(this.execution.tasks, (task) => {
      if (task.executed || task.retried || task.status === 'SKIPPED') return;
      if (reopenMarkOf(task) !== undefined) return;
      unconsumed++;
      if (isTerminalTask(task.status)) this.agenda.push({ kind: 'settle', task });
      else if (this.isDue(task)) this.agenda.push({ kind: 'execute', task });
    });
    // An execution that is held back begins with its place (permits.ts).
    const isHeld = this.execution.state.room?.isHeld === true;
    if (unconsumed === 0 && !isHeld) this.agenda.push({ kind: 'begin' });
  }

  /** Whether an open record is to be executed now; sets up its waiting. */
  isDue(task: Task): boolean {
    return this.types.of(task).isDue(this, task);
  }
}

/** Whether the flow is past a record: consumed, or skipped. */
export function isThrough(task: Task): boolean {
  return task.status === 'SKIPPED' || (isTerminalTask(task.status) && task.executed);
}

/** Position in a list ordered by seq (skipped ones, seq 0, first); -1 when absent. */
function indexOfTask(tasks: readonly Task[], task: Task): number {
  if (task.seq === 0) return tasks.indexOf(task);
  let low = 0;
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tasks[middle] as Task).seq < task.seq) low = middle + 1;
    else high = middle;
  }
  return tasks[low] === task ? low : tasks.indexOf(task);
}

/** Whether a record waits for other records only: it never moves an execution by itself. */
export function waitsForOthers(open: OpenExecution, task: Task): boolean {
  const { role } = open.types.of(task);
  return role === 'join' || role === 'exclusive-join' || role === 'loop';
}
