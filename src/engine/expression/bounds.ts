// Bounds on what expressions build (semantics 2.12). References share what they point at, so a few
// characters of a definition can name gigabytes, and each round of a loop can wrap a variable once
// more. Turning such a value into text would hold the event loop or end in a RangeError. So values
// are measured before they are written.
import type { Json } from '../../model/json.js';
import { ExpressionRefusal } from './refusal.js';

/**
 * Lists and maps inside each other. Far above what requests may bring (shape-limits.ts), far below
 * what a recursive reader bears.
 */
export const evaluatedDepthMax = 500;

/** What was evaluated is beyond the bounds; the message completes "the value is ...". */
export class OversizeError extends ExpressionRefusal {
  constructor(
    readonly excess: Excess,
    charsMax: number,
  ) {
    super(
      excess === 'size'
        ? `larger than ${charsMax} bytes`
        : `nested deeper than ${evaluatedDepthMax} levels`,
    );
    this.name = 'OversizeError';
  }

  sentence(what: string): string {
    return `${what} is ${this.message}`;
  }
}

export type Excess = 'size' | 'depth';

/**
 * How a value exceeds the bounds; undefined when its JSON text may fit into `charsMax` characters
 * (escapes are not counted). Costs no more than `charsMax` allows, however often a part is shared.
 */
export function excessOf(value: Json, charsMax: number): Excess | undefined {
  return visit(value, evaluatedDepthMax, { left: charsMax });
}

/**
 * Characters of the value's JSON text, escapes not counted; of a value beyond the depth at least
 * some.
 */
export function charsOf(value: Json): number {
  const budget = { left: Number.MAX_SAFE_INTEGER };
  visit(value, evaluatedDepthMax, budget);
  return Number.MAX_SAFE_INTEGER - budget.left;
}

/** Throws OversizeError. */
export function assertWithin(value: Json, charsMax: number): void {
  const excess = excessOf(value, charsMax);
  if (excess !== undefined) throw new OversizeError(excess, charsMax);
}

function visit(value: Json, depthLeft: number, budget: { left: number }): Excess | undefined {
  if (typeof value === 'string') budget.left -= value.length + 2;
  else if (typeof value !== 'object' || value === null) budget.left -= 1;
  else {
    if (depthLeft === 0) return 'depth';
    const excess = Array.isArray(value)
      ? visitList(value, depthLeft, budget)
      : visitMap(value, depthLeft, budget);
    if (excess !== undefined) return excess;
  }
  return budget.left < 0 ? 'size' : undefined;
}

function visitList(
  list: readonly Json[],
  depthLeft: number,
  budget: { left: number },
): Excess | undefined {
  budget.left -= 1;
  for (const item of list) {
    budget.left -= 1;
    const excess = visit(item, depthLeft - 1, budget);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

function visitMap(
  map: { readonly [key: string]: Json },
  depthLeft: number,
  budget: { left: number },
): Excess | undefined {
  budget.left -= 1;
  for (const key in map) {
    budget.left -= key.length + 4;
    const excess = visit(map[key] as Json, depthLeft - 1, budget);
    if (excess !== undefined) return excess;
  }
  return undefined;
}
