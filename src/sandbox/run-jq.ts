// Runs jq programs: at once on this thread under a small budget, or to the end in a worker process.
// Parsed programs are cached by source.
import type { ScriptResult } from '../engine/script.js';
import type { Json } from '../model/json.js';
import { parseJson, toJsonText } from '../model/json-text.js';
import { TextTable } from '../std/text-table.js';
import {
  memoryLimitMessage,
  outputLimitMessage,
  type ScriptAnswer,
  type ScriptJob,
  timeLimitMessage,
} from './job.js';
import {
  JqError,
  JqLimit,
  JqUndefined,
  parseJq,
  runProgram,
  type JqBudget,
  type ParsedJq,
} from '@downbeat/jq';

/** About 1 ms: measured 0.1 to 0.2 us a step. */
const inPlaceBudget: JqBudget = { stepsMax: 5_000, depthMax: 300 };
/** Far beyond what the time limit allows. */
const workerBudget: JqBudget = { stepsMax: 1_000_000_000, depthMax: 6_000 };
/** Results of one program. */
const resultsMax = 1_000_000;
/** Parsed programs in the cache. */
const programsMax = 256;

/** Characters of a program take some ten times their room once they are parsed. */
const bytesPerChar = 20;

const programs = new TextTable<ParsedJq>({
  wholeKeys: true,
  entriesMax: programsMax,
  bytesMax: 64 * 1024 * 1024,
  bytesOf: (_program, source) => bytesPerChar * source.length,
});

function parsed(source: string): ParsedJq {
  let program = programs.get(source);
  if (program === undefined) {
    program = parseJq(source);
    programs.set(source, program);
  }
  return program;
}

/** Undefined when the program needs more than the budget. `input` is called if it parses. */
export function tryJqInPlace(source: string, input: () => Json): ScriptResult | undefined {
  const program = parsed(source);
  if (program.kind === 'malformed') return { kind: 'error', message: program.message };
  try {
    const values: Json[] = [];
    const run = { program: program.program, input: input(), budget: inPlaceBudget, parseJson };
    runProgram(run, (value) => values.push(value));
    return { kind: 'value', value: values[0] ?? null, values };
  } catch (error) {
    return toFailure(error);
  }
}

/** The program's error; undefined at a limit. Anything else is a bug of ours and is rethrown. */
function toFailure(error: unknown): { kind: 'error'; message: string } | undefined {
  if (error instanceof JqLimit || error instanceof RangeError) return undefined;
  if (error instanceof JqError || error instanceof JqUndefined) {
    return { kind: 'error', message: error.message };
  }
  throw error;
}

/** For worker processes: the answer is the JSON text of the list of all results. */
export function runJq(job: ScriptJob): ScriptAnswer {
  const program = parsed(job.source);
  if (program.kind === 'malformed') return { kind: 'error', message: program.message };
  try {
    const texts: string[] = [];
    let chars = 0;
    const input = parseJson(job.inputText);
    const run = { program: program.program, input, budget: workerBudget, parseJson };
    runProgram(run, (value) => {
      const text = toJsonText(value);
      chars += text.length + 1;
      if (chars > job.outputCharsMax || texts.length >= resultsMax) {
        throw new OutputLimit();
      }
      texts.push(text);
    });
    return { kind: 'value', text: `[${texts.join(',')}]` };
  } catch (error) {
    if (error instanceof OutputLimit) {
      return { kind: 'limit', message: outputLimitMessage(job.outputCharsMax) };
    }
    if (error instanceof JqLimit && error.message === 'too many steps') {
      return { kind: 'limit', message: timeLimitMessage(job.timeMsMax) };
    }
    const failure = toFailure(error);
    return failure ?? { kind: 'limit', message: memoryLimitMessage(job.memoryBytesMax) };
  }
}

class OutputLimit extends Error {}
