// Checks values against JSON Schemas of users (contract-admin 16.3, semantics 3.9).
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import type { Clock } from '../../std/clock.js';
import { linearExpression, SchemaReader, SlowSchema } from './schema-reader.js';

const compiledMax = 1000;
/** Of the texts of schemas that are kept compiled, which take some seven bytes a character. */
const compiledCharsMax = 4_000_000;
/**
 * For how long a schema counts as slow, ms. A machine that stands still for a second says nothing
 * of the schema, so it is read again later; but not for each value.
 */
const slowMs = 10_000;
const violationsShown = 5;
const errorCharsShown = 500;
const draft7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;

interface Compiled {
  /** An error: no JSON Schema. */
  readonly validate: ValidateFunction | Error;
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
  ) {
    this.reader = new SchemaReader(timeMsMax, clock);
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

  /** The first violation by `value`, in a sentence; undefined when it is valid. */
  violation(schema: JsonMap, value: unknown): string | undefined {
    try {
      const validate = this.#validatorOf(schema);
      if (validate instanceof Error) return `it is no JSON Schema: ${textOf(validate)}`;
      const isValid = this.reader.inTime(() => validate(value));
      return isValid === true ? undefined : told(validate.errors ?? []);
    } catch (error) {
      return `the check failed: ${textOf(error)}`;
    }
  }

  #validatorOf(schema: JsonMap): ValidateFunction | Error {
    const known = this.#compiled.get(schema);
    if (known !== undefined && known.until > this.clock.monotonic()) return known.validate;
    const validate = this.#compile(schema);
    this.#makeSpaceFor(JSON.stringify(schema).length);
    const until = validate instanceof SlowSchema ? this.clock.monotonic() + slowMs : Infinity;
    this.#compiled.set(schema, { validate, until });
    return validate;
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
