// Arguments of the methods and functions that scripts in place may call; unexpected types give up.
import { giveUp, type RunState, type Value } from './run-state.js';

export type Method<T> = (state: RunState, target: T, args: readonly Value[]) => Value;

export function text(value: Value): string {
  return typeof value === 'string' ? value : giveUp();
}

export function number(value: Value): number {
  return typeof value === 'number' ? value : giveUp();
}

export function optionalNumber(value: Value): number | undefined {
  return value === undefined ? undefined : number(value);
}
