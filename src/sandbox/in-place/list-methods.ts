// Methods of lists: those that change nothing.
import { type Method, number, optionalNumber, text } from './arguments.js';
import {
  giveUp,
  isPrimitive,
  readMember,
  type RunState,
  ScriptFunction,
  type Value,
} from './run-state.js';

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
    const item = readMember(target, i);
    if (then(state.call(callback as Value, [item, i, target]), item, i) === true) return;
  }
}

export const listMethods: ReadonlyMap<string, Method<Value[]>> = new Map<string, Method<Value[]>>([
  // Members of the reference's lists, which the worker's lists have as well.
  ['get', (_state, target, args) => readMember(target, number(args[0]))],
  ['size', (_state, target) => target.length],
  ['isEmpty', (_state, target) => target.length === 0],
  ['contains', (state, target, args) => includes(state, target, args)],
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
      state.spend(target.length);
      const separator = args[0] === undefined ? ',' : text(args[0]);
      const parts = target.map((item) => {
        if (typeof item === 'bigint' || !isPrimitive(item)) return giveUp();
        return item === null || item === undefined ? '' : String(item);
      });
      const chars = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
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
