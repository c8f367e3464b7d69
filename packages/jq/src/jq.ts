// The jq language: programs are parsed once and run under a budget of steps. Results are values of
// JSON; errors of a program are JqError and JqUndefined, a budget that ends is JqLimit (values.ts).
// Decision 0007 says what it leaves out, and why it is our own.
import type { Jq } from './ast.js';
import type { Json, ParseJson } from './json.js';
import { jqLibrary } from './library.js';
import { type JqBudget, JqMachine } from './machine.js';

export interface JqRun {
  readonly program: Jq;
  /** The first value of `.`; never changed. */
  readonly input: Json;
  readonly budget: JqBudget;
  /** Reads what `fromjson` is given. */
  readonly parseJson: ParseJson;
}

/** Hands the results to `emit`, one after the other. Throws JqError, JqUndefined and JqLimit. */
export function runProgram(run: JqRun, emit: (value: Json) => void): void {
  new JqMachine(jqLibrary, run.budget, run.parseJson).run(run.program, run.input, emit);
}
