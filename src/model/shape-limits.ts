// Bounds on the shape of values from outside (invariants S10), for values that did not come through
// an HTTP body, whose bytes are checked before they are parsed: what a script or an expression has
// computed, a stored record.
import { AppError } from './errors.js';

/** Lists and maps inside each other. */
export const depthMax = 64;
/** Keys of all maps together. */
export const keysMax = 100_000;

/**
 * Throws AppError 'bad-request' when `value` is nested deeper or has more keys than the limits;
 * `path` names it.
 */
export function checkShape(value: unknown, path: string): void {
  let keys = 0;
  const visit = (item: unknown, depth: number): void => {
    if (item === null || typeof item !== 'object') return;
    if (depth > depthMax) {
      throw new AppError('bad-request', `${path} is nested deeper than ${depthMax} levels`);
    }
    if (Array.isArray(item)) {
      for (const each of item) visit(each, depth + 1);
      return;
    }
    for (const key of Object.keys(item)) {
      if (++keys > keysMax)
        throw new AppError('bad-request', `${path} has more than ${keysMax} keys`);
      visit((item as Record<string, unknown>)[key], depth + 1);
    }
  };
  visit(value, 1);
}
