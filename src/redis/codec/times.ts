// Moments in records: relative to another one of the same record, which takes two to five bytes in
// place of nine; nothing for a moment that is not set.
import type { Packer } from './packer.js';

/** `at` and `base` in epoch ms; 0 = not set. */
export function writeTime(packer: Packer, at: number, base: number): void {
  if (at === 0) packer.nothing();
  else packer.number(at - base);
}

export function readTime(stored: unknown, base: number): number {
  return stored === null ? 0 : (stored as number) + base;
}
