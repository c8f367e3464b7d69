// Lists, maps and texts that a program makes: `[...]`, `{...}`, `"...\(...)..."` (machine.ts).
import type { Jq } from './ast.js';
import { type Json, type JsonMap, setOwn } from './json.js';
import { type At, type Emit, type Evaluator, lost } from './scope.js';
import { add, JqError, shown, typeOf } from './values.js';
import { textCost } from './weights.js';

export function makeList(
  machine: Evaluator,
  body: Jq | undefined,
  { scope, place }: At,
  emit: Emit,
): void {
  const list: Json[] = [];
  if (body !== undefined) machine.each(body, scope, place.value, (value) => list.push(value));
  emit(list, lost(place));
}

/** One map for each combination of the results of its keys and values. */
export function makeMap(
  machine: Evaluator,
  entries: readonly { key: Jq; value: Jq }[],
  { scope, place }: At,
  emit: Emit,
): void {
  const go = (at: number, made: readonly (readonly [string, Json])[]): void => {
    const entry = entries[at];
    if (entry === undefined) return emit(toMap(made), lost(place));
    machine.each(entry.key, scope, place.value, (key) => {
      if (typeof key !== 'string') {
        throw new JqError(`Cannot use ${typeOf(key)} (${shown(key)}) as object key`);
      }
      machine.spend(textCost(key.length));
      machine.each(entry.value, scope, place.value, (value) => go(at + 1, [...made, [key, value]]));
    });
  };
  go(0, []);
}

function toMap(entries: readonly (readonly [string, Json])[]): JsonMap {
  const map: JsonMap = {};
  for (const [key, value] of entries) setOwn(map, key, value);
  return map;
}

export function makeText(
  machine: Evaluator,
  node: Extract<Jq, { kind: 'text' }>,
  { scope, place }: At,
  emit: Emit,
): void {
  const { parts } = node;
  const go = (at: number, behind: string): void => {
    const part = parts[at];
    if (part === undefined) return emit(behind, lost(place));
    if (typeof part === 'string') return go(at - 1, add(part, behind) as string);
    machine.each(part, scope, place.value, (value) =>
      machine.call(`format ${node.format}`, [], undefined, { value, path: undefined }, (text) =>
        go(at - 1, add(text, behind) as string),
      ),
    );
  };
  go(parts.length - 1, '');
}
