// Places the tasks of a definition on a plane. Definitions are nested sequences, so each becomes a
// block with a size, and blocks are stacked and set side by side in one pass. Everything is placed
// from top to bottom; a graph that runs from left to right is the same with its axes exchanged at
// the end.
import type { WorkflowTask } from '../api/types';
import { sequence } from './blocks';
import type { GraphEnds, GraphLayout, Point } from './drawing';
import { roundedPath } from './edge-path';
import { topList } from './places';
import { named, planOf, straight, type DrawnEdge, type Drawing, type Plan } from './plan';

/** From the dot at the start to the first task, and from the last one to that at the end. */
const endY = 28;

export interface LayoutOptions {
  /** Draws slots. */
  readonly isEdited?: boolean;
  /** From left to right instead of from top to bottom. */
  readonly runsRight?: boolean;
  /** Pages of forks with many branches, by reference name. */
  readonly pages?: ReadonlyMap<string, number>;
}

export function layOut(
  tasks: readonly WorkflowTask[],
  { isEdited = false, runsRight = false, pages = new Map() }: LayoutOptions = {},
): GraphLayout {
  const plan: Plan = planOf(isEdited, runsRight, pages);
  const { padding } = plan;
  const block = sequence(tasks, topList, plan);
  const drawing: Drawing = { nodes: [], edges: [], frames: [], slots: [] };
  const [left, right] = [block.left, block.right].map((side) => Math.max(side, plan.across / 2));
  const [first, last] = [tasks[0], tasks.at(-1)];
  const top = padding + (last === undefined ? 0 : endY);
  const axis = padding + (left ?? 0);
  const width = axis + (right ?? 0) + padding;
  const height = Math.max(0, block.height) + 2 * top;
  let ends: GraphEnds | undefined;
  if (last !== undefined) {
    const bottom = height - top;
    const [start, end] = [
      { x: axis, y: top - endY },
      { x: axis, y: bottom + endY },
    ];
    ends = { start, end, last: last.taskReferenceName };
    drawing.edges.push(
      straight(axis, start.y, top, named(undefined, first?.taskReferenceName)),
      straight(axis, bottom, end.y, named(ends.last, undefined)),
    );
  }
  block.draw(drawing, axis, top);
  const turn = runsRight ? exchanged : same;
  return {
    nodes: drawing.nodes.map((node) => turnedBox(node, turn)),
    edges: drawing.edges.map(({ points, ...edge }: DrawnEdge) => ({
      ...edge,
      path: roundedPath(points.map(turn)),
      ...(edge.label === undefined ? {} : { label: { ...edge.label, ...turn(edge.label) } }),
    })),
    frames: drawing.frames.map((frame) => turnedBox(frame, turn)),
    slots: drawing.slots.map((slot) => ({ ...slot, ...turn(slot) })),
    ...(ends === undefined
      ? {}
      : { ends: { last: ends.last, start: turn(ends.start), end: turn(ends.end) } }),
    width: turn({ x: width, y: height }).x,
    height: turn({ x: width, y: height }).y,
  };
}

type Turn = (point: Point) => Point;

const same: Turn = ({ x, y }) => ({ x, y });
const exchanged: Turn = ({ x, y }) => ({ x: y, y: x });

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

function turnedBox<T extends Box>(box: T, turn: Turn): T {
  const { x: width, y: height } = turn({ x: box.width, y: box.height });
  return { ...box, ...turn(box), width, height };
}
