// Functions and constants of the language that scripts in place may use.
import { optionalNumber, text } from './arguments.js';
import { isObjectName } from './object-names.js';
import {
  giveUp,
  isPlainMap,
  isPrimitive,
  readMember,
  type RunState,
  ScriptFunction,
  type Value,
} from './run-state.js';

export type GlobalFunction = (state: RunState, args: readonly Value[]) => Value;

function plainMap(value: Value): { [key: string]: Value } {
  return isPlainMap(value) ? value : giveUp();
}

function keysOf(state: RunState, value: Value): string[] {
  const keys = Object.keys(plainMap(value));
  state.spend(keys.length);
  return keys;
}

/** Text to number as `Number` and `parseInt` do it; long digits are left to the other engine. */
function shortText(value: Value): string {
  const given = text(value);
  return given.length <= 15 ? given : giveUp();
}

function toNumber(value: Value): number {
  if (!isPrimitive(value)) return giveUp();
  return Number(typeof value === 'string' ? shortText(value) : value);
}

function math(apply: (value: number) => number): GlobalFunction {
  return (_state, args) => apply(args.length === 0 ? Number.NaN : toNumber(args[0]));
}

/** By the name they are called with. */
export const globalFunctions: ReadonlyMap<string, GlobalFunction> = new Map<string, GlobalFunction>(
  [
    ['Math.abs', math(Math.abs)],
    ['Math.ceil', math(Math.ceil)],
    ['Math.floor', math(Math.floor)],
    ['Math.round', math(Math.round)],
    ['Math.trunc', math(Math.trunc)],
    ['Math.sign', math(Math.sign)],
    ['Math.sqrt', math(Math.sqrt)],
    ['Math.max', (_state, args) => Math.max(...args.map(toNumber))],
    ['Math.min', (_state, args) => Math.min(...args.map(toNumber))],
    ['Number', (_state, args) => (args.length === 0 ? 0 : toNumber(args[0]))],
    ['Number.isInteger', (_state, args) => Number.isInteger(args[0])],
    ['Number.isSafeInteger', (_state, args) => Number.isSafeInteger(args[0])],
    ['Number.isFinite', (_state, args) => Number.isFinite(args[0])],
    ['Number.isNaN', (_state, args) => Number.isNaN(args[0])],
    ['isFinite', (_state, args) => Number.isFinite(toNumber(args[0]))],
    ['isNaN', (_state, args) => Number.isNaN(toNumber(args[0]))],
    ['parseInt', (_state, args) => Number.parseInt(integerText(args[0]), optionalNumber(args[1]))],
    ['parseFloat', (_state, args) => Number.parseFloat(integerText(args[0]))],
    [
      'String',
      (_state, args) => {
        if (args.length === 0) return '';
        return isPrimitive(args[0]) ? String(args[0]) : giveUp();
      },
    ],
    ['Boolean', (_state, args) => Boolean(args[0])],
    ['Array.isArray', (_state, args) => Array.isArray(args[0])],
    ['Object.keys', (state, args) => state.own<Value[]>(keysOf(state, args[0]))],
    [
      'Object.values',
      (state, args) => state.own(keysOf(state, args[0]).map((key) => readOwn(args[0], key))),
    ],
    [
      'Object.entries',
      (state, args) =>
        state.own<Value[]>(
          keysOf(state, args[0]).map((key) => state.own<Value[]>([key, readOwn(args[0], key)])),
        ),
    ],
    [
      'JSON.stringify',
      (state, args) => {
        if (args.length !== 1) giveUp();
        if (args[0] === undefined) return undefined;
        measure(state, args[0], 0);
        return JSON.stringify(args[0]);
      },
    ],
    [
      'JSON.parse',
      (state, args) => {
        if (args.length !== 1) giveUp();
        const source = text(args[0]);
        state.spendText(source.length);
        return adopt(state, parseOrGiveUp(source));
      },
    ],
  ],
);

export const globalConstants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
]);

function integerText(value: Value): string {
  if (typeof value === 'number') return String(value);
  return shortText(value);
}

function readOwn(map: Value, key: string): Value {
  if (isObjectName(key)) return giveUp();
  return readMember(map, key);
}

/** Charges for what is about to be written out; gives up on what would be written differently. */
function measure(state: RunState, value: Value, depth: number): void {
  state.spend(1);
  if (typeof value === 'string') state.spendText(value.length);
  if (typeof value === 'bigint' || value instanceof ScriptFunction || depth > 64) giveUp();
  if (isPrimitive(value)) return;
  for (const key of Object.keys(value)) {
    state.spendText(key.length);
    measure(state, (value as { [key: string]: Value })[key], depth + 1);
  }
}

function parseOrGiveUp(source: string): Value {
  try {
    return JSON.parse(source) as Value;
  } catch {
    return giveUp(); // The other engine words the error.
  }
}

function adopt(state: RunState, value: Value): Value {
  if (isPrimitive(value) || value instanceof ScriptFunction) return value;
  for (const item of Object.values(value)) adopt(state, item as Value);
  return state.own(value);
}
