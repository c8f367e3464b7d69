// The measures that a graph is laid out by, and the parts that its blocks are made of.
import type { GraphEdge, GraphFrame, GraphNode, GraphSlot, Point } from './drawing';
import type { Place } from './places';

export const nodeWidth = 168;
export const nodeHeight = 52;
/** Of a box that says how far its branches are. */
export const progressHeight = 76;
/** A choice as it is drawn, from corner to corner. */
export const diamond = 44;
/** How thick the bars of forks and joins are. */
export const bar = 8;
/** The line above the body of a loop, with its name. */
export const loopHead = 30;
/** Forks with more branches are one box, which opens in pages of so many. */
export const branchesMax = 20;
/** Between a slot and the task below or above it. */
export const slotY = 12;

export interface Plan {
  /** Between two tasks of a sequence. */
  readonly gapY: number;
  /** From a choice or a fork to the first tasks of its branches. */
  readonly branchY: number;
  /** Between branches. */
  readonly gapX: number;
  /** Around the whole, and around the body of a loop. */
  readonly padding: number;
  /** Size of a task across and along the direction in which the graph runs. */
  readonly across: number;
  readonly along: number;
  readonly runsRight: boolean;
  readonly isEdited: boolean;
  readonly pages: ReadonlyMap<string, number>;
}

export function planOf(isEdited: boolean, runsRight: boolean, pages: Plan['pages']): Plan {
  const [across, along] = runsRight ? [nodeHeight, nodeWidth] : [nodeWidth, nodeHeight];
  const spacing = isEdited
    ? { gapY: 40, branchY: 52, gapX: 24, padding: 32 }
    : runsRight
      ? { gapY: 28, branchY: 52, gapX: 32, padding: 20 }
      : { gapY: 32, branchY: 36, gapX: 24, padding: 20 };
  return { ...spacing, across, along, runsRight, isEdited, pages };
}

export interface DrawnEdge extends Omit<GraphEdge, 'path'> {
  readonly points: readonly Point[];
}

export interface Drawing {
  readonly slots: GraphSlot[];
  readonly nodes: GraphNode[];
  readonly edges: DrawnEdge[];
  readonly frames: GraphFrame[];
}

export interface Block {
  /** From the line that it stands on to its sides. */
  readonly left: number;
  readonly right: number;
  readonly height: number;
  /** `x` is the line; edges come in at its top and leave at its bottom. */
  readonly draw: (drawing: Drawing, x: number, y: number) => void;
}

export function named(
  from: string | undefined,
  to: string | undefined,
): Pick<GraphEdge, 'from' | 'to'> {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

export function straight(
  x: number,
  fromY: number,
  toY: number,
  edge: Omit<DrawnEdge, 'points'>,
): DrawnEdge {
  return {
    ...edge,
    points: [
      { x, y: fromY },
      { x, y: toY },
    ],
  };
}

/** A slot, where the graph is edited. */
export function addSlot(drawing: Drawing, plan: Plan, at: Point, place: Place): void {
  if (plan.isEdited) drawing.slots.push({ ...at, place });
}
