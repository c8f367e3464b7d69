// Parts of a list, for what takes a bounded number of items at once.
export function partsOf<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let first = 0; first < items.length; first += size) {
    parts.push(items.slice(first, first + size));
  }
  return parts;
}
