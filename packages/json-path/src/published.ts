// The package @downbeat/json-path: JSON paths in the dialect of Conductor's definitions, alone.
// `jsonPath` reads and follows a path; `parseJsonPath` and `evaluatePath` are its two halves, for
// callers that keep paths and roots.
import { evaluatePath, rootOf } from './evaluate.js';
import { parseJsonPath } from './parse.js';
import type { Json } from './path.js';

export { compilePattern } from './comparison.js';
export { evaluatePath, rootOf, type PathRoot } from './evaluate.js';
export { toJavaText } from './java-text.js';
export { parseJsonPath } from './parse.js';
export type { Json, JsonMap, JsonPath } from './path.js';

/** A path, ready to be followed. */
export type PathQuery = (document: Json) => Json;

/**
 * Reads a path once; undefined when the text is none. It gives the value that the path leads to,
 * a list where it may lead to several places, and null when there is none.
 */
export function jsonPath(text: string): PathQuery | undefined {
  const path = parseJsonPath(text);
  return path && ((document) => evaluatePath(path, rootOf(document)));
}
