// Checks values against JSON Schemas of users (contract-admin 16.3, semantics 3.9).
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import type { Clock } from '../../std/clock.js';
import { ThreadTurns } from '../../std/thread-turns.js';
import { isTooMuchAtOnce, linearExpression, SchemaReader, SlowSchema } from './schema-reader.js';

const compiledMax = 1000;
/** Of the texts of schemas that are kept compiled, which take some seven bytes a character. */
const compiledCharsMax = 4_000_000;
/**
 * For how long a schema counts as slow, ms. A machine that stands still for a second says nothing
 * of the schema, so it is read again later; but not for each value.
 */
const slowMs = 10_000;
/** The same of one that was slow twice in a row. */
const slowTwiceMs = 600_000;
const violationsShown = 5;
const errorCharsShown = 500;
const draft7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;

interface Compiled {
  /** An error: no JSON Schema. */
  readonly validate: ValidateFunction | Error;
  /** Of its text. */
  readonly chars: number;
  /** On the clock that never steps, ms. */
  readonly until: number;
}

export class JsonSchemas {
  readonly reader: SchemaReader;
  /** By schema object: a stored record is never changed in place. */
  #compiled = new Map<JsonMap, Compiled>();
  #compiledChars = 0;

  /** `timeMsMax`: for compiling a schema, and for one check. */
  constructor(
    timeMsMax: number,
    private readonly clock: Clock,
    turns = new ThreadTurns(clock),
  ) {
    this.reader = new SchemaReader(timeMsMax, clock, turns);
  }

  /**
   * For a caller who sends a schema, in his turn. Rejects with AppError 'bad-request' that names
   * `path` when `schema` is no JSON Schema.
   */
  async check(caller: Caller, schema: JsonMap, path: string): Promise<void> {
    const compiled = await this.reader.inTurn(caller, () => this.#compile(schema));
    if (!(compiled instanceof Error)) return;
    throw new AppError('bad-request', `${path} is no JSON Schema: ${textOf(compiled)}`);
  }

  /** As `check`, but only for a `schema` that takes too long to read. */
  async checkTime(caller: Caller, schema: JsonMap, path: string): Promise<void> {
    const compiled = await this.reader.inTurn(caller, () => this.#compile(schema));
    if (!(compiled instanceof SlowSchema)) return;
    throw new AppError('bad-request', `${path} is no JSON Schema: ${compiled.message}`);
  }

  /** How long a schema is that is read; undefined: a check by it has to read it first. */
  charsRead(schema: JsonMap): number | undefined {
    return this.#known(schema)?.chars;
  }

  /**
   * Reads a schema in the turn of a caller, for the checks that come. One that is slow twice is not
   * read again for a long time.
   */
  async read(caller: Pick<Caller, 'id'>, schema: JsonMap): Promise<void> {
    const once = (): Promise<ValidateFunction | Error> =>
      this.reader.inTurn(caller, () => this.#validatorOf(schema));
    if (!((await once()) instanceof SlowSchema)) return;
    this.#compiled.delete(schema);
    const validate = await once();
    if (!(validate instanceof SlowSchema)) return;
    this.#keep(schema, validate, slowTwiceMs);
  }

  /**
   * The first violation by `value`, in a sentence; undefined when it is valid. Throws AppError
   * 'unavailable' while too many schemas hold the thread.
   */
  violation(schema: JsonMap, value: unknown): string | undefined {
    try {
      const validate = this.#validatorOf(schema);
      if (validate instanceof Error) return `it is no JSON Schema: ${textOf(validate)}`;
      const isValid = this.reader.inTime(() => validate(value));
      return isValid === true ? undefined : told(validate.errors ?? []);
    } catch (error) {
      if (isTooMuchAtOnce(error)) throw error;
      return `the check failed: ${textOf(error)}`;
    }
  }

  #validatorOf(schema: JsonMap): ValidateFunction | Error {
    const known = this.#known(schema);
    if (known !== undefined) return known.validate;
    const validate = this.#compile(schema);
    this.#keep(schema, validate, validate instanceof SlowSchema ? slowMs : Infinity);
    return validate;
  }

  #keep(schema: JsonMap, validate: ValidateFunction | Error, lifeMs: number): void {
    const chars = JSON.stringify(schema).length;
    this.#makeSpaceFor(chars);
    this.#compiled.set(schema, { validate, chars, until: this.clock.monotonic() + lifeMs });
  }

  #known(schema: JsonMap): Compiled | undefined {
    const known = this.#compiled.get(schema);
    return known !== undefined && known.until > this.clock.monotonic() ? known : undefined;
  }

  #makeSpaceFor(chars: number): void {
    this.#compiledChars += chars;
    if (this.#compiled.size < compiledMax && this.#compiledChars <= compiledCharsMax) return;
    this.#compiled = new Map();
    this.#compiledChars = chars;
  }

  #compile(schema: JsonMap): ValidateFunction | Error {
    const { $schema, ...rest } = schema;
    const draft = typeof $schema === 'string' && draft7.test($schema) ? '7' : '2020';
    return this.reader.read(rest, { draft, allErrors: false, regExp: linearExpression });
  }
}

function told(errors: readonly ErrorObject[]): string {
  return errors
    .slice(0, violationsShown)
    .map(({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'is invalid'}`)
    .join('; ');
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, errorCharsShown);
}
