// Where the records of one execution stand in its graph: at nodes of the definition, or at nodes of
// the branches that its dynamic forks have brought. Branches are compiled when they are first asked
// for, and kept in memory only: after loading, `reopen` compiles those of stored records again.
import { SparseMap } from '../std/sparse.js';
import type { Execution, Task } from '../model/execution.js';
import type { WorkflowTask } from '../model/workflow-def.js';
import {
  compileBranch,
  graphOf,
  type CompiledType,
  type FindCompiledType,
  type Graph,
  type GraphNode,
} from './compile.js';
import { branchConfigAt, branchesOf, taskDefsOf } from './fork-branches.js';
import { plainRefOf, refInIteration } from './references.js';

/** Types that the place of a record depends on: its own, and those of configurations. */
interface NodeTypes {
  readonly of: (task: Task) => CompiledType;
  readonly named: FindCompiledType;
}

/** Heads of a fork's branches, in branch order. */
interface ForkHeads {
  readonly length: number;
  readonly at: (index: number) => GraphNode | undefined;
}

/** Where the tasks of a branch stand: in an iteration (0: none) of a loop. */
interface BranchPlace {
  readonly iteration: number;
  readonly loop: GraphNode | undefined;
}

const noHeads: ForkHeads = { length: 0, at: () => undefined };

export class TaskNodes {
  /** Nodes of dynamically forked configurations, by reference with its iteration. */
  readonly #branchNodes = new SparseMap<string, GraphNode>();
  /** Forks under expansion. */
  readonly #expanding = new SparseMap<Task, ForkHeads>();
  /** Of the dynamic fork that was reopened last. */
  #loopOfFork: GraphNode | undefined;

  constructor(
    private readonly execution: Execution,
    private readonly types: NodeTypes,
    /** By reference with its iteration. */
    private readonly records: ReadonlyMap<string, Task>,
  ) {}

  get graph(): Graph {
    return graphOf(this.execution.snapshot, this.types.named);
  }

  of(task: Task): GraphNode | undefined {
    const plainRef = plainRefOf(task);
    if (this.#branchNodes.size > 0) {
      const node = this.#branchNodes.get(task.ref) ?? this.#branchNodes.get(plainRef);
      if (node !== undefined) return node;
    }
    return this.graph.nodes.get(plainRef);
  }

  isDynamicFork(task: Task): boolean {
    return this.types.of(task).role === 'dynamic-fork';
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

  /** Forgets all branches; `reopen` for each record, in list order, brings them back. */
  clear(): void {
    this.#branchNodes.clear();
    this.#expanding.clear();
    this.#loopOfFork = undefined;
  }

  /** Compiles what a stored record needs that its definition does not hold. */
  reopen(task: Task): void {
    const isMember = plainRefOf(task) !== task.ref;
    const node = this.of(task);
    const isUnknown = node === undefined || (isMember && node.loop === undefined);
    if (task.status !== 'SKIPPED' && isUnknown) {
      const place = isMember
        ? { iteration: task.iteration, loop: this.#loopOfFork }
        : { iteration: 0, loop: undefined };
      this.#addBranch(task.config, place);
    }
    if (!this.isDynamicFork(task)) return;
    this.#loopOfFork = this.of(task)?.loop;
    this.#addHidden(task);
  }

  /**
   * Compiles the branches of a dynamic fork that are named like tasks of the definition: their
   * records would be taken for those.
   */
  #addHidden(fork: Task): void {
    const branches = branchesOf(fork);
    if (branches.kind === 'invalid') return;
    const place = { iteration: fork.iteration, loop: this.of(fork)?.loop };
    const defs = taskDefsOf(fork);
    for (const [index, ref] of branches.refs.entries()) {
      if (!this.graph.nodes.has(ref)) continue;
      const config = branchConfigAt(branches, index, defs);
      if (config !== undefined) this.#addBranch(config, place);
    }
  }

  #branches(fork: Task): ForkHeads {
    let heads = this.#expanding.get(fork);
    if (heads === undefined) {
      heads = this.isDynamicFork(fork) ? this.#dynamicHeads(fork) : staticHeads(this.of(fork));
      this.#expanding.set(fork, heads);
    }
    return heads;
  }

  #dynamicHeads(fork: Task): ForkHeads {
    const branches = branchesOf(fork);
    if (branches.kind === 'invalid') return noHeads;
    const defs = taskDefsOf(fork);
    const place = { iteration: fork.iteration, loop: this.of(fork)?.loop };
    const compiledAt = (index: number): GraphNode | undefined => {
      const ref = branches.refs[index];
      if (ref === undefined) return undefined;
      const known = this.#branchNodes.get(refInIteration(ref, fork.iteration));
      if (known !== undefined) return known;
      const config = branchConfigAt(branches, index, defs);
      return config === undefined ? undefined : this.#addBranch(config, place);
    };
    // The JOIN asks for all of them in one turn: 40,000 looked up by name took 30 ms of it.
    const heads: (GraphNode | undefined)[] = [];
    const compiled = (index: number): GraphNode | undefined => (heads[index] ??= compiledAt(index));
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
  #addBranch(config: WorkflowTask, place: BranchPlace): GraphNode {
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
        if (this.records.has(named)) continue;
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
}

function staticHeads(node: GraphNode | undefined): ForkHeads {
  const heads = (node?.branches ?? []).flatMap((branch) => branch[0] ?? []);
  return { length: heads.length, at: (index) => heads[index] };
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
