// The package @downbeat/jq: jq for JavaScript, alone. `jq` reads and runs a program; `parseJq` and
// `runProgram` are its two halves, for callers that keep programs and end a run early.
import { runProgram } from './jq.js';
import type { Json, ParseJson } from './json.js';
import type { JqBudget } from './machine.js';
import { parseJq } from './parse.js';
import { JqError } from './values.js';

export { runProgram } from './jq.js';
export type { JqBudget } from './machine.js';
export { parseJq, type ParsedJq } from './parse.js';
export { JqError, JqLimit, JqUndefined } from './values.js';
export type { Json, JsonMap } from './json.js';

export interface JqOptions extends Partial<JqBudget> {
  /** Reads what `fromjson` is given; absent: JSON.parse. */
  readonly parseJson?: ParseJson;
}

/** A program, ready to run. */
export type JqProgram = (input: Json, options?: JqOptions) => Json[];

const stepsDefault = 10_000_000;
const depthDefault = 512;

/**
 * Reads a program once. It gives its results in order; it throws JqError for an error of the
 * program, JqUndefined for a name that does not exist, and JqLimit when the budget is used up.
 * Throws JqError when the source is no program.
 */
export function jq(source: string): JqProgram {
  const parsed = parseJq(source);
  if (parsed.kind === 'malformed') throw new JqError(parsed.message);
  const { program } = parsed;
  return (input, options = {}) => {
    const { stepsMax = stepsDefault, depthMax = depthDefault } = options;
    const { parseJson = (text): Json => JSON.parse(text) as Json } = options;
    const results: Json[] = [];
    runProgram({ program, input, budget: { stepsMax, depthMax }, parseJson }, (value) =>
      results.push(value),
    );
    return results;
  };
}
