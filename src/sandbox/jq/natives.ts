// How the functions of jq that are written in TypeScript are told to the machine: tables by
// `name/arity`, filled by the *-functions files, and what those files share.
import type { Json } from '../../model/json.js';
import type { Native } from './machine.js';
import { lost } from './scope.js';
import { isMap, isNumber, JqError, shown, typeOf } from './values.js';

/** Characters of text handled for one step of the budget. */
const charsPerStep = 16;

type Apply<Result> = (input: Json, ...args: Json[]) => Result;
type Cost = (input: Json, ...args: Json[]) => number;

export class NativeTable {
  readonly entries: Map<string, Native> = new Map();

  /**
   * Functions of the input and the values of their arguments; every combination of arguments gives
   * a result.
   */
  define(signature: string, apply: Apply<Json>, cost: Cost = costOf): void {
    this.defineMany(signature, (input, ...args) => [apply(input, ...args)], cost);
  }

  /** Like `define`, for functions with several results. */
  defineMany(signature: string, apply: Apply<Json[]>, cost: Cost = costOf): void {
    this.entries.set(signature, (machine, { args, scope, place }, emit) => {
      const go = (at: number, values: Json[]): void => {
        const arg = args[at];
        if (arg !== undefined) {
          machine.each(arg, scope, place.value, (value) => go(at + 1, [...values, value]));
          return;
        }
        machine.spend(cost(place.value, ...values));
        for (const result of apply(place.value, ...values)) emit(result, lost(place));
      };
      go(0, []);
    });
  }

  /** Functions that take filters, or handle paths. */
  set(signature: string, native: Native): void {
    this.entries.set(signature, native);
  }
}

function costOf(input: Json): number {
  if (typeof input === 'string') return input.length / charsPerStep;
  return Array.isArray(input) ? input.length : 0;
}

/** Steps of looking for all places of `part`. */
export function searchCost(input: Json, part: Json = null): number {
  const length = typeof part === 'string' || Array.isArray(part) ? part.length : 1;
  return costOf(input) * Math.max(1, length / charsPerStep);
}

export function fail(value: Json, what: string): never {
  throw new JqError(`${typeOf(value)} (${shown(value)}) ${what}`);
}

export function listOf(value: Json, what: string): Json[] {
  return Array.isArray(value) ? value : fail(value, what);
}

export function numberOf(value: Json): number {
  return isNumber(value) ? Number(value) : fail(value, 'number required');
}

export function stringOf(value: Json, what: string): string {
  return typeof value === 'string' ? value : fail(value, what);
}

export function valuesOf(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  if (isMap(value)) return Object.values(value);
  throw new JqError(
    `Cannot iterate over ${typeOf(value)}${value === null ? '' : ` (${shown(value)})`}`,
  );
}
