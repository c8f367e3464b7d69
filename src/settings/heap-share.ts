// Defaults of limits in bytes that fit the heap of the process.
import { getHeapStatistics } from 'node:v8';

/** So many bytes, but no more than a share of the heap (0 to 1), and at least `least`. */
export function withinHeap(bytes: number, share: number, least = 0): number {
  const most = Math.floor(getHeapStatistics().heap_size_limit * share);
  return Math.max(least, Math.min(bytes, most));
}
