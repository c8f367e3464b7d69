// How a value looks inside a longer text (semantics 3.3): texts as they are, numbers in Java
// notation, maps and lists as JSON or, behind the compatibility switch, in Java's toString
// notation.
import { toJavaText } from '@downbeat/json-path';
import type { Json } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';

/**
 * Text of what a path with wildcards, filters or slices has found: JSON in either form. Behind the
 * switch as the reference's library writes it, with its slashes escaped (observed).
 */
export function foundInText(value: Json, objects: 'json' | 'java'): string {
  if (!Array.isArray(value) || objects === 'json') return toTextForm(value, 'json');
  return toJsonText(value).replaceAll('/', String.raw`\/`);
}

/** Text of `value` inside a longer text. */
export function toTextForm(value: Json, objects: 'json' | 'java'): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && objects === 'json') return toJsonText(value);
  return toJavaText(value);
}
