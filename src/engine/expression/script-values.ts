// Reads the results of user scripts for the engine (semantics 3.10): conditions, case texts, error
// texts.
import type { Json } from '../../model/json.js';
import type { ScriptResult } from '../script.js';
import { toTextForm } from './text-form.js';

/**
 * Boolean rule of conditions: true, or a number above 0; every text, map, list and null is false.
 */
export function toCondition(value: Json): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return value > 0;
  return value === true;
}

/**
 * Text that SWITCH and DECISION match against their cases (semantics 4.7.3): `null`, `1`, `1.5`,
 * `true`.
 */
export function toCaseText(value: Json): string {
  return toTextForm(value, 'java');
}

/**
 * Text of a failed evaluation, as it stands in reasons and `output.error` (semantics 4.17). A
 * message that ends with " at line N" keeps that outside the quotes. jq messages and limits are
 * shown as they are.
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
