// Methods and functions of the language that scripts in place may call: those whose result is
// settled to the last bit by the standard and whose cost is bounded by the sizes they are charged
// for. Arguments of unexpected types give up.
import {
  giveUp,
  isPlainMap,
  isPrimitive,
  nameOf,
  readMember,
  type RunState,
  ScriptFunction,
  type Value,
  writeMember,
} from './run-state.js';
import { isObjectName } from './object-names.js';

type Method<T> = (state: RunState, target: T, args: readonly Value[]) => Value;
export type GlobalFunction = (state: RunState, args: readonly Value[]) => Value;

/** `target.name(...args)`. */
export function callMethod(
  state: RunState,
  target: Value,
  name: string,
  args: readonly Value[],
): Value {
  if (typeof target === 'string') return (textMethods.get(name) ?? giveUp())(state, target, args);
  if (Array.isArray(target)) return (listMethods.get(name) ?? giveUp())(state, target, args);
  if (isPlainMap(target)) {
    if (!Object.hasOwn(target, name)) {
      return name === 'hasOwnProperty' ? Object.hasOwn(target, nameOf(args[0])) : giveUp();
    }
    return state.call(readMember(target, name), args);
  }
  if (name === 'toString' && args.length === 0) {
    if (typeof target === 'number' || typeof target === 'boolean') return String(target);
  }
  return giveUp();
}

function text(value: Value): string {
  return typeof value === 'string' ? value : giveUp();
}

function number(value: Value): number {
  return typeof value === 'number' ? value : giveUp();
}

function optionalNumber(value: Value): number | undefined {
  return value === undefined ? undefined : number(value);
}

function ascii(value: string): string {
  // Tables of letters beyond ASCII differ between versions of Unicode.
  for (let i = 0; i < value.length; i++) if (value.charCodeAt(i) > 127) giveUp();
  return value;
}

/** A search may compare the part at each place. */
function spendSearch(state: RunState, where: string, part: string): void {
  state.spendText(where.length * (1 + part.length / 16));
}

function replace(state: RunState, target: string, args: readonly Value[], all: boolean): string {
  const part = text(args[0]);
  const by = text(args[1]);
  if (by.includes('$') || args.length !== 2) giveUp();
  spendSearch(state, target, part);
  if (all) state.spendText((target.length + 1) * by.length);
  return all ? target.replaceAll(part, by) : target.replace(part, by);
}

const textMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ['charAt', (_state, target, args) => target.charAt(number(args[0] ?? 0))],
  ['charCodeAt', (_state, target, args) => target.charCodeAt(number(args[0] ?? 0))],
  ['at', (_state, target, args) => target.at(number(args[0]))],
  ['toString', (_state, target, args) => (args.length === 0 ? target : giveUp())],
  [
    'indexOf',
    (state, target, args) => {
      spendSearch(state, target, text(args[0]));
      return target.indexOf(text(args[0]), optionalNumber(args[1]));
    },
  ],
  [
    'lastIndexOf',
    (state, target, args) => {
      if (args.length !== 1) giveUp();
      spendSearch(state, target, text(args[0]));
      return target.lastIndexOf(text(args[0]));
    },
  ],
  [
    'includes',
    (state, target, args) => {
      spendSearch(state, target, text(args[0]));
      return target.includes(text(args[0]), optionalNumber(args[1]));
    },
  ],
  [
    'startsWith',
    (_state, target, args) => target.startsWith(text(args[0]), optionalNumber(args[1])),
  ],
  ['endsWith', (_state, target, args) => target.endsWith(text(args[0]), optionalNumber(args[1]))],
  [
    'slice',
    (_state, target, args) => target.slice(optionalNumber(args[0]), optionalNumber(args[1])),
  ],
  [
    'substring',
    (_state, target, args) => target.substring(number(args[0]), optionalNumber(args[1])),
  ],
  ['substr', (_state, target, args) => substr(target, number(args[0]), optionalNumber(args[1]))],
  [
    'toUpperCase',
    (state, target) => {
      state.spendText(target.length);
      return ascii(target).toUpperCase();
    },
  ],
  [
    'toLowerCase',
    (state, target) => {
      state.spendText(target.length);
      return ascii(target).toLowerCase();
    },
  ],
  ['trim', (state, target) => (state.spendText(target.length), target.trim())],
  ['trimStart', (state, target) => (state.spendText(target.length), target.trimStart())],
  ['trimEnd', (state, target) => (state.spendText(target.length), target.trimEnd())],
  [
    'split',
    (state, target, args) => {
      if (args.length !== 1) giveUp();
      const separator = text(args[0]);
      spendSearch(state, target, separator);
      if (separator === '') state.spend(target.length);
      return state.own<Value[]>(target.split(separator));
    },
  ],
  [
    'concat',
    (state, target, args) => {
      const whole = target + args.map(text).join('');
      state.spendText(whole.length);
      return whole;
    },
  ],
  [
    'repeat',
    (state, target, args) => {
      const count = number(args[0]);
      if (!Number.isInteger(count) || count < 0) giveUp();
      state.spendText(target.length * count);
      return target.repeat(count);
    },
  ],
  ['padStart', (state, target, args) => pad(state, target, args, 'padStart')],
  ['padEnd', (state, target, args) => pad(state, target, args, 'padEnd')],
  ['replace', (state, target, args) => replace(state, target, args, false)],
  ['replaceAll', (state, target, args) => replace(state, target, args, true)],
]);

function substr(target: string, from: number, length: number | undefined): string {
  if (!Number.isInteger(from) || (length !== undefined && !Number.isInteger(length))) giveUp();
  const start = from < 0 ? Math.max(0, target.length + from) : from;
  return target.slice(start, length === undefined ? undefined : start + Math.max(0, length));
}

function pad(
  state: RunState,
  target: string,
  args: readonly Value[],
  side: 'padStart' | 'padEnd',
): string {
  const length = number(args[0]);
  const filler = args[1] === undefined ? ' ' : text(args[1]);
  state.spendText(Math.max(length, 0));
  return target[side](length, filler);
}

/**
 * Calls `callback` for each element, as the standard's methods do: elements added meanwhile are not
 * visited.
 */
function visit(
  state: RunState,
  target: Value[],
  args: readonly Value[],
  then: (result: Value, item: Value, index: number) => boolean | undefined,
): void {
  const [callback] = args;
  if (args.length !== 1 || !(callback instanceof ScriptFunction)) giveUp();
  const { length } = target;
  for (let i = 0; i < length; i++) {
    if (target.length !== length) giveUp();
    const item = readMember(target, i);
    if (then(state.call(callback as Value, [item, i, target]), item, i) === true) return;
  }
}

const listMethods: ReadonlyMap<string, Method<Value[]>> = new Map<string, Method<Value[]>>([
  // Members of the reference's lists, which the worker's lists have as well.
  ['get', (_state, target, args) => readMember(target, number(args[0]))],
  ['size', (_state, target) => target.length],
  ['isEmpty', (_state, target) => target.length === 0],
  ['contains', (state, target, args) => includes(state, target, args)],
  [
    'push',
    (state, target, args) => {
      if (!state.isOwn(target)) giveUp();
      state.spend(args.length);
      return target.push(...args);
    },
  ],
  [
    'pop',
    (state, target) => {
      if (!state.isOwn(target)) giveUp();
      if (target.length > 0) readMember(target, target.length - 1);
      return target.pop();
    },
  ],
  ['includes', (state, target, args) => includes(state, target, args)],
  [
    'indexOf',
    (state, target, args) => {
      if (args.length !== 1) giveUp();
      state.spend(target.length);
      rejectLongIntegers(target);
      return target.indexOf(args[0]);
    },
  ],
  [
    'join',
    (state, target, args) => {
      const separator = args[0] === undefined ? ',' : text(args[0]);
      const parts = target.map((item) => {
        if (typeof item === 'bigint' || !isPrimitive(item)) return giveUp();
        return item === null || item === undefined ? '' : String(item);
      });
      const chars = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
      state.spend(target.length);
      state.spendText(chars);
      return parts.join(separator);
    },
  ],
  [
    'slice',
    (state, target, args) =>
      state.own(target.slice(optionalNumber(args[0]), optionalNumber(args[1]))),
  ],
  [
    'concat',
    (state, target, args) => {
      const whole = [...target];
      for (const arg of args) {
        if (Array.isArray(arg)) for (const item of arg) whole.push(item);
        else whole.push(arg);
        state.spend(Array.isArray(arg) ? arg.length : 1);
      }
      return state.own(whole);
    },
  ],
  [
    'reverse',
    (state, target) => {
      if (!state.isOwn(target)) giveUp();
      state.spend(target.length);
      return target.reverse();
    },
  ],
  [
    'map',
    (state, target, args) => {
      const results: Value[] = [];
      visit(state, target, args, (result) => void results.push(result));
      return state.own(results);
    },
  ],
  [
    'filter',
    (state, target, args) => {
      const kept: Value[] = [];
      visit(state, target, args, (result, item) => {
        if (result) kept.push(item);
        return undefined;
      });
      return state.own(kept);
    },
  ],
  ['forEach', (state, target, args) => void visit(state, target, args, () => undefined)],
  [
    'find',
    (state, target, args) => {
      let found: Value;
      visit(state, target, args, (result, item) => {
        if (result) found = item;
        return Boolean(result);
      });
      return found;
    },
  ],
  [
    'findIndex',
    (state, target, args) => {
      let found = -1;
      visit(state, target, args, (result, _item, index) => {
        if (result) found = index;
        return Boolean(result);
      });
      return found;
    },
  ],
  [
    'some',
    (state, target, args) => {
      let any = false;
      visit(state, target, args, (result) => (any ||= Boolean(result)));
      return any;
    },
  ],
  [
    'every',
    (state, target, args) => {
      let all = true;
      visit(state, target, args, (result) => !(all &&= Boolean(result)));
      return all;
    },
  ],
  [
    'reduce',
    (state, target, args) => {
      const [callback] = args;
      if (args.length === 0 || args.length > 2 || !(callback instanceof ScriptFunction)) giveUp();
      if (args.length === 1 && target.length === 0) giveUp();
      const { length } = target;
      let sum = args.length === 2 ? args[1] : readMember(target, 0);
      for (let i = args.length === 2 ? 0 : 1; i < length; i++) {
        if (target.length !== length) giveUp();
        sum = state.call(callback as Value, [sum, readMember(target, i), i, target]);
      }
      return sum;
    },
  ],
]);

function includes(state: RunState, target: Value[], args: readonly Value[]): boolean {
  if (args.length !== 1) giveUp();
  state.spend(target.length);
  rejectLongIntegers(target);
  return target.includes(args[0]);
}

function rejectLongIntegers(list: readonly Value[]): void {
  if (list.some((item) => typeof item === 'bigint')) giveUp();
}

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
      'Object.assign',
      (state, args) => {
        const [target, ...sources] = args;
        for (const source of sources) {
          if (source === undefined || source === null) continue;
          for (const key of keysOf(state, source)) {
            writeMember(state, plainMap(target), key, readOwn(source, key));
          }
        }
        return plainMap(target);
      },
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

/** Numbers by name. */
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
