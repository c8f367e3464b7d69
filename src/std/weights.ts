// Weights by name, for shares of one resource. A name with weight 3 gets three times as much as one
// with weight 1 while both want all they can have.

/** The weight of a name; 1 unless it was given one. */
export type WeightOf = (name: string) => number;

export const evenWeights: WeightOf = () => 1;

/** Largest weight: beyond it a name with weight 1 would get next to nothing. */
export const weightMax = 100;

/**
 * Reads `NAME=WEIGHT` entries. Throws an Error that names `flag`, the entry and the rule: a weight
 * is a whole number from 1 to `weightMax`, and no name is given twice.
 */
export function parseWeights(flag: string, entries: readonly string[]): WeightOf {
  const weights = new Map<string, number>();
  for (const entry of entries) {
    const at = entry.lastIndexOf('=');
    const name = entry.slice(0, Math.max(0, at));
    const weight = /^\d{1,3}$/.test(entry.slice(at + 1)) ? Number(entry.slice(at + 1)) : 0;
    if (name === '' || weight < 1 || weight > weightMax) {
      throw new Error(
        `${flag} takes entries NAME=WEIGHT with a whole weight from 1 to ${weightMax}, not '${entry}'.`,
      );
    }
    if (weights.has(name)) throw new Error(`${flag} names '${name}' twice.`);
    weights.set(name, weight);
  }
  return weights.size === 0 ? evenWeights : (name) => weights.get(name) ?? 1;
}
