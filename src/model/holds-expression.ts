// Whether a value of a definition is known before it runs.
import type { Json } from './json.js';

/** Whether the value is a text with an expression: what it will be is known at run time only. */
export function holdsExpression(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('${');
}
