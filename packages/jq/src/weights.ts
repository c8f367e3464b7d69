// Weighs values: the cost of an operation on them, in steps of the budget. References share what
// they point at, so a program of ten words can name a value of a billion parts (`reduce range(30)
// as $i (1; [., .])`): code that is about to walk a value asks for its weight first, and the weight
// stops counting where the budget ends.
import type { BinaryOperator } from './ast.js';
import { isMap, type Json } from './json.js';

/** Parts of a value, or keys of a map, that are walked or copied for one step. */
const partsPerStep = 4;
/** Characters of text handled for one step. */
const charsPerStep = 16;

export function textCost(chars: number): number {
  return chars / charsPerStep;
}

export function partsCost(parts: number): number {
  return parts / partsPerStep;
}

/** Steps of looking at the value itself, not at what is in it. */
export function flatCost(value: Json): number {
  if (typeof value === 'string') return textCost(value.length);
  if (Array.isArray(value)) return partsCost(value.length);
  return isMap(value) ? partsCost(Object.keys(value).length) : 0;
}

/** Steps of walking all of `value`; counting ends soon after `max`. */
export function deepCost(value: Json, max: number): number {
  if (typeof value === 'string') return textCost(value.length);
  if (typeof value !== 'object' || value === null) return 0;
  const items = Array.isArray(value) ? value : Object.values(value);
  let cost = 1 / partsPerStep;
  for (let i = 0; i < items.length && cost <= max; i++) {
    cost += 1 / partsPerStep + deepCost(items[i] as Json, max - cost);
  }
  return cost;
}

/** Steps of comparing; two values of different types differ at once. */
function compareCost(a: Json, b: Json, max: number): number {
  if (typeof a === 'string' && typeof b === 'string') {
    return textCost(Math.min(a.length, b.length));
  }
  const isSameKind = Array.isArray(a) ? Array.isArray(b) : isMap(a) && isMap(b);
  return isSameKind ? deepCost(a, max) : 0;
}

/** Steps of `left operator right`. */
export function calculationCost(
  operator: BinaryOperator,
  left: Json,
  right: Json,
  max: number,
): number {
  switch (operator) {
    case '+':
      // Texts are joined without a copy.
      return typeof left === 'string' ? 0 : flatCost(left) + flatCost(right);
    case '-':
      return Array.isArray(right) ? deepCost(left, max) * right.length : 0;
    case '*':
      return repeatCost(left, right) + repeatCost(right, left) + mergeCost(left, right, max);
    case '/':
      return typeof left === 'string' ? textCost(left.length) : 0;
    case '%':
      return 0;
    default:
      return compareCost(left, right, max);
  }
}

function repeatCost(text: Json, times: Json): number {
  return typeof text === 'string' && typeof times === 'number' ? textCost(text.length * times) : 0;
}

function mergeCost(left: Json, right: Json, max: number): number {
  return isMap(left) && isMap(right) ? deepCost(left, max) + deepCost(right, max) : 0;
}

/** Steps of `value[key]`. */
export function accessCost(value: Json, key: Json, max: number): number {
  if (typeof key === 'string') return textCost(key.length);
  if (Array.isArray(key)) return (1 + deepCost(value, max)) * (1 + deepCost(key, max));
  return isMap(key) ? flatCost(value) : 0;
}

/** Steps of ordering a list of `length` whose values together weigh `weight`. */
export function sortCost(length: number, weight: number): number {
  return weight * (1 + Math.log2(Math.max(1, length)) / 4);
}

/** Steps of changing what stands under `path`: every list and map on the way is copied. */
export function changeCost(value: Json, path: readonly Json[]): number {
  let cost = 0;
  let at: Json = value;
  for (const key of path) {
    cost += 1 + flatCost(at);
    if (isMap(at) && typeof key === 'string') {
      at = Object.hasOwn(at, key) ? (at[key] as Json) : null;
    } else if (typeof key === 'number' || typeof key === 'bigint') {
      const index = Number(key);
      const length = Array.isArray(at) ? at.length : 0;
      if (index > length) cost += partsCost(index - length);
      at = Array.isArray(at) ? (at[index < 0 ? length + index : index] ?? null) : null;
    }
    // A slice as key: the list that it is cut from stands for it.
  }
  return cost;
}
