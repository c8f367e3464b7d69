// The order of the failed name lists (semantics 0.6). They are sets: the reference shows them in
// the order of its hash table, and so does this, because clients compare whole answers.

/** Places of the smallest table; it doubles when it is more than three quarters full. */
const placesMin = 16;

/** The names of a set in the order of a hash table; those in one place as they came. */
export function inHashTableOrder(names: Iterable<string>): string[] {
  const list = [...names];
  if (list.length < 2) return list;
  let places = placesMin;
  while (list.length > places * 0.75) places *= 2;
  const placed = list.map((name) => ({ name, place: spreadHash(name) & (places - 1) }));
  return placed.sort((a, b) => a.place - b.place).map(({ name }) => name);
}

/** Multiplicative hash of the UTF-16 units, its upper half folded into the lower. */
function spreadHash(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(31, hash) + name.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 16);
}
