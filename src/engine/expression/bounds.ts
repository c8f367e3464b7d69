// Bounds on what expressions and scripts build (semantics 2.12, invariants S10). References share
// what they point at, so a few characters of a definition can name gigabytes, and each round of a
// loop can wrap a variable once more. Turning such a value into text would hold the event loop or
// end in a RangeError. So values are measured before they are written.
import type { Json } from '../../model/json.js';
import type { ValueLimits } from '../../model/value-limits.js';
import { ExpressionRefusal } from './refusal.js';

/** A value is beyond the bounds; the message completes "the value is ...". */
export class OversizeError extends ExpressionRefusal {
  override name = 'OversizeError';

  sentence(what: string): string {
    return `${what} is ${this.message}`;
  }
}

/** The paths of one evaluation visit too many values. */
export class VisitsError extends ExpressionRefusal {
  override name = 'VisitsError';

  sentence(what: string): string {
    return `${what}: ${this.message}`;
  }
}

type Excess = 'size' | 'depth' | 'keys' | 'key' | 'count';

/**
 * How a value exceeds the bounds, as a text that completes "the value is ..."; undefined when its
 * JSON text may fit into `charsMax` characters (escapes are not counted). Costs no more than
 * `charsMax` allows, however often a part is shared.
 */
export function excessOf(value: Json, charsMax: number, limits: ValueLimits): string | undefined {
  const budget = { left: charsMax, count: limits.valueCountMax, limits };
  const excess = visit(value, limits.valueDepthMax, budget);
  return excess === undefined ? undefined : described(excess, charsMax, limits);
}

/**
 * Characters of the value's JSON text, escapes not counted; of a value beyond the limits at least
 * some.
 */
export function charsOf(value: Json): number {
  const budget = {
    left: Number.MAX_SAFE_INTEGER,
    count: Number.MAX_SAFE_INTEGER,
    limits: noLimits,
  };
  visit(value, charsDepthMax, budget);
  return Number.MAX_SAFE_INTEGER - budget.left;
}

/** Far below what a recursive reader bears. */
const charsDepthMax = 1100;
const noLimits: ValueLimits = {
  valueDepthMax: charsDepthMax,
  valueKeysMax: Infinity,
  valueKeyBytesMax: Infinity,
  valueCountMax: Infinity,
};

/** Throws OversizeError. */
export function assertWithin(value: Json, charsMax: number, limits: ValueLimits): void {
  const excess = excessOf(value, charsMax, limits);
  if (excess !== undefined) throw new OversizeError(excess);
}

/** A text about `excess` that completes "the value is ...". */
function described(excess: Excess, charsMax: number, limits: ValueLimits): string {
  switch (excess) {
    case 'size':
      return `larger than ${charsMax} bytes`;
    case 'depth':
      return deeperThan(limits);
    case 'keys':
      return `wider than ${limits.valueKeysMax} keys in one map (valueKeysMax)`;
    case 'key':
      return `longer than ${limits.valueKeyBytesMax} bytes in one key (valueKeyBytesMax)`;
    case 'count':
      return `made of more than ${limits.valueCountMax} values (valueCountMax)`;
  }
}

export function deeperThan({ valueDepthMax }: ValueLimits): string {
  return `nested deeper than ${valueDepthMax} levels (valueDepthMax)`;
}

interface Budget {
  left: number;
  count: number;
  readonly limits: ValueLimits;
}

function visit(value: Json, depthLeft: number, budget: Budget): Excess | undefined {
  if (typeof value === 'string') budget.left -= value.length + 2;
  else if (typeof value !== 'object' || value === null) budget.left -= 1;
  else {
    if (depthLeft === 0) return 'depth';
    const excess = Array.isArray(value)
      ? visitList(value, depthLeft, budget)
      : visitMap(value, depthLeft, budget);
    if (excess !== undefined) return excess;
  }
  if (budget.left < 0) return 'size';
  return --budget.count < 0 ? 'count' : undefined;
}

function visitList(list: readonly Json[], depthLeft: number, budget: Budget): Excess | undefined {
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
  budget: Budget,
): Excess | undefined {
  const { valueKeysMax, valueKeyBytesMax } = budget.limits;
  budget.left -= 1;
  let keys = 0;
  for (const key in map) {
    if (++keys > valueKeysMax) return 'keys';
    if (key.length > valueKeyBytesMax) return 'key';
    budget.left -= key.length + 4;
    const excess = visit(map[key] as Json, depthLeft - 1, budget);
    if (excess !== undefined) return excess;
  }
  return undefined;
}
