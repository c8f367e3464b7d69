// The drawing of a definition: its tasks as boxes with a place and a size, and the lines between
// them.
import type { Place } from './places';

export interface GraphNode {
  readonly ref: string;
  readonly type: string;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Where the flow enters it: from its left side, or where it runs to the right from its top. */
  readonly axis: number;
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
  /** It ends at a JOIN, which goes on only behind what has been done. */
  readonly joins?: boolean;
  /** First tasks of the other branches, at an empty branch of a choice: none of them was taken. */
  readonly besides?: readonly string[];
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

export interface GraphFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
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
