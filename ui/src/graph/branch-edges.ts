// The lines from a choice or a fork to its branches, and from these to where they meet.
import type { WorkflowTask } from '../api/types';
import type { Point } from './drawing';
import { diamond, named, slotY, straight, type Block, type DrawnEdge, type Plan } from './plan';

/** How far a node reaches across and along the direction in which the graph runs. */
export interface Size {
  readonly across: number;
  readonly along: number;
}

export interface Branch {
  readonly label: string;
  readonly block: Block;
  readonly first: string | undefined;
  readonly last: WorkflowTask | undefined;
}

export interface Way {
  /** The line of the choice, and that of the branch. */
  readonly x: number;
  readonly middle: number;
  /** Where the choice begins, its branch begins, and all of it ends. */
  readonly from: number;
  readonly size: Size;
  readonly top: number;
  readonly bottom: number;
  readonly plan: Plan;
}

export function caseEdges(
  { label, block, first, last }: Branch,
  owner: string,
  firsts: readonly string[],
  way: Way,
): readonly DrawnEdge[] {
  const { x, middle, from, size, top, bottom, plan } = way;
  const empty = { from: owner, besides: firsts };
  const center = from + size.along / 2;
  const side = Math.sign(middle - x);
  const end = top + block.height;
  const into = first === undefined ? empty : named(owner, first);
  const labelled = { ...into, label: { text: label, ...labelAt(way, side) } };
  // Straight on the line lies on that of the diamond; beside it leaves at a corner.
  const inward =
    side === 0
      ? straight(x, from + size.along, top, labelled)
      : bent(
          [
            { x: x + (side * diamond) / 2, y: center },
            { x: middle, y: center },
          ],
          top,
          labelled,
        );
  if (last?.type === 'TERMINATE') return [inward];
  const out = first === undefined ? empty : named(last?.taskReferenceName, undefined);
  const merge = bottom - plan.gapY / 2;
  const outward =
    side === 0
      ? straight(x, end, bottom, out)
      : bent(
          [
            { x: middle, y: end },
            { x: middle, y: merge },
            { x, y: merge },
          ],
          bottom,
          out,
        );
  return [inward, outward];
}

/** On the line that leads to a case. */
function labelAt({ middle, from, size, top, plan }: Way, side: number): Point {
  const { runsRight, isEdited } = plan;
  if (!runsRight) return { x: middle, y: top - (isEdited ? 2 * slotY + 4 : 12) };
  if (side === 0) return { x: middle + 4, y: (from + size.along + top) / 2 };
  return { x: middle - side * 42 + 4, y: from + size.along / 2 };
}

/** Along the points, and then straight down. */
function bent(
  points: readonly Point[],
  bottom: number,
  edge: Omit<DrawnEdge, 'points'>,
): DrawnEdge {
  const { x } = points.at(-1) as Point;
  return { ...edge, points: [...points, { x, y: bottom }] };
}

export interface Forked {
  readonly owner: string;
  readonly join: WorkflowTask | undefined;
  readonly isBox: boolean;
}

export function forkEdges(
  { block, first, last }: Branch,
  { owner, join, isBox }: Forked,
  way: Way,
): readonly DrawnEdge[] {
  const { x, middle, from, size, top, bottom, plan } = way;
  const leaves = from + size.along;
  const turn = leaves + plan.gapY / 2;
  const into = named(owner, first);
  const inward = isBox
    ? bent(
        [
          { x, y: leaves },
          { x, y: turn },
          { x: middle, y: turn },
        ],
        top,
        into,
      )
    : straight(middle, leaves, top, into);
  const out = named(last?.taskReferenceName ?? owner, join?.taskReferenceName);
  const end = top + block.height;
  if (join !== undefined) return [inward, straight(middle, end, bottom, { ...out, joins: true })];
  const merge = bottom - plan.gapY / 2;
  return [
    inward,
    bent(
      [
        { x: middle, y: end },
        { x: middle, y: merge },
        { x, y: merge },
      ],
      bottom,
      out,
    ),
  ];
}
