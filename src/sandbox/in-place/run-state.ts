// The state of one evaluation in place, and the values it works with. Whatever might differ from
// QuickJS gives up (NotInPlace), and a worker runs the script from the start. Giving up is always
// right, so every doubt ends there. It leaves no trace, because nothing here changes a value.
import { isObjectName } from './object-names.js';

export class ScriptFunction {
  constructor(
    readonly code: FunctionCode,
    readonly frame: Frame,
  ) {}
}

export interface FunctionCode {
  /** Slots of the call's frame: parameters first. */
  readonly slots: number;
  readonly params: number;
  /** Runs the body; `frame` holds the arguments. */
  run: (frame: Frame, state: RunState) => Value;
}

export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | Value[]
  | { [key: string]: Value }
  | ScriptFunction;

/** Variables of one function call or block. */
export class Frame {
  readonly values: (Value | typeof unset)[];

  constructor(
    slots: number,
    readonly parent: Frame | undefined,
  ) {
    this.values = new Array<Value | typeof unset>(slots).fill(unset);
  }
}

/** A variable whose declaration has not run. */
export const unset: unique symbol = Symbol('unset');

/** The script has to go to a worker. One object: it is thrown often and its stack says nothing. */
export class NotInPlace extends Error {}
const notInPlace = new NotInPlace('not in place');

export function giveUp(): never {
  throw notInPlace;
}

/** Steps of one evaluation, about 1 ms: measured 0.02 to 0.1 us a step. */
const stepsMax = 10_000;
/** Characters handled for one step. */
const charsPerStep = 32;

export class RunState {
  #stepsLeft = stepsMax;
  /** Functions that are being called: one that calls itself is left to the worker. */
  readonly #running = new Set<FunctionCode>();
  /** Made by the script; everything else is the input, which is JSON already. */
  readonly #own = new Set<object>();
  /** Value of the last expression statement of the program. */
  completion: Value = undefined;
  /** Value of the `return` under way. */
  returned: Value = undefined;

  /** `input`: what `$` is bound to; asked for on first use. */
  constructor(readonly input: () => Value) {}

  spend(cost: number): void {
    this.#stepsLeft -= cost;
    if (this.#stepsLeft < 0) giveUp();
  }

  spendText(chars: number): void {
    this.spend(1 + chars / charsPerStep);
  }

  /** Registers a new list or map of the script. */
  own<T extends Value[] | { [key: string]: Value }>(value: T): T {
    this.spend(Array.isArray(value) ? 1 + value.length : 1);
    this.#own.add(value);
    return value;
  }

  isOwn(value: object): boolean {
    return this.#own.has(value);
  }

  call(callee: Value, args: readonly Value[]): Value {
    if (!(callee instanceof ScriptFunction)) return giveUp();
    const { code } = callee;
    if (this.#running.has(code)) giveUp();
    const frame = new Frame(code.slots, callee.frame);
    for (let i = 0; i < code.params; i++) frame.values[i] = args[i];
    this.spend(1);
    this.#running.add(code);
    const result = code.run(frame, this);
    this.#running.delete(code);
    return result;
  }
}

export function isPrimitive(value: Value): value is undefined | null | boolean | number | string {
  return value === null || typeof value !== 'object';
}

export function isPlainMap(value: Value): value is { [key: string]: Value } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ScriptFunction)
  );
}

/** `object[key]`. */
export function readMember(object: Value, key: Value): Value {
  if (Array.isArray(object)) {
    if (key === 'length') return object.length;
    return checked(object[indexOf(key)]);
  }
  if (isPlainMap(object)) {
    const name = nameOf(key);
    if (Object.hasOwn(object, name) && name !== '__proto__') return checked(object[name]);
    return isObjectName(name) ? giveUp() : undefined;
  }
  if (typeof object === 'string') {
    if (key === 'length') return object.length;
    return object[indexOf(key)];
  }
  return giveUp();
}

/** Long integers of the input are not calculated with here. */
function checked(value: Value): Value {
  return typeof value === 'bigint' ? giveUp() : value;
}

/** Sets an own member of a map that is being made. */
export function setMember(map: { [key: string]: Value }, name: string, value: Value): void {
  if (name === '__proto__') giveUp();
  map[name] = value;
}

function indexOf(key: Value): number {
  if (typeof key === 'number' && Number.isInteger(key) && key >= 0 && key < 1e9) return key;
  if (typeof key === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(key)) return Number(key);
  return giveUp();
}

export function nameOf(key: Value): string {
  return isPrimitive(key) ? String(key) : giveUp();
}

export function frameAt(frame: Frame, depth: number): Frame {
  let at = frame;
  for (let i = 0; i < depth; i++) at = at.parent ?? giveUp();
  return at;
}

export function listOf(value: Value): Value[] {
  return Array.isArray(value) ? value : giveUp();
}
