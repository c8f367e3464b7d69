// How the functions of jq that are written in TypeScript are told to the machine: tables by
// `name/arity`, filled by the *-functions files, and what those files share.
import { type Json, isMap } from './json.js';
import type { Native } from './machine.js';
import { lost } from './scope.js';
import { deepCost, flatCost, sortCost } from './weights.js';
import { isNumber, JqError, shown, typeOf } from './values.js';

type Apply<Result> = (input: Json, ...args: Json[]) => Result;
/** Steps that a call costs; `left`: steps that are left, where counting may stop. */
type Cost = (left: number, input: Json, ...args: Json[]) => number;

/** For functions that look at their input only, not at what is in it. */
export const flat: Cost = (_left, input) => flatCost(input);

/** For functions that walk their input and arguments: the safe choice, and so the default. */
const deep: Cost = (left, ...values) => {
  let cost = 0;
  for (const value of values) cost += deepCost(value, left - cost);
  return cost;
};

/** For functions that order a list. */
export const sorting: Cost = (left, input) =>
  sortCost(Array.isArray(input) ? input.length : 0, deepCost(input, left));

/** For functions that look for an argument at every place of their input. */
export const searching: Cost = (left, input, part = null) =>
  (1 + deepCost(input, left)) * (1 + deepCost(part, left));

export class NativeTable {
  readonly entries: Map<string, Native> = new Map();

  /**
   * Functions of the input and the values of their arguments; every combination of arguments gives
   * a result.
   */
  define(signature: string, apply: Apply<Json>, cost: Cost = deep): void {
    this.defineMany(signature, (input, ...args) => [apply(input, ...args)], cost);
  }

  /** Like `define`, for functions with several results. */
  defineMany(signature: string, apply: Apply<Json[]>, cost: Cost = deep): void {
    this.entries.set(signature, (machine, { args, scope, place }, emit) => {
      const go = (at: number, values: Json[]): void => {
        const arg = args[at];
        if (arg !== undefined) {
          machine.each(arg, scope, place.value, (value) => go(at + 1, [...values, value]));
          return;
        }
        machine.spend(cost(machine.stepsLeft, place.value, ...values));
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
