// The word that somebody probably meant.

/** More letters than these may not differ. */
const editsMax = 2;

/** The known word that needs the fewest changes of a letter; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const best = known
    .map((each) => ({ each, edits: editsBetween(word, each) }))
    .sort((a, b) => a.edits - b.edits)[0];
  return best !== undefined && best.edits <= editsMax ? best.each : undefined;
}

/** Letters to insert, delete or replace (Levenshtein). */
function editsBetween(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = row;
  }
  return before.at(-1) ?? 0;
}
