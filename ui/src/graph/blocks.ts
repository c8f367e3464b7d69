// The blocks that a definition is laid out in: a task, a sequence, a choice, a fork with its join,
// a loop. Each knows how far it reaches to both sides of the line that it stands on.
import type { WorkflowTask } from '../api/types';
import { caseEdges, forkEdges, type Branch, type Size } from './branch-edges';
import type { Folded, GraphNode, Point } from './drawing';
import type { TaskList } from './places';
import {
  addSlot,
  bar,
  branchesMax,
  diamond,
  loopHead,
  named,
  progressHeight,
  slotY,
  straight,
  type Block,
  type Drawing,
  type Plan,
} from './plan';

interface Member {
  readonly block: Block;
  readonly first: string;
  readonly last: string;
}

export function sequence(tasks: readonly WorkflowTask[], list: TaskList, plan: Plan): Block {
  const { gapY } = plan;
  const members = membersOf(tasks, plan);
  const blocks = members.map(({ block }) => block);
  const gaps = gapY * Math.max(0, blocks.length - 1);
  return {
    left: Math.max(0, ...blocks.map(({ left }) => left)),
    right: Math.max(0, ...blocks.map(({ right }) => right)),
    height: blocks.reduce((sum, { height }) => sum + height, 0) + gaps,
    draw: (drawing, x, y) => {
      let top = y;
      addSlot(drawing, plan, { x, y: y - slotY }, { ...list, after: '' });
      members.forEach(({ block, first, last }, index) => {
        const before = members[index - 1];
        if (before !== undefined) {
          drawing.edges.push(straight(x, top - gapY, top, named(before.last, first)));
        }
        block.draw(drawing, x, top);
        top += block.height;
        const below = index === members.length - 1 ? slotY : gapY / 2;
        addSlot(drawing, plan, { x, y: top + below }, { ...list, after: last });
        top += gapY;
      });
    },
  };
}

/** The tasks one by one, but a fork with its JOIN. */
function membersOf(tasks: readonly WorkflowTask[], plan: Plan): readonly Member[] {
  const members: Member[] = [];
  for (let at = 0; at < tasks.length; at += 1) {
    const task = tasks[at] as WorkflowTask;
    const next = tasks[at + 1];
    const ref = task.taskReferenceName;
    const join = next !== undefined && isJoin(next) ? next : undefined;
    const forked = isFork(task) ? fork(task, join, plan) : undefined;
    if (forked === undefined) {
      members.push({ block: blockOf(task, plan), first: ref, last: ref });
    } else {
      members.push({ block: forked, first: ref, last: join?.taskReferenceName ?? ref });
      if (join !== undefined) at += 1;
    }
  }
  return members;
}

const isFork = ({ type }: WorkflowTask): boolean => /^FORK_JOIN/.test(type ?? '');
const isJoin = ({ type }: WorkflowTask): boolean => /^(?:EXCLUSIVE_)?JOIN$/.test(type ?? '');

function blockOf(task: WorkflowTask, plan: Plan): Block {
  if (task.type === 'SWITCH' || task.type === 'DECISION') return choice(task, plan);
  if (task.type === 'DO_WHILE') return loop(task, plan);
  return single(task, plan);
}

function sizeOf(task: WorkflowTask, folded: Folded | undefined, plan: Plan): Size {
  const { across, along, runsRight } = plan;
  if (folded !== undefined) {
    return runsRight ? { across: progressHeight, along } : { across, along: progressHeight };
  }
  if (isJoin(task)) return runsRight ? { across: 44, along: barNamed } : { across: 96, along: bar };
  return { across, along };
}

function single(task: WorkflowTask, plan: Plan, folded?: Folded): Block {
  const size = sizeOf(task, folded, plan);
  const { across, along } = size;
  // The name of a bar stands beside it.
  const beside = isJoin(task) ? barName(plan) : 0;
  return {
    left: across / 2,
    right: across / 2 + beside,
    height: along,
    draw: ({ nodes }, x, y) =>
      nodes.push(nodeOf(task, { x: x - across / 2, y, ...size, axis: across / 2 }, folded)),
  };
}

/** A bar that stands alone, with its name below it. */
const barNamed = 64;

/** Room for the name of a bar at its end, where the graph runs to the right. */
const barName = ({ runsRight }: Plan): number => (runsRight ? 20 : 0);

interface Spot extends Size, Point {
  readonly axis: number;
}

function nodeOf(task: WorkflowTask, { across, along, ...at }: Spot, folded?: Folded): GraphNode {
  return {
    ref: task.taskReferenceName,
    type: task.type ?? 'SIMPLE',
    title: task.name ?? task.taskReferenceName,
    ...at,
    width: across,
    height: along,
    ...(folded === undefined ? {} : { folded }),
  };
}

function branchOf(
  label: string,
  tasks: readonly WorkflowTask[],
  list: TaskList,
  plan: Plan,
): Branch {
  const block = sequence(tasks, list, plan);
  return { label, block, first: tasks[0]?.taskReferenceName, last: tasks.at(-1) };
}

/** Beside the line of an empty branch. */
const emptySide = 30;

const sideOf = (side: number): number => Math.max(side, emptySide);

/** The middles of branches side by side, from the first one's left side, and how wide all are. */
function sideBySide(
  branches: readonly Branch[],
  gapX: number,
): { readonly middles: readonly number[]; readonly width: number } {
  const middles: number[] = [];
  let at = 0;
  for (const { block } of branches) {
    middles.push(at + sideOf(block.left));
    at += sideOf(block.left) + sideOf(block.right) + gapX;
  }
  return { middles, width: Math.max(0, at - gapX) };
}

const tallestOf = (branches: readonly Branch[]): number =>
  Math.max(0, ...branches.map(({ block }) => block.height));

/** A choice: its default case goes straight on, the other cases stand beside that. */
function choice(task: WorkflowTask, plan: Plan): Block {
  const owner = task.taskReferenceName;
  const { gapY, branchY, gapX, runsRight } = plan;
  const cases = Object.entries(task.decisionCases ?? {}).map(([label, tasks]) =>
    branchOf(label, tasks, { owner, part: 'decisionCases', name: label }, plan),
  );
  const list: TaskList = { owner, part: 'defaultCase', name: '' };
  const straightOn = branchOf('default', task.defaultCase ?? [], list, plan);
  const at = Math.ceil(cases.length / 2);
  const branches = [...cases.slice(0, at), straightOn, ...cases.slice(at)];
  const { middles, width } = sideBySide(branches, gapX);
  const axis = middles[at] ?? 0;
  const size = { across: diamond, along: runsRight ? 72 : diamond };
  const top = size.along + branchY;
  const height = top + tallestOf(branches) + gapY;
  const name = runsRight ? 0 : 140;
  return {
    left: Math.max(axis, diamond / 2),
    right: Math.max(width - axis, diamond / 2 + name),
    height,
    draw: (drawing, x, y) => {
      const spot = { x: x - diamond / 2, y, ...size, axis: diamond / 2 };
      drawing.nodes.push(nodeOf(task, spot));
      const firsts = branches.flatMap(({ first }) => first ?? []);
      branches.forEach((branch, index) => {
        const middle = x - axis + (middles[index] ?? 0);
        const way = { x, middle, from: y, size, top: y + top, bottom: y + height, plan };
        drawing.edges.push(...caseEdges(branch, owner, firsts, way));
        branch.block.draw(drawing, middle, y + top);
      });
    },
  };
}

/** undefined: none of its branches is drawn. */
function fork(task: WorkflowTask, join: WorkflowTask | undefined, plan: Plan): Block | undefined {
  const owner = task.taskReferenceName;
  const all = task.forkTasks ?? [];
  if (all.length === 0) return undefined;
  const folded = foldedOf(task, plan);
  if (folded !== undefined && folded.page === undefined)
    return foldedFork(task, join, folded, plan);
  const from = (folded?.page ?? 0) * branchesMax;
  const branches = all
    .slice(from, from + branchesMax)
    .map((tasks, index) =>
      branchOf('', tasks, { owner, part: 'forkTasks', name: String(from + index) }, plan),
    );
  // A fork whose branches come from its input is a box; one of the definition is a bar.
  const isBox = folded !== undefined || task.type === 'FORK_JOIN_DYNAMIC';
  const { across } = plan;
  const { middles, width } = sideBySide(branches, plan.gapX);
  const axis = lineOf(middles);
  const reach = across / 2 - 6;
  const span = {
    before: axis - (middles[0] ?? 0) + reach,
    behind: (middles.at(-1) ?? 0) - axis + reach,
  };
  const size = isBox
    ? sizeOf(task, folded, plan)
    : { across: span.before + span.behind, along: bar };
  const top = size.along + (isBox ? plan.branchY : plan.isEdited ? 40 : 28);
  const tallest = tallestOf(branches);
  const joinY = top + tallest + plan.gapY;
  return {
    left: Math.max(axis, isBox ? size.across / 2 : span.before),
    right: Math.max(width - axis, isBox ? size.across / 2 : span.behind) + barName(plan),
    height: joinY + (join === undefined ? 0 : bar),
    draw: (drawing, x, y) => {
      const before = isBox ? size.across / 2 : span.before;
      drawing.nodes.push(nodeOf(task, { x: x - before, y, ...size, axis: before }, folded));
      branches.forEach((branch, index) => {
        const middle = x - axis + (middles[index] ?? 0);
        const lines = { x, middle, from: y, size, top: y + top, bottom: y + joinY, plan };
        drawing.edges.push(...forkEdges(branch, { owner, join, isBox }, lines));
        branch.block.draw(drawing, middle, y + top);
      });
      if (join === undefined) return;
      const across = span.before + span.behind;
      const spot = { x: x - span.before, y: y + joinY, across, along: bar, axis: span.before };
      drawing.nodes.push(nodeOf(join, spot));
    },
  };
}

/** A fork with more branches than are drawn at once. */
function foldedOf(task: WorkflowTask, plan: Plan): Folded | undefined {
  const all = task.forkTasks ?? [];
  if (all.length <= branchesMax) return undefined;
  const last = Math.ceil(all.length / branchesMax) - 1;
  const asked = plan.pages.get(task.taskReferenceName);
  const page = asked === undefined ? undefined : Math.min(asked, last);
  const refs = all.flat().map(({ taskReferenceName }) => taskReferenceName);
  return { branches: all.length, refs, ...(page === undefined ? {} : { page }) };
}

/** One box, and its JOIN behind it. */
function foldedFork(
  task: WorkflowTask,
  join: WorkflowTask | undefined,
  folded: Folded,
  plan: Plan,
): Block {
  const box = single(task, plan, folded);
  if (join === undefined) return box;
  const joined = single(join, plan);
  const joinY = box.height + plan.gapY;
  return {
    left: Math.max(box.left, joined.left),
    right: Math.max(box.right, joined.right),
    height: joinY + joined.height,
    draw: (drawing, x, y) => {
      const refs = named(task.taskReferenceName, join.taskReferenceName);
      drawing.edges.push(straight(x, y + box.height, y + joinY, { ...refs, joins: true }));
      box.draw(drawing, x, y);
      joined.draw(drawing, x, y + joinY);
    },
  };
}

/** Where a fork stands: in line with its middle branch, or between the two in the middle. */
function lineOf(middles: readonly number[]): number {
  const [low, high] = [(middles.length - 1) / 2, middles.length / 2].map((at) => Math.floor(at));
  return ((middles[low ?? 0] ?? 0) + (middles[high ?? 0] ?? 0)) / 2;
}

/** The body of a loop in a frame; the line above it in that is the task of the loop. */
function loop(task: WorkflowTask, plan: Plan): Block {
  const { padding, runsRight } = plan;
  const owner = task.taskReferenceName;
  const body = sequence(task.loopOver ?? [], { owner, part: 'loopOver', name: '' }, plan);
  const half = plan.across / 2;
  // The line with its name is above the body, however the graph runs.
  const [head, top] = runsRight ? [loopHead, padding] : [0, padding + loopHead];
  const rim = runsRight ? 14 : 16;
  const left = Math.max(body.left, half) + rim + head;
  const right = Math.max(body.right, half) + rim;
  const height = top + Math.max(body.height, 0) + padding;
  const [first, last] = [task.loopOver?.[0], task.loopOver?.at(-1)];
  return {
    left,
    right,
    height,
    draw: (drawing: Drawing, x, y) => {
      const size = { across: left + right, along: height };
      drawing.nodes.push(nodeOf(task, { x: x - left, y, ...size, axis: left }));
      drawing.frames.push({ x: x - left, y, width: size.across, height });
      const begin = runsRight ? y : y + loopHead;
      drawing.edges.push(
        straight(x, begin, y + top, named(owner, first?.taskReferenceName)),
        straight(x, y + height - padding, y + height, named(last?.taskReferenceName, undefined)),
      );
      body.draw(drawing, x, y + top);
    },
  };
}
