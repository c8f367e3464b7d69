// Workflow definition -> graph of nodes, once per snapshot. A node is one task configuration with
// its place: what follows it (semantics 2.10), which loop it runs in, which branches it has.
// Expressions are compiled here once, on first use.
import type { WorkflowDef, WorkflowTask } from '../model/workflow-def.js';
import type { DefinitionSnapshot } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { compileTemplate, type Template } from './expression/template.js';

/** The empty list that most nodes share: a large fork has a node for each branch. */
const noNodes: readonly GraphNode[] = [];
const noBranches: readonly GraphNode[][] = [];
const noCases: ReadonlyMap<string, GraphNode[]> = new Map();

export class GraphNode {
  /**
   * Follows when this node is through; undefined at the end of the definition, of a loop body or of
   * a dynamic branch.
   */
  next: GraphNode | undefined = undefined;
  /** Follows when this node is skipped: as `next`, also behind a TERMINATE. */
  nextIfSkipped: GraphNode | undefined = undefined;
  /** Static fork branches (FORK_JOIN), loop body (DO_WHILE: one branch); cases stand in `cases`. */
  branches: readonly GraphNode[][] = noBranches;
  cases: ReadonlyMap<string, GraphNode[]> = noCases;
  defaultCase: readonly GraphNode[] = noNodes;
  /** The configuration before this one in its list; a JOIN asks for its fork. */
  previous: GraphNode | undefined = undefined;
  #input: Template | undefined;
  #staticInput: Payload | undefined;
  #templates: Map<string, Template> | undefined;

  constructor(
    readonly config: WorkflowTask,
    readonly role: FlowRole,
    /** The DO_WHILE whose member this is. */
    readonly loop: GraphNode | undefined,
  ) {}

  get ref(): string {
    return this.config.taskReferenceName;
  }

  /** Compiled `inputParameters`. */
  get input(): Template {
    return (this.#input ??= compileTemplate(this.config.inputParameters));
  }

  /** The input when no expression stands in it: one payload, turned into text once. */
  get staticInput(): Payload {
    const { input } = this;
    return (this.#staticInput ??= Payload.of(
      input.kind === 'static' ? (input.value as JsonMap) : {},
    ));
  }

  /** Another compiled template of this configuration, made by `source` on first use. */
  template(name: string, source: () => Json): Template {
    let template = this.#templates?.get(name);
    if (template === undefined) {
      template = compileTemplate(source());
      (this.#templates ??= new Map<string, Template>()).set(name, template);
    }
    return template;
  }
}

/**
 * The part of a task in the flow. The control operations (rerun, jump, repair) treat tasks by their
 * role; nearly every type is `plain`.
 */
export type FlowRole =
  | 'plain'
  | 'fork'
  | 'dynamic-fork'
  | 'join'
  | 'exclusive-join'
  | 'choice'
  | 'loop'
  | 'sub-workflow'
  /** Nothing follows it: it ends the execution. */
  | 'end';

/** The facts of a task type that the compiler uses. */
export interface CompiledType {
  readonly role: FlowRole;
  /** Compiles the lists inside a configuration into the branches or cases of its node. */
  nest(node: GraphNode, compile: CompileList): void;
}

/** Compiles a list of configurations into nodes; `place`: what surrounds the list. */
export type CompileList = (configs: readonly WorkflowTask[], place: Place) => GraphNode[];

/** The task type behind the type of a configuration. */
export type FindCompiledType = (type: string) => CompiledType;

export interface Graph {
  readonly top: GraphNode[];
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly output: Template;
  readonly hasOutputParameters: boolean;
}

const graphs = new WeakMap<DefinitionSnapshot, Graph>();

/** The graph of a snapshot, compiled once: `find` gives the same answers for the whole process. */
export function graphOf(snapshot: DefinitionSnapshot, find: FindCompiledType): Graph {
  let graph = graphs.get(snapshot);
  if (graph === undefined) {
    graph = compile(snapshot.def, find);
    graphs.set(snapshot, graph);
  }
  return graph;
}

function compile(def: WorkflowDef, find: FindCompiledType): Graph {
  const nodes = new Map<string, GraphNode>();
  const top = compileList(def.tasks, { after: undefined, loop: undefined }, { nodes, find });
  return {
    top,
    nodes,
    output: compileTemplate(def.outputParameters),
    hasOutputParameters: Object.keys(def.outputParameters).length > 0,
  };
}

export interface Place {
  /** The node after the last task of the list. */
  after: GraphNode | undefined;
  loop: GraphNode | undefined;
}

interface Compilation {
  /** Receives every node, by reference name; the first of a name stays. */
  readonly nodes: Map<string, GraphNode>;
  readonly find: FindCompiledType;
}

/**
 * Compiles one dynamically forked configuration into nodes of its own; nothing follows its last
 * task, because the JOIN is already there (semantics 2.10), unless the definition has a task of its
 * name. `nodes` receives it and everything nested in it, by reference name.
 */
export function compileBranch(
  config: WorkflowTask,
  place: Place,
  compilation: Compilation,
): GraphNode {
  return compileList([config], place, compilation)[0] as GraphNode;
}

function compileList(
  configs: readonly WorkflowTask[],
  place: Place,
  compilation: Compilation,
): GraphNode[] {
  const { nodes, find } = compilation;
  const list = configs.map((config) => new GraphNode(config, find(config.type).role, place.loop));
  list.forEach((node, index) => {
    node.nextIfSkipped = list[index + 1] ?? place.after;
    node.next = node.role === 'end' ? undefined : node.nextIfSkipped;
    node.previous = list[index - 1];
    if (!nodes.has(node.ref)) nodes.set(node.ref, node);
  });
  const compileInner: CompileList = (inner, at) => compileList(inner, at, compilation);
  for (const node of list) find(node.config.type).nest(node, compileInner);
  return list;
}
