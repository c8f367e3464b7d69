// Places the tasks of a definition on a plane. Definitions are nested sequences, so each becomes a
// block with a size, and blocks are stacked and set side by side: one pass, 0.4 ms for 500 tasks.
// Everything is placed from top to bottom; a graph that runs from left to right is the same with
// its axes exchanged at the end.
import type { WorkflowTask } from '../api/types';
import { topList, type Place, type TaskList } from './places';

export interface GraphNode {
  readonly ref: string;
  readonly type: string;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  /** Of a fork with many branches. */
  readonly folded?: Folded;
}

export interface Folded {
  readonly branches: number;
  /** Reference names in all of them. */
  readonly refs: readonly string[];
  /** Which `branchesMax` of them are drawn, from 0; absent: none. */
  readonly page?: number;
}

export interface GraphEdge {
  readonly path: string;
  /** The task that it leads from, at an empty branch its fork or choice; absent: a start. */
  readonly from?: string;
  /** The task that it leads to; absent: the end of a fork or of a choice. */
  readonly to?: string;
  /** First tasks of the other branches, at an empty branch of a choice: none of them was taken. */
  readonly besides?: readonly string[];
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

export interface GraphFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
}

/** The dots where a graph starts and ends; absent where it has no task. */
export interface GraphEnds {
  readonly start: Point;
  readonly end: Point;
  /** Reference name of the last task. */
  readonly last: string;
}

/** Where a task can be inserted. */
export interface GraphSlot {
  readonly x: number;
  readonly y: number;
  readonly place: Place;
}

export interface GraphLayout {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Around the bodies of loops. */
  readonly frames: readonly GraphFrame[];
  /** In the order of the definition; empty where nothing is edited. */
  readonly slots: readonly GraphSlot[];
  readonly ends?: GraphEnds;
  readonly width: number;
  readonly height: number;
}

export const nodeWidth = 168;
export const nodeHeight = 52;
const gapX = 24;
/** Forks with more branches are one box, which opens in pages of so many. */
export const branchesMax = 20;
/** Between a slot and the task below or above it. */
const slotY = 12;
/** From the dot at the start to the first task, and from the last one to that at the end. */
const endY = 28;

interface Spacing {
  readonly gapY: number;
  readonly labelY: number;
  readonly padding: number;
}

const shown: Spacing = { gapY: 32, labelY: 16, padding: 16 };
/** Leaves room for the names of branches beside their edges. */
const toTheRight: Spacing = { gapY: 28, labelY: 36, padding: 20 };
/** Leaves room for slots. */
const edited: Spacing = { gapY: 40, labelY: 44, padding: 32 };

export interface LayoutOptions {
  /** Draws slots. */
  readonly isEdited?: boolean;
  /** From left to right instead of from top to bottom. */
  readonly runsRight?: boolean;
  /** Pages of forks with many branches, by reference name. */
  readonly pages?: ReadonlyMap<string, number>;
}

interface Plan extends Spacing {
  /** Size of a task across and along the direction in which the graph runs. */
  readonly across: number;
  readonly along: number;
  readonly runsRight: boolean;
  readonly isEdited: boolean;
  readonly pages: ReadonlyMap<string, number>;
}

interface Drawing {
  readonly slots: GraphSlot[];
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
  readonly frames: GraphFrame[];
  ends?: GraphEnds;
}

interface Block {
  readonly width: number;
  readonly height: number;
  /** `x` is the middle; edges come in at the top middle and leave at the bottom middle. */
  readonly draw: (drawing: Drawing, x: number, y: number) => void;
}

export function layOut(
  tasks: readonly WorkflowTask[],
  { isEdited = false, runsRight = false, pages = new Map() }: LayoutOptions = {},
): GraphLayout {
  const [across, along] = runsRight ? [nodeHeight, nodeWidth] : [nodeWidth, nodeHeight];
  const spacing = isEdited ? edited : runsRight ? toTheRight : shown;
  const plan: Plan = { ...spacing, across, along, runsRight, isEdited, pages };
  const { padding } = plan;
  const block = sequence(tasks, topList, plan);
  const drawing: Drawing = { nodes: [], edges: [], frames: [], slots: [] };
  const width = Math.max(block.width, across) + 2 * padding;
  const [first, last] = [tasks[0], tasks.at(-1)].map((task) => task?.taskReferenceName);
  const room = last === undefined ? 0 : endY;
  const height = Math.max(0, block.height) + 2 * (padding + room);
  const top = padding + room;
  if (last !== undefined) {
    const [x, bottom] = [width / 2, height - top];
    const [start, end] = [top - endY, bottom + endY].map((y): Point => ({ x, y })) as [
      Point,
      Point,
    ];
    drawing.ends = { start, end, last };
    drawing.edges.push({ ...straight(x, start.y, top), ...named(undefined, first) });
    drawing.edges.push({ ...straight(x, bottom, end.y), ...named(last, undefined) });
  }
  block.draw(drawing, width / 2, top);
  return runsRight ? exchanged(drawing, width, height) : { ...drawing, width, height };
}

/** The same drawing from left to right. */
function exchanged(drawing: Drawing, width: number, height: number): GraphLayout {
  const { ends } = drawing;
  const turned = <T extends { readonly x: number; readonly y: number }>(place: T): T => ({
    ...place,
    x: place.y,
    y: place.x,
  });
  return {
    nodes: drawing.nodes.map(turned),
    edges: drawing.edges.map((edge) => ({
      ...edge,
      path: turnedPath(edge.path),
      ...(edge.label === undefined ? {} : { label: labelBeside(edge.label) }),
    })),
    frames: drawing.frames.map((frame) => ({
      ...turned(frame),
      width: frame.height,
      height: frame.width,
    })),
    slots: drawing.slots.map(turned),
    ...(ends === undefined
      ? {}
      : { ends: { ...ends, start: turned(ends.start), end: turned(ends.end) } }),
    width: height,
    height: width,
  };
}

function labelBeside<T extends { readonly x: number; readonly y: number }>(label: T): T {
  return { ...label, x: label.y - 22, y: label.x - 6 };
}

function turnedPath(path: string): string {
  return path.replace(/([MVH])([\d.-]+)(?: ([\d.-]+))?/g, (_all, command, first, second) => {
    if (command === 'M') return `M${second} ${first}`;
    return `${command === 'V' ? 'H' : 'V'}${first}`;
  });
}

function sequence(tasks: readonly WorkflowTask[], list: TaskList, plan: Plan): Block {
  const { gapY, isEdited } = plan;
  const blocks = tasks.map((task) => blockOf(task, plan));
  return {
    width: Math.max(0, ...blocks.map(({ width }) => width)),
    height: blocks.reduce((sum, { height }) => sum + height, 0) + gapY * (blocks.length - 1),
    draw: (drawing, x, y) => {
      const slot = (after: string, at: number): void => {
        if (isEdited) drawing.slots.push({ x, y: at, place: { ...list, after } });
      };
      let top = y;
      slot('', y - slotY);
      blocks.forEach((block, index) => {
        if (index > 0) {
          const [from, to] = [tasks[index - 1], tasks[index]].map(
            (task) => task?.taskReferenceName,
          );
          drawing.edges.push({ ...straight(x, top - gapY, top), ...named(from, to) });
        }
        block.draw(drawing, x, top);
        top += block.height;
        const isLast = index === blocks.length - 1;
        slot(tasks[index]?.taskReferenceName ?? '', top + (isLast ? slotY : gapY / 2));
        top += gapY;
      });
    },
  };
}

function blockOf(task: WorkflowTask, plan: Plan): Block {
  if (task.type === 'SWITCH' || task.type === 'DECISION')
    return branching(task, casesOf(task), plan);
  if (/^FORK_JOIN/.test(task.type ?? '')) return fork(task, plan);
  if (task.type === 'DO_WHILE') return loop(task, plan);
  return single(task, plan);
}

function fork(task: WorkflowTask, plan: Plan): Block {
  const owner = task.taskReferenceName;
  const forkTasks = task.forkTasks ?? [];
  const branches = forkTasks.map((tasks, index): Branch => ({
    label: '',
    tasks,
    list: { owner, part: 'forkTasks', name: String(index) },
  }));
  if (branches.length === 0) return single(task, plan);
  if (branches.length <= branchesMax) return branching(task, branches, plan);
  const last = Math.ceil(branches.length / branchesMax) - 1;
  const asked = plan.pages.get(owner);
  const page = asked === undefined ? undefined : Math.min(asked, last);
  const refs = forkTasks.flat().map(({ taskReferenceName }) => taskReferenceName);
  const folded = { branches: branches.length, refs, ...(page === undefined ? {} : { page }) };
  if (page === undefined) return single(task, plan, folded);
  const from = page * branchesMax;
  return branching(task, branches.slice(from, from + branchesMax), plan, folded);
}

function single(task: WorkflowTask, plan: Plan, folded?: Folded): Block {
  return {
    width: plan.across,
    height: plan.along,
    draw: ({ nodes }, x, y) => nodes.push(nodeOf(task, plan, { x, y }, folded)),
  };
}

/** `at`: the middle of its upper side. */
function nodeOf(task: WorkflowTask, plan: Plan, at: Point, folded?: Folded): GraphNode {
  return {
    ref: task.taskReferenceName,
    type: task.type ?? 'SIMPLE',
    title: task.name ?? task.taskReferenceName,
    x: at.x - plan.across / 2,
    y: at.y,
    ...(folded === undefined ? {} : { folded }),
  };
}

interface Branch {
  readonly label: string;
  readonly tasks: readonly WorkflowTask[];
  readonly list: TaskList;
}

function casesOf(task: WorkflowTask): readonly Branch[] {
  const owner = task.taskReferenceName;
  const cases = Object.entries(task.decisionCases ?? {}).map(([label, tasks]): Branch => ({
    label,
    tasks,
    list: { owner, part: 'decisionCases', name: label },
  }));
  const list: TaskList = { owner, part: 'defaultCase', name: '' };
  return [...cases, { label: 'default', tasks: task.defaultCase ?? [], list }];
}

function branching(
  task: WorkflowTask,
  branches: readonly Branch[],
  plan: Plan,
  folded?: Folded,
): Block {
  const { gapY, labelY, isEdited, across, along } = plan;
  const blocks = branches.map(({ label, tasks, list }) => ({
    label,
    block: sequence(tasks, list, plan),
    ends: [tasks[0], tasks.at(-1)].map((each) => each?.taskReferenceName),
  }));
  const owner = task.taskReferenceName;
  const isChoice = !/^FORK_JOIN/.test(task.type ?? '');
  const firsts = blocks.flatMap(({ ends: [first] }) => first ?? []);
  const empty = { from: owner, ...(isChoice && { besides: firsts }) };
  const widths = blocks.map(({ block }) => Math.max(block.width, across / 2));
  const width = widths.reduce((sum, each) => sum + each, 0) + gapX * (blocks.length - 1);
  const tallest = Math.max(0, ...blocks.map(({ block }) => Math.max(0, block.height)));
  const top = along + gapY + labelY;
  const height = top + tallest + gapY;
  const labelUp = isEdited ? 2 * slotY + 2 : 6;
  return {
    width: Math.max(across, width),
    height,
    draw: (drawing, x, y) => {
      drawing.nodes.push(nodeOf(task, plan, { x, y }, folded));
      let left = x - width / 2;
      blocks.forEach(({ label, block, ends }, index) => {
        const middle = left + (widths[index] as number) / 2;
        const text = label === '' ? undefined : { text: label, x: middle, y: y + top - labelUp };
        const isEmpty = ends[0] === undefined;
        const into = bent({ x, y: y + along }, { x: middle, y: y + top }, text);
        drawing.edges.push({ ...into, ...(isEmpty ? empty : named(owner, ends[0])) });
        block.draw(drawing, middle, y + top);
        const bottom = y + top + Math.max(0, block.height);
        const out = bent({ x: middle, y: bottom }, { x, y: y + height });
        drawing.edges.push({ ...out, ...(isEmpty ? empty : named(ends[1], undefined)) });
        left += (widths[index] as number) + gapX;
      });
    },
  };
}

function loop(task: WorkflowTask, plan: Plan): Block {
  const { gapY, padding, across, along } = plan;
  const list: TaskList = { owner: task.taskReferenceName, part: 'loopOver', name: '' };
  const body = sequence(task.loopOver ?? [], list, plan);
  const inner = Math.max(body.width, across) + 2 * padding;
  const top = along + gapY;
  const frameHeight = Math.max(0, body.height) + 2 * padding;
  return {
    width: inner,
    height: top + frameHeight,
    draw: (drawing, x, y) => {
      drawing.nodes.push(nodeOf(task, plan, { x, y }));
      const first = task.loopOver?.[0]?.taskReferenceName;
      const into = straight(x, y + along, y + top + padding);
      drawing.edges.push({ ...into, ...named(task.taskReferenceName, first) });
      const frame = { x: x - inner / 2, y: y + top, width: inner, height: frameHeight };
      drawing.frames.push({ ...frame, title: 'repeats' });
      body.draw(drawing, x, y + top + padding);
    },
  };
}

function named(from: string | undefined, to: string | undefined): Pick<GraphEdge, 'from' | 'to'> {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
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
