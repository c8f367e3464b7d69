// An execution in the memory of its single writer: its records and everything derived from them
// that makes a transition cost what it touches. Nothing here is stored: `openExecution` rebuilds
// all of it from the records with one scan, so that a crash at any point loses no work. What stands
// on the agenda after the scan is what a crash, a budget or a script interrupted.
//
// What it has to know of a task's type it asks of `types`; load-execution.ts gives it the types
// that the engine knows.
//
// After `openExecution`, or a step that left `isBusy` true, the owner sends `continue` (or, while
// `parked`, `evaluated`) before any other command.
import { DueTimes } from '../std/due-times.js';
import { SparseMap, SparseSet } from '../std/sparse.js';
import type { Execution, Task } from '../model/execution.js';
import type { WorkflowTask } from '../model/workflow-def.js';
import type { Json, JsonMap } from '../model/json.js';
import type { Payload } from '../model/payload.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import { Agenda } from './agenda.js';
import {
  compileBranch,
  graphOf,
  type CompiledType,
  type FindCompiledType,
  type Graph,
  type GraphNode,
} from './compile.js';
import { earliestDeadline, workflowDeadline, type TimedType } from './deadlines.js';
import type { Reply } from './decision.js';
import { branchConfigAt, branchesOf, taskDefsOf } from './fork-branches.js';
import { PayloadWeight } from './payload-weight.js';
import { plainRefOf, refInIteration } from './references.js';
import type { ScriptResult } from './script.js';
import { reopenMarkOf } from './reopen-mark.js';
import { notesOf } from './notes.js';

/** What an open execution has to know of a task's type; task-types/contract.ts explains each. */
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

interface ForkHeads {
  readonly length: number;
  readonly at: (index: number) => GraphNode | undefined;
}

const noHeads: ForkHeads = { length: 0, at: () => undefined };

function staticHeads(node: GraphNode | undefined): ForkHeads {
  const heads = (node?.branches ?? []).flatMap((branch) => branch[0] ?? []);
  return { length: heads.length, at: (index) => heads[index] };
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
  readonly #waitingFor = new SparseMap<string, Waiting[]>();
  /** Members of the current iteration that are not settled, by reference of the DO_WHILE. */
  readonly #unsettledMembers = new SparseMap<string, number>();
  /** Nodes of dynamically forked configurations, by reference with its iteration. */
  readonly #branchNodes = new SparseMap<string, GraphNode>();
  /** Records of dynamic forks (semantics 4.5.2). */
  dynamicForks = 0;
  /** Records of skipped loop members, by reference without suffix. */
  readonly #skippedMembers = new SparseMap<string, Task>();
  /** Forks under expansion. */
  readonly #expanding = new SparseMap<Task, ForkHeads>();

  constructor(
    readonly execution: Execution,
    readonly types: RecordTypes,
  ) {}

  get graph(): Graph {
    return graphOf(this.execution.snapshot, this.types.named);
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

  nodeOf(task: Task): GraphNode | undefined {
    const plainRef = plainRefOf(task);
    if (this.#branchNodes.size > 0) {
      const node = this.#branchNodes.get(task.ref) ?? this.#branchNodes.get(plainRef);
      if (node !== undefined) return node;
    }
    return this.graph.nodes.get(plainRef);
  }

  /** Node of a reference of the definition or of a dynamic fork, without suffix. */
  nodeOfRef(plainRef: string): GraphNode | undefined {
    return this.graph.nodes.get(plainRef) ?? this.#branchNodes.get(plainRef);
  }

  /** Branch heads of a FORK record, in branch order. */
  branchHeads(fork: Task): GraphNode[] {
    const { length, at } = this.#branches(fork);
    const heads: GraphNode[] = [];
    for (let index = 0; index < length; index++) {
      const head = at(index);
      if (head !== undefined) heads.push(head);
    }
    return heads;
  }

  /**
   * Head of one branch; undefined past the last one; `invalid` when the input of a dynamic fork
   * turns out to hold no configuration there. Each costs its own branch; what they share is kept
   * until `expanded`.
   */
  branchHead(fork: Task, branch: number): GraphNode | 'invalid' | undefined {
    const { length, at } = this.#branches(fork);
    return branch < length ? (at(branch) ?? 'invalid') : undefined;
  }

  /** All branches of a fork have their records: what was kept about it is not needed any more. */
  expanded(fork: Task): void {
    this.#expanding.delete(fork);
  }

  #branches(fork: Task): ForkHeads {
    let heads = this.#expanding.get(fork);
    if (heads === undefined) {
      heads = this.#isDynamicFork(fork) ? this.#dynamicHeads(fork) : staticHeads(this.nodeOf(fork));
      this.#expanding.set(fork, heads);
    }
    return heads;
  }

  #dynamicHeads(fork: Task): ForkHeads {
    const branches = branchesOf(fork);
    if (branches.kind === 'invalid') return noHeads;
    const defs = taskDefsOf(fork);
    const place = { iteration: fork.iteration, loop: this.nodeOf(fork)?.loop };
    const compiled = (index: number): GraphNode | undefined => {
      const ref = branches.refs[index];
      if (ref === undefined) return undefined;
      const known = this.#branchNodes.get(refInIteration(ref, fork.iteration));
      if (known !== undefined) return known;
      const config = branchConfigAt(branches, index, defs);
      return config === undefined ? undefined : this.#addBranch(config, place);
    };
    // A branch may be a fork: its JOIN is the element behind it (semantics 4.5.4, "nested forks
    // allowed").
    const at = (index: number): GraphNode | undefined => {
      const node = compiled(index);
      if (node?.role === 'join') linkJoin(compiled(index - 1), node);
      else if (isForkNode(node)) linkJoin(node, compiled(index + 1));
      return node;
    };
    return { length: branches.refs.length, at };
  }

  /** Compiles a configuration that is not in the definition: a branch of a dynamic fork. */
  #addBranch(
    config: WorkflowTask,
    place: { iteration: number; loop: GraphNode | undefined },
  ): GraphNode {
    const nodes = new Map<string, GraphNode>();
    const own = this.#ownNode(config.taskReferenceName, place.loop);
    const after = own?.nextIfSkipped;
    const head = compileBranch(
      config,
      { after, loop: place.loop },
      { nodes, find: this.types.named },
    );
    for (const [ref, node] of nodes) {
      // Members of a loop inside the branch are found by their plain reference.
      const isOutside = node.loop === place.loop;
      const named = isOutside ? refInIteration(ref, place.iteration) : ref;
      const taken = this.#ownNode(ref, place.loop);
      if (taken !== undefined) {
        if (this.#lastByRef.has(named)) continue;
        node.nextIfSkipped = taken.nextIfSkipped;
        node.next = node.role === 'end' ? undefined : taken.nextIfSkipped;
      }
      this.#branchNodes.set(named, node);
    }
    return head;
  }

  /**
   * The node of the definition whose place a dynamic branch of this name takes: its record stands
   * for that one's (semantics 4.5.6).
   */
  #ownNode(ref: string, loop: GraphNode | undefined): GraphNode | undefined {
    const node = this.graph.nodes.get(ref);
    return node?.loop === loop ? node : undefined;
  }

  /**
   * Takes a new record into the indices; it stands at the end of `execution.tasks` already, or
   * first when skipped.
   */
  add(task: Task): void {
    this.byNumber.set(task.number, task);
    if (this.#isDynamicFork(task)) this.dynamicForks++;
    this.#lastByRef.set(task.ref, task);
    const plainRef = plainRefOf(task);
    if (plainRef !== task.ref || this.#lastByPlainRef.size > 0) {
      this.#lastByPlainRef.set(plainRef, task);
    }
    if (isTerminalTask(task.status)) {
      if (task.status !== 'SKIPPED') this.#count(task);
      else if (this.nodeOf(task)?.loop !== undefined) this.#skippedMembers.set(task.ref, task);
      return;
    }
    this.openTasks.add(task);
    this.#count(task);
    this.arm(task);
  }

  #count(task: Task): void {
    if (task.executed || task.retried) return;
    const loop = this.nodeOf(task)?.loop;
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
    const loop = this.nodeOf(task)?.loop;
    if (loop !== undefined) {
      const left = (this.#unsettledMembers.get(loop.ref) ?? 1) - 1;
      this.#unsettledMembers.set(loop.ref, left);
      if (left === 0 && through) this.#lookAgain(this.#lastByRef.get(loop.ref));
    }
    if (!through || this.#waitingFor.size === 0) return;
    const list = this.#waitingFor.get(task.ref);
    if (list === undefined) return;
    this.#waitingFor.delete(task.ref);
    for (const waiting of list) {
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
      const list = this.#waitingFor.get(ref);
      if (list === undefined) this.#waitingFor.set(ref, [waiting]);
      else list.push(waiting);
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
    if (this.#isDynamicFork(task)) this.dynamicForks--;
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
    this.#branchNodes.clear();
    this.#expanding.clear();
    this.#skippedMembers.clear();
    this.parked = undefined;
    this.answer = undefined;
    this.weight.count(this.execution.tasks);
    const { tasks, state } = this.execution;
    const ended = isTerminalWorkflow(state.status);
    let loopOfFork: GraphNode | undefined;
    for (const task of tasks) {
      const isMember = plainRefOf(task) !== task.ref;
      const node = this.nodeOf(task);
      const isUnknown = node === undefined || (isMember && node.loop === undefined);
      if (task.status !== 'SKIPPED' && isUnknown) {
        const place = isMember
          ? { iteration: task.iteration, loop: loopOfFork }
          : { iteration: 0, loop: undefined };
        this.#addBranch(task.config, place);
      }
      if (this.#isDynamicFork(task)) {
        loopOfFork = this.nodeOf(task)?.loop;
        this.#addHidden(task);
      }
      this.add(task);
    }
    if (ended) {
      if (this.openTasks.size > 0) this.agenda.push({ kind: 'cancel-leftovers' });
      return;
    }
    if (state.createTime > 0) this.#rebuildAgenda();
  }

  /**
   * Compiles the branches of a dynamic fork that are named like tasks of the definition: their
   * records would be taken for those.
   */
  #addHidden(fork: Task): void {
    const branches = branchesOf(fork);
    if (branches.kind === 'invalid') return;
    const place = { iteration: fork.iteration, loop: this.nodeOf(fork)?.loop };
    for (const [index, ref] of branches.refs.entries()) {
      if (!this.graph.nodes.has(ref)) continue;
      const config = branchConfigAt(branches, index, taskDefsOf(fork));
      if (config !== undefined) this.#addBranch(config, place);
    }
  }

  #rebuildAgenda(): void {
    let unconsumed = 0;
    for (const task of this.execution.tasks) {
      if (reopenMarkOf(task) === undefined) continue;
      unconsumed++;
      this.agenda.push({ kind: 'reopen', task });
    }
    for (const task of this.execution.tasks) {
      if (task.executed || task.retried || task.status === 'SKIPPED') continue;
      if (reopenMarkOf(task) !== undefined) continue;
      unconsumed++;
      if (isTerminalTask(task.status)) this.agenda.push({ kind: 'settle', task });
      else if (this.isDue(task)) this.agenda.push({ kind: 'execute', task });
    }
    // What is held back begins with its place (room.ts).
    const isHeld = this.execution.state.room?.isHeld === true;
    if (unconsumed === 0 && !isHeld) this.agenda.push({ kind: 'begin' });
  }

  #isDynamicFork(task: Task): boolean {
    return this.types.of(task).role === 'dynamic-fork';
  }

  /** Whether an open record is to be executed now; sets up its waiting. */
  isDue(task: Task): boolean {
    return this.types.of(task).isDue(this, task);
  }
}

function isForkNode(node: GraphNode | undefined): boolean {
  return node?.role === 'fork' || node?.role === 'dynamic-fork';
}

function linkJoin(fork: GraphNode | undefined, join: GraphNode | undefined): void {
  if (fork === undefined || !isForkNode(fork) || join?.role !== 'join') return;
  fork.next = join;
  fork.nextIfSkipped = join;
  join.previous = fork;
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

/** When the execution wants the command `wake`, epoch ms; 0 = never. In the past: at once. */
export function nextWakeAt(open: OpenExecution): number {
  const { status } = open.execution.state;
  if (isTerminalWorkflow(status)) return 0;
  const workflowAt = open.alerted.has('workflow') ? 0 : workflowDeadline(open.execution);
  const taskAt = status === 'PAUSED' ? nextTimer(open) : open.deadlines.nextAt;
  if (workflowAt === 0 || taskAt === 0) return workflowAt + taskAt;
  return Math.min(workflowAt, taskAt);
}

/**
 * The earliest timer of a type's own (WAIT): the only deadline of a task that a pause does not hold
 * back (while-paused.ts).
 */
function nextTimer(open: OpenExecution): number {
  let earliest = 0;
  for (const task of open.openTasks) {
    const at = open.types.of(task).timerAt(task);
    if (at !== 0 && (earliest === 0 || at < earliest)) earliest = at;
  }
  return earliest;
}

/** Private notes of a task type that mark its payload as derived (see derived-payloads.ts). */
export function isDerived(task: Task): boolean {
  return notesOf(task)['derived'] === true;
}

/** Whether a record waits for other records only: it never moves an execution by itself. */
export function waitsForOthers(open: OpenExecution, task: Task): boolean {
  const { role } = open.types.of(task);
  return role === 'join' || role === 'exclusive-join' || role === 'loop';
}
