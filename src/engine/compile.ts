// Workflow definition -> graph of nodes, once per snapshot. A node is one task configuration with
// its place: what follows it (semantics 2.10), which loop it runs in, which branches it has.
// Expressions are compiled here once, on first use.
import type { WorkflowDef, WorkflowTask } from '../model/workflow-def.js';
import type { DefinitionSnapshot } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { compileTemplate, type Template } from './expression/template.js';

export class GraphNode {
  /**
   * Follows when this node is through; undefined at the end of the definition, of a loop body or of
   * a dynamic branch.
   */
  next: GraphNode | undefined = undefined;
  /** Follows when this node is skipped: as `next`, also behind a TERMINATE. */
  nextIfSkipped: GraphNode | undefined = undefined;
  /** Static fork branches (FORK_JOIN), loop body (DO_WHILE: one branch); cases stand in `cases`. */
  branches: GraphNode[][] = [];
  cases: ReadonlyMap<string, GraphNode[]> = new Map();
  defaultCase: GraphNode[] = [];
  /** The configuration before this one in its list; a JOIN asks for its fork. */
  previous: GraphNode | undefined = undefined;
  #input: Template | undefined;
  #staticInput: Payload | undefined;
  readonly #templates = new Map<string, Template>();

  constructor(
    readonly config: WorkflowTask,
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
    let template = this.#templates.get(name);
    if (template === undefined) {
      template = compileTemplate(source());
      this.#templates.set(name, template);
    }
    return template;
  }
}

export interface Graph {
  readonly top: GraphNode[];
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly output: Template;
  readonly hasOutputParameters: boolean;
}

const graphs = new WeakMap<DefinitionSnapshot, Graph>();

export function graphOf(snapshot: DefinitionSnapshot): Graph {
  let graph = graphs.get(snapshot);
  if (graph === undefined) {
    graph = compile(snapshot.def);
    graphs.set(snapshot, graph);
  }
  return graph;
}

function compile(def: WorkflowDef): Graph {
  const nodes = new Map<string, GraphNode>();
  const top = compileList(def.tasks, { after: undefined, loop: undefined }, nodes);
  return {
    top,
    nodes,
    output: compileTemplate(def.outputParameters),
    hasOutputParameters: Object.keys(def.outputParameters).length > 0,
  };
}

export interface Place {
  /** What follows the last task of the list. */
  after: GraphNode | undefined;
  loop: GraphNode | undefined;
}

/**
 * Compiles one dynamically forked configuration into nodes of its own; nothing follows its last
 * task, because the JOIN is already there (semantics 2.10), unless the definition has a task of its
 * name. `nodes` receives it and everything nested in it, by reference name.
 */
export function compileBranch(
  config: WorkflowTask,
  place: Place,
  nodes: Map<string, GraphNode>,
): GraphNode {
  return compileList([config], place, nodes)[0] as GraphNode;
}

function compileList(
  configs: readonly WorkflowTask[],
  place: Place,
  nodes: Map<string, GraphNode>,
): GraphNode[] {
  const list = configs.map((config) => new GraphNode(config, place.loop));
  list.forEach((node, index) => {
    node.nextIfSkipped = list[index + 1] ?? place.after;
    node.next = node.config.type === 'TERMINATE' ? undefined : node.nextIfSkipped;
    node.previous = list[index - 1];
    if (!nodes.has(node.ref)) nodes.set(node.ref, node);
  });
  for (const node of list) compileNested(node, nodes);
  return list;
}

function compileNested(node: GraphNode, nodes: Map<string, GraphNode>): void {
  const { config, loop } = node;
  switch (config.type) {
    case 'SWITCH':
    case 'DECISION': {
      const place = { after: node.next, loop };
      node.cases = new Map(
        Object.entries(config.decisionCases).map(([key, tasks]) => [
          key,
          compileList(tasks, place, nodes),
        ]),
      );
      node.defaultCase = compileList(config.defaultCase, place, nodes);
      return;
    }
    case 'FORK_JOIN':
      node.branches = config.forkTasks.map((tasks) =>
        compileList(tasks, { after: node.next, loop }, nodes),
      );
      return;
    case 'DO_WHILE':
      node.branches = [compileList(config.loopOver, { after: undefined, loop: node }, nodes)];
      return;
    default:
  }
}
