// Operators of the language on values in place, as far as both engines agree on them to the last
// bit.
import { isObjectName } from './object-names.js';
import { giveUp, isPlainMap, isPrimitive, nameOf, type RunState, type Value } from './run-state.js';

/** `a operator b`. */
export function calculate(state: RunState, operator: string, a: Value, b: Value): Value {
  switch (operator) {
    case '===':
      return isSame(state, a, b);
    case '!==':
      return !isSame(state, a, b);
    case '==':
      return looselyEqual(state, a, b);
    case '!=':
      return !looselyEqual(state, a, b);
    case 'in':
      return isIn(a, b);
    default:
      if (!isPrimitive(a) || !isPrimitive(b)) return giveUp();
      return calculatePrimitives(state, operator, a, b);
  }
}

function isSame(state: RunState, a: Value, b: Value): boolean {
  spendOnTexts(state, a, b);
  return a === b;
}

/** Texts of one length may have to be compared to their end. */
function spendOnTexts(state: RunState, a: Value, b: Value): void {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) {
    state.spendText(a.length);
  }
}

function looselyEqual(state: RunState, a: Value, b: Value): boolean {
  if (a === null || a === undefined || b === null || b === undefined) return a == b;
  if (isPrimitive(a) !== isPrimitive(b)) return giveUp();
  if (typeof a === typeof b) return isSame(state, a, b);
  return isPrimitive(a) && isPrimitive(b) ? numberOf(a) === numberOf(b) : a === b;
}

function isIn(key: Value, object: Value): boolean {
  if (!isPlainMap(object)) return giveUp();
  const name = nameOf(key);
  return isObjectName(name) ? giveUp() : Object.hasOwn(object, name);
}

type Primitive = undefined | null | boolean | number | string;

function calculatePrimitives(state: RunState, operator: string, a: Primitive, b: Primitive): Value {
  if (operator === '+') {
    if (typeof a !== 'string' && typeof b !== 'string') return numberOf(a) + numberOf(b);
    const text = String(a) + String(b);
    state.spendText(text.length);
    return text;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    state.spendText(Math.min(a.length, b.length));
    switch (operator) {
      case '<':
        return a < b;
      case '>':
        return a > b;
      case '<=':
        return a <= b;
      case '>=':
        return a >= b;
      default:
    }
  }
  return calculateNumbers(operator, numberOf(a), numberOf(b));
}

function calculateNumbers(operator: string, a: number, b: number): Value {
  switch (operator) {
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    case '>=':
      return a >= b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return a << b;
    case '>>':
      return a >> b;
    case '>>>':
      return a >>> b;
    // Powers differ in their last digit between engines.
    default:
      return giveUp();
  }
}

/**
 * Digits of a text that are turned into a number here; the last bit of longer ones is left to the
 * other engine.
 */
const digitsMax = 15;

export function numberOf(value: Value): number {
  if (!isPrimitive(value)) return giveUp();
  return typeof value === 'string' && value.length > digitsMax ? giveUp() : Number(value);
}

export function textOf(value: Value): string {
  return isPrimitive(value) ? String(value) : giveUp();
}
