// Reads JSON Schemas of users. The library is loaded at first use. A schema is foreign: its
// patterns run on an expression engine of linear time, compiling and checking end after a time
// limit, and schemas that are sent to be stored, or to start executions by, are read one at a time,
// callers in turn, so that many of them do not hold the thread. What has to be read at once, within
// the step of an execution, may hold it for a bounded time before other work has its chance.
import { createRequire } from 'node:module';
import vm from 'node:vm';
import type { Ajv, AnySchemaObject, ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { Clock } from '../../std/clock.js';
import { ThreadTurns } from '../../std/thread-turns.js';

const require = createRequire(import.meta.url);

export class SlowSchema extends Error {
  constructor(timeMsMax: number) {
    super(`it took more than ${timeMsMax} ms to read`);
  }
}

/** How long work may hold the thread before other work has its chance: ms, and time limits. */
const heldMsMax = 1000;
const heldTimesMax = 1.5;
/** Work that had less than this part of the time limit is not said to take too long. */
const fairPart = 0.9;

type Draft = '7' | '2020';

export interface Reading {
  readonly draft: Draft;
  /** Whether a check lists all that does not fit, in place of the first. */
  readonly allErrors: boolean;
  /** Compiles a pattern; the library tells those that it returns apart by their text. */
  readonly regExp: Expressions;
}

type Expressions = (pattern: string) => { test(text: string): boolean };

export class SchemaReader {
  /** Where work runs under the time limit; making one costs a millisecond. */
  #context: vm.Context | undefined;
  /** The time that work has held the thread since other work had its chance, ms. */
  #heldMs = 0;

  /** `timeMsMax`: for compiling a schema, and for one check. */
  constructor(
    readonly timeMsMax: number,
    private readonly clock: Clock,
    private readonly turns = new ThreadTurns(clock),
  ) {}

  /** A function that checks values by a schema; an error: it is none, or takes too long to read. */
  read(schema: object, reading: Reading): ValidateFunction | Error {
    const schemas = schemasOf(reading.draft);
    // A schema sees no other one, so each has a validator of its own.
    const ajv = createAjv(reading, false);
    // To track what is evaluated takes the square of the parts of a schema.
    ajv.opts.unevaluated = JSON.stringify(schema).includes('"unevaluated');
    try {
      return this.inTime(() => {
        void schemas.validateSchema(schema as AnySchemaObject, true);
        return ajv.compile(schema as AnySchemaObject);
      });
    } catch (error) {
      if (isTimeOver(error)) return new SlowSchema(this.timeMsMax);
      if (isTooMuchAtOnce(error)) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /**
   * Throws when the work takes longer than the limit, `isTimeOver` of it then, and AppError
   * 'unavailable' when too much of it would hold the thread at once.
   */
  inTime<T>(work: () => T): T {
    const mostMs = Math.max(heldMsMax, heldTimesMax * this.timeMsMax);
    const timeout = Math.min(this.timeMsMax, Math.ceil(mostMs - this.#heldMs));
    if (timeout < 1) throw tooMuchAtOnce();
    // The watchdog of the virtual machine ends functions of this context too.
    const context = (this.#context ??= vm.createContext({ work }));
    context['work'] = work;
    const startedAt = this.clock.monotonic();
    try {
      return vm.runInContext('work()', context, { timeout }) as T;
    } catch (error) {
      const hadTime = timeout >= fairPart * this.timeMsMax;
      throw isTimeOver(error) && !hadTime ? tooMuchAtOnce() : error;
    } finally {
      delete context['work'];
      this.#hold(this.clock.monotonic() - startedAt);
    }
  }

  #hold(ms: number): void {
    if (this.#heldMs === 0 && ms > 0) this.clock.after(0, () => (this.#heldMs = 0));
    this.#heldMs += ms;
  }

  /** Carries out what a caller's request has to read when it is its turn. */
  inTurn<T>({ id }: Pick<Caller, 'id'>, work: () => T): Promise<T> {
    return this.turns.take(id, work);
  }
}

/** Nothing has changed by it: the same goes on a moment later. */
function tooMuchAtOnce(): AppError {
  return new AppError('unavailable', 'Many schemas are read at this moment, please repeat', {
    retryAfterSeconds: 1,
  });
}

/** The error of `SchemaReader.inTime` for work that would hold the thread for too long. */
export function isTooMuchAtOnce(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'unavailable';
}

/** The error of the watchdog belongs to the context, not to this realm. */
export function isTimeOver(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** By draft: checks schemas by the schema of schemas, which takes 20 ms to compile. */
const schemasByDraft = new Map<Draft, Ajv>();

function schemasOf(draft: Draft): Ajv {
  const known = schemasByDraft.get(draft);
  if (known !== undefined) return known;
  const ajv = createAjv({ draft, allErrors: false, regExp: linearExpression }, true);
  // Compiles it here, outside the time limit of foreign ones.
  void ajv.validateSchema({});
  schemasByDraft.set(draft, ajv);
  return ajv;
}

function createAjv({ draft, allErrors, regExp }: Reading, validateSchema: boolean): Ajv {
  const options = {
    strict: false,
    logger: false as const,
    allErrors,
    validateFormats: true,
    validateSchema,
    // Shorter code that takes longer to make: the square of the parts of a schema.
    code: { optimize: false, regExp: Object.assign(regExp, { code: 'linearExpression' }) },
  };
  const formats = require('ajv-formats') as { default: (ajv: Ajv) => void };
  const library = (draft === '7' ? require('ajv') : require('ajv/dist/2020.js')) as {
    default: new (settings: typeof options) => Ajv;
  };
  const ajv = new library.default(options);
  formats.default(ajv);
  return ajv;
}

/** The library tells expressions apart by their text. */
export function linearExpression(pattern: string): {
  test: (text: string) => boolean;
  toString: () => string;
} {
  const expression = RE2JS.compile(pattern);
  return { test: (text) => expression.matcher(text).find(), toString: () => pattern };
}
