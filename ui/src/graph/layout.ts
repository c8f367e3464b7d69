// Places the tasks of a definition on a plane. Definitions are nested sequences, so each becomes a
// block with a size, and blocks are stacked and set side by side: one pass, 0.4 ms for 500 tasks.
import type { WorkflowTask } from '../api/types';

export interface GraphNode {
  readonly ref: string;
  readonly type: string;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  /** Branches that are not drawn one by one, and the references in them. */
  readonly folded?: { readonly branches: number; readonly refs: readonly string[] };
}

export interface GraphEdge {
  readonly path: string;
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

export interface GraphFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
}

export interface GraphLayout {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Around the bodies of loops. */
  readonly frames: readonly GraphFrame[];
  readonly width: number;
  readonly height: number;
}

export const nodeWidth = 180;
export const nodeHeight = 44;
const gapX = 28;
const gapY = 32;
const labelY = 16;
const padding = 16;
/** Forks with more branches are one box. */
const branchesMax = 20;

interface Drawing {
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
  readonly frames: GraphFrame[];
}

interface Block {
  readonly width: number;
  readonly height: number;
  /** `x` is the middle; edges come in at the top middle and leave at the bottom middle. */
  readonly draw: (drawing: Drawing, x: number, y: number) => void;
}

export function layOut(tasks: readonly WorkflowTask[]): GraphLayout {
  const block = sequence(tasks);
  const drawing: Drawing = { nodes: [], edges: [], frames: [] };
  const width = Math.max(block.width, nodeWidth) + 2 * padding;
  block.draw(drawing, width / 2, padding);
  return { ...drawing, width, height: block.height + 2 * padding };
}

function sequence(tasks: readonly WorkflowTask[]): Block {
  const blocks = tasks.map(blockOf);
  return {
    width: Math.max(0, ...blocks.map(({ width }) => width)),
    height: blocks.reduce((sum, { height }) => sum + height, 0) + gapY * (blocks.length - 1),
    draw: (drawing, x, y) => {
      let top = y;
      blocks.forEach((block, index) => {
        if (index > 0) drawing.edges.push(straight(x, top - gapY, top));
        block.draw(drawing, x, top);
        top += block.height + gapY;
      });
    },
  };
}

function blockOf(task: WorkflowTask): Block {
  if (task.type === 'SWITCH' || task.type === 'DECISION') return branching(task, casesOf(task));
  if (task.type === 'FORK_JOIN') {
    const branches = (task.forkTasks ?? []).map((tasks) => ({ label: '', tasks }));
    return branches.length > branchesMax ? foldedFork(task) : branching(task, branches);
  }
  if (task.type === 'DO_WHILE') return loop(task);
  return single(task);
}

function single(task: WorkflowTask, folded?: GraphNode['folded']): Block {
  return {
    width: nodeWidth,
    height: nodeHeight,
    draw: ({ nodes }, x, y) => nodes.push(nodeOf(task, x, y, folded)),
  };
}

function nodeOf(task: WorkflowTask, x: number, y: number, folded?: GraphNode['folded']): GraphNode {
  return {
    ref: task.taskReferenceName,
    type: task.type ?? 'SIMPLE',
    title: task.name ?? task.taskReferenceName,
    x: x - nodeWidth / 2,
    y,
    ...(folded === undefined ? {} : { folded }),
  };
}

function foldedFork(task: WorkflowTask): Block {
  const branches = task.forkTasks ?? [];
  const refs = branches.flat().map(({ taskReferenceName }) => taskReferenceName);
  return single(task, { branches: branches.length, refs });
}

interface Branch {
  readonly label: string;
  readonly tasks: readonly WorkflowTask[];
}

function casesOf(task: WorkflowTask): readonly Branch[] {
  const cases = Object.entries(task.decisionCases ?? {}).map(([label, tasks]) => ({
    label,
    tasks,
  }));
  return [...cases, { label: 'default', tasks: task.defaultCase ?? [] }];
}

function branching(task: WorkflowTask, branches: readonly Branch[]): Block {
  const blocks = branches.map(({ label, tasks }) => ({ label, block: sequence(tasks) }));
  const widths = blocks.map(({ block }) => Math.max(block.width, nodeWidth / 2));
  const width = widths.reduce((sum, each) => sum + each, 0) + gapX * (blocks.length - 1);
  const tallest = Math.max(0, ...blocks.map(({ block }) => Math.max(0, block.height)));
  const top = nodeHeight + gapY + labelY;
  const height = blocks.length === 0 ? nodeHeight : top + tallest + gapY;
  return {
    width: Math.max(nodeWidth, width),
    height,
    draw: (drawing, x, y) => {
      drawing.nodes.push(nodeOf(task, x, y));
      let left = x - width / 2;
      blocks.forEach(({ label, block }, index) => {
        const middle = left + (widths[index] as number) / 2;
        const text = label === '' ? undefined : { text: label, x: middle, y: y + top - 6 };
        drawing.edges.push(bent({ x, y: y + nodeHeight }, { x: middle, y: y + top }, text));
        const isEmpty = block.width === 0;
        if (!isEmpty) block.draw(drawing, middle, y + top);
        const bottom = isEmpty ? y + top : y + top + block.height;
        drawing.edges.push(bent({ x: middle, y: bottom }, { x, y: y + height }));
        left += (widths[index] as number) + gapX;
      });
    },
  };
}

function loop(task: WorkflowTask): Block {
  const body = sequence(task.loopOver ?? []);
  const inner = Math.max(body.width, nodeWidth) + 2 * padding;
  const top = nodeHeight + gapY;
  const frameHeight = Math.max(0, body.height) + 2 * padding;
  return {
    width: inner,
    height: top + frameHeight,
    draw: (drawing, x, y) => {
      drawing.nodes.push(nodeOf(task, x, y));
      drawing.edges.push(straight(x, y + nodeHeight, y + top + padding));
      const frame = { x: x - inner / 2, y: y + top, width: inner, height: frameHeight };
      drawing.frames.push({ ...frame, title: 'repeats' });
      body.draw(drawing, x, y + top + padding);
    },
  };
}

function straight(x: number, fromY: number, toY: number): GraphEdge {
  return { path: `M${x} ${fromY}V${toY}` };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function bent(from: Point, to: Point, label?: GraphEdge['label']): GraphEdge {
  const middle = (from.y + to.y) / 2;
  const path = `M${from.x} ${from.y}V${middle}H${to.x}V${to.y}`;
  return label === undefined ? { path } : { path, label };
}
