// The contract between the engine and whatever evaluates user scripts (folder sandbox). The engine
// asks with an `evaluate` output and is answered by the command `evaluated`; nothing here runs
// code.
import type { Json } from '../model/json.js';

export interface ScriptRequest {
  /**
   * Evaluator name as in the definition: javascript, graaljs, js, python, jq ... `value-param`
   * never gets here.
   */
  language: 'javascript' | 'jq';
  source: string;
  /** The value of `$` (JavaScript) or `.` (jq). Called at most once, when the runner needs it. */
  input: () => Json;
  /** Only the members of `$` named here are read by the script when the compiler could tell. */
  reads?: readonly string[];
}

export type ScriptResult =
  | { kind: 'value'; value: Json; /** jq only: all results. */ values?: Json[] }
  | { kind: 'error'; message: string }
  /** Time, memory or output limit; `isFinal`: one that another try would meet too. */
  | { kind: 'limit'; message: string; isFinal?: true };
