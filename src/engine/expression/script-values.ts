// What the results of user scripts mean to the engine (semantics 3.10): conversion, conditions, case texts, error texts.
import type { Json, JsonMap } from '../../model/json.js';
import type { ScriptResult } from '../script.js';
import { setOwn } from './template.js';
import { toTextForm } from './text-form.js';

/** Levels of a result that are kept; deeper ones become null. */
const resultDepthMax = 512;

/**
 * Result conversion of semantics 3.10 for any value a script can end with: undefined, NaN and infinities become null, functions and
 * symbols are dropped from maps and are null elsewhere, whole doubles are integers anyway.
 */
export function toScriptJson(value: unknown, depth = 0): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'object':
      if (value === null || depth >= resultDepthMax) return null;
      return Array.isArray(value)
        ? value.map((item) => toScriptJson(item, depth + 1))
        : toScriptMap(value, depth);
    default:
      return null;
  }
}

function toScriptMap(value: object, depth: number): JsonMap {
  const map: JsonMap = {};
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'function' || typeof item === 'symbol') continue;
    setOwn(map, key, toScriptJson(item, depth + 1));
  }
  return map;
}

/** Boolean rule of conditions: true, or a number above 0; every text, map, list and null is false. */
export function toCondition(value: Json): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return value > 0;
  return value === true;
}

/** Text that SWITCH and DECISION match against their cases (semantics 4.7.3): `null`, `1`, `1.5`, `true`. */
export function toCaseText(value: Json): string {
  return toTextForm(value, 'java');
}

/**
 * Text of a failed evaluation, as it stands in reasons and `output.error` (semantics 4.17). A message that ends with
 * " at line N" keeps that outside the quotes. jq messages and limits are shown as they are.
 */
export function scriptErrorText(
  result: Exclude<ScriptResult, { kind: 'value' }>,
  language: 'javascript' | 'jq' = 'javascript',
): string {
  if (result.kind === 'limit' || language === 'jq') return result.message;
  const line = / at line \d+$/.exec(result.message);
  const end = line === null ? result.message.length : line.index;
  return `Error evaluating the script \`${result.message.slice(0, end)}\`${line?.[0] ?? ''}`;
}
