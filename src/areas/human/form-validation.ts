// Checks what people enter against the JSON Schema of a form (contract-admin 11.2).
import type { ErrorObject, ValidateFunction } from 'ajv';
import { compilePattern } from '@downbeat/json-path';
import type { Caller } from '../../model/caller.js';
import { AppError, type Violation } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import { validationFailed } from '../../model/validation.js';
import { isTimeOver, type SchemaReader } from '../../operation/schemas/schema-reader.js';
import { Lru } from '../../std/lru.js';
import type { UserForm } from './user-form.js';

interface FormChecks {
  readonly whole: ValidateFunction;
  /** Without what is still to come: only what was entered is checked. */
  readonly partial: ValidateFunction;
}

/** Two of each form, up to some megabytes where its schema is as large as it may be. */
const checksKeptMax = 100;
const violationsMax = 100;
const errorCharsShown = 500;

/** Patterns as JSONPath reads them, in linear time. */
function linearPattern(pattern: string): { test: (text: string) => boolean } {
  const compiled = compilePattern(pattern, '');
  if (compiled === undefined) throw new Error(`the pattern ${pattern} cannot be read`);
  return { test: (text) => compiled.matcher(text).find() };
}

export class FormValidation {
  readonly #checks = new Lru<UserForm, FormChecks>(checksKeptMax);

  constructor(private readonly reader: SchemaReader) {}

  /**
   * For a caller who sends a form, in his turn. Rejects with AppError 'bad-request' when its schema
   * is none, or takes too long to read.
   */
  async checkSchema(caller: Caller, jsonSchema: JsonMap): Promise<void> {
    const compiled = await this.reader.inTurn(caller, () => this.#read(jsonSchema));
    if (compiled instanceof Error) throw noSchema(compiled);
  }

  /** Throws AppError 'validation' that lists what does not fit. */
  check(form: UserForm, values: JsonMap, isWhole: boolean): void {
    let checks = this.#checks.get(form);
    if (checks === undefined) {
      const { required: _required, minProperties: _least, ...partial } = form.jsonSchema;
      checks = { whole: this.#compile(form.jsonSchema), partial: this.#compile(partial) };
      this.#checks.set(form, checks);
    }
    const validate = isWhole ? checks.whole : checks.partial;
    if (this.#isValid(validate, values)) return;
    throw validationFailed((validate.errors ?? []).slice(0, violationsMax).map(toViolation));
  }

  #isValid(validate: ValidateFunction, values: JsonMap): boolean {
    try {
      return this.reader.inTime(() => validate(withNumbers(values))) === true;
    } catch (error) {
      if (!isTimeOver(error)) throw error;
      const limit = `${this.reader.timeMsMax} ms`;
      throw new AppError('bad-request', `The check of the values took more than ${limit}`);
    }
  }

  #compile(schema: JsonMap): ValidateFunction {
    const compiled = this.#read(schema);
    if (compiled instanceof Error) throw noSchema(compiled);
    return compiled;
  }

  #read(schema: JsonMap): ValidateFunction | Error {
    const reading = { draft: '7', allErrors: true, regExp: linearPattern } as const;
    return this.reader.read(withNumbers(schema) as object, reading);
  }
}

function noSchema(error: Error): AppError {
  const why = error.message.slice(0, errorCharsShown);
  return new AppError('bad-request', `jsonSchema is no JSON Schema of draft-07: ${why}`);
}

/** Integers that a double cannot hold become the nearest one: schemas know no other numbers. */
function withNumbers(value: Json): Json {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withNumbers);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers(item)]));
}

function toViolation({ instancePath, message, params }: ErrorObject): Violation {
  const missing = (params as { missingProperty?: unknown }).missingProperty;
  const place = instancePath.slice(1).replaceAll('/', '.');
  const field = typeof missing === 'string' ? [place, missing].filter(Boolean).join('.') : place;
  return { path: field === '' ? 'body' : field, message: message ?? 'does not fit the form' };
}
