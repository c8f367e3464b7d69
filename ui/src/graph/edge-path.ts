// The lines of a graph: along the axes, with rounded corners.
import type { Point } from './drawing';

const radius = 8;

/** A path along the points, as SVG takes it. */
export function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points.filter(
    (point, index) => index === 0 || distance(point, points[index - 1] as Point) > 0,
  );
  if (first === undefined) return '';
  const parts = [`M${first.x} ${first.y}`];
  let before = first;
  rest.forEach((corner, index) => {
    const next = rest[index + 1];
    if (next === undefined || isStraight(before, corner, next)) {
      parts.push(`L${corner.x} ${corner.y}`);
    } else {
      const room = Math.min(distance(before, corner), distance(corner, next)) / 2;
      const [from, to] = [toward(corner, before, room), toward(corner, next, room)];
      parts.push(`L${from.x} ${from.y}Q${corner.x} ${corner.y} ${to.x} ${to.y}`);
    }
    before = corner;
  });
  return parts.join('');
}

function distance(a: Point, b: Point): number {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}

function isStraight(a: Point, b: Point, c: Point): boolean {
  return (a.x === b.x && b.x === c.x) || (a.y === b.y && b.y === c.y);
}

/** The point near `from` on the way to `to`. */
function toward(from: Point, to: Point, room: number): Point {
  const by = Math.min(radius, room) / distance(from, to);
  return { x: from.x + (to.x - from.x) * by, y: from.y + (to.y - from.y) * by };
}
