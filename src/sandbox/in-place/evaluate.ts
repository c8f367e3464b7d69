// Evaluates small scripts on the calling thread (sandbox.ts, tryInPlace), about as fast as a
// template. Whatever might differ from QuickJS gives up (run-state.ts).
import type { Program } from 'acorn';
import { parseScript } from '../../engine/expression/script-syntax.js';
import type { ScriptResult } from '../../engine/script.js';
import { type Json, type JsonMap, setOwn } from '../../model/json.js';
import { compileProgram } from './compile.js';
import {
  giveUp,
  isPrimitive,
  NotInPlace,
  RunState,
  ScriptFunction,
  type Value,
} from './run-state.js';

/** Longer sources go to a worker at once. */
const sourceCharsMax = 16_384;
/** Levels of a result made by the script. */
const resultDepthMax = 64;

type Compiled = { readonly run: ((state: RunState) => Value) | undefined };

const compiledOf = new WeakMap<Program, Compiled>();

/** The value of `source` as a program; undefined: a worker has to run it. Calls `input` once. */
export function evaluateInPlace(source: string, input: () => Json): ScriptResult | undefined {
  if (source.length > sourceCharsMax) return undefined;
  const script = parseScript(source);
  if (script.kind === 'malformed') return undefined;
  const run = compiled(script.program);
  if (run === undefined) return undefined;
  let bound: Value;
  let isBound = false;
  const state = new RunState(() => {
    if (!isBound) {
      // JSON is a subset of a script's values but for long integers, which are never read in place.
      bound = input() as Value;
      isBound = true;
    }
    return typeof bound === 'bigint' ? giveUp() : bound;
  });
  try {
    return { kind: 'value', value: toJson(state, run(state), 0) };
  } catch (error) {
    if (error instanceof NotInPlace || error instanceof RangeError) return undefined;
    throw error;
  }
}

function compiled(program: Program): ((state: RunState) => Value) | undefined {
  let known = compiledOf.get(program);
  if (known === undefined) {
    known = { run: compileOrNot(program) };
    compiledOf.set(program, known);
  }
  return known.run;
}

function compileOrNot(program: Program): ((state: RunState) => Value) | undefined {
  try {
    return compileProgram(program);
  } catch (error) {
    if (error instanceof NotInPlace || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Result conversion (semantics 3.10). A value from the input is JSON already and is shared. */
function toJson(state: RunState, value: Value, depth: number): Json {
  if (value === undefined) return null;
  if (value instanceof ScriptFunction) return {};
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value);
  if (isPrimitive(value) || !state.isOwn(value)) return value as Json;
  if (depth > resultDepthMax) return giveUp();
  state.spend(1);
  if (Array.isArray(value)) return value.map((item) => toJson(state, item, depth + 1));
  const map: JsonMap = {};
  for (const [key, item] of Object.entries(value)) {
    if (item instanceof ScriptFunction && key === 'toJSON') giveUp();
    setOwn(map, key, toJson(state, item, depth + 1));
  }
  return map;
}
