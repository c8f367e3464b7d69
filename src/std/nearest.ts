// The known name that a misspelt one probably meant: "did you mean" of settings and fields.

/** Further away than that is another name. */
const distanceMax = 3;

/** undefined: none is near. A short name must be nearer than a long one. */
export function nearestOf(name: string, known: Iterable<string>): string | undefined {
  const within = Math.min(distanceMax, Math.max(1, Math.floor(name.length / 3)));
  let nearest: string | undefined;
  let least = within + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [least, nearest] = [distance, candidate];
  }
  return nearest;
}

/** Letters to add, remove, replace or swap with their neighbour (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let least = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
      );
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (row > 1 && column > 1 && isSwap) least = Math.min(least, at(beforeLast, column - 2) + 1);
      current.push(least);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
