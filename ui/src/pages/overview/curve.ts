// A curve out of the steps of a window: its value now, what is usual in the window, and its line.

/** null: not counted then. */
export type Steps = readonly (number | null)[];

export interface Curve {
  /** Absent where nothing is known. */
  readonly now: number | undefined;
  /** The median of the steps before; absent where those are too few to say. */
  readonly usual: number | undefined;
  /** Against what is usual; 0 where it is as usual. */
  readonly change: number | undefined;
  /** Paths in a field of 240 by 48. */
  readonly line: string;
  readonly area: string;
  /** Height of the usual in it. */
  readonly usualAt: number | undefined;
}

const width = 240;
const height = 48;
const margin = 3;
/** With fewer steps before nothing can be called usual. */
const stepsMin = 5;
/** A change within this share of the usual, or below `changeMin`, is none. */
const usualShare = 0.25;
const changeMin = 0.5;

/** `latest`: its value now, where it is known better than by the last step, which goes on. */
export function curveOf(values: Steps, latest?: number): Curve {
  const whole = values.slice(0, -1);
  const known = whole.filter((value) => value !== null);
  const now = latest ?? known.at(-1) ?? values.at(-1) ?? undefined;
  const usual = known.length > stepsMin ? median(known.slice(0, -1)) : undefined;
  const change = now === undefined || usual === undefined ? undefined : changeOf(now, usual);
  const most = Math.max(1, ...known, usual ?? 0);
  const at = (value: number): number =>
    Math.round((height - margin - (value / most) * (height - 2 * margin)) * 10) / 10;
  const points = whole.flatMap((value, index) =>
    value === null
      ? []
      : [[Math.round((index / Math.max(1, whole.length - 1)) * width), at(value)] as const],
  );
  const line = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const [first, last] = [points[0], points.at(-1)];
  const area =
    first === undefined || last === undefined
      ? ''
      : `${line}L${last[0]} ${height}L${first[0]} ${height}Z`;
  return { now, usual, change, line, area, usualAt: usual === undefined ? undefined : at(usual) };
}

function changeOf(now: number, usual: number): number {
  const change = now - usual;
  return Math.abs(change) <= Math.max(changeMin, usual * usualShare) ? 0 : change;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [
    sorted[sorted.length % 2 === 0 ? middle - 1 : middle],
    sorted[middle],
  ];
  return (low + high) / 2;
}
