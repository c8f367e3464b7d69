// Calls of methods, by what they are called on.
import { listMethods } from './list-methods.js';
import { giveUp, isPlainMap, nameOf, readMember, type RunState, type Value } from './run-state.js';
import { textMethods } from './text-methods.js';

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
