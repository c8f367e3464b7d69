// Checks what people enter against the JSON Schema of a form (contract-admin 11.2). Patterns run in
// linear time (RE2), and no schema is loaded from elsewhere: a schema stands for itself. The
// library is loaded at first use.
import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { compilePattern } from '@downbeat/json-path';
import { AppError, type Violation } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import type { UserForm } from './user-form.js';
import { validationFailed } from '../../model/validation.js';
import { Lru } from '../../std/lru.js';

interface FormChecks {
  readonly whole: ValidateFunction;
  /** Without what is still to come: only what was entered is checked. */
  readonly partial: ValidateFunction;
}

const require = createRequire(import.meta.url);
const checksKeptMax = 500;
const violationsMax = 100;

const linearPatterns = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern, '');
    if (compiled === undefined) throw new Error(`the pattern ${pattern} cannot be read`);
    return { test: (text: string) => compiled.matcher(text).find() };
  },
  { code: 'linearPatterns' },
);

export class FormValidation {
  readonly #checks = new Lru<UserForm, FormChecks>(checksKeptMax);

  /** Throws AppError 'bad-request' when the schema of a form is none. */
  checkSchema(jsonSchema: JsonMap): void {
    try {
      compile(jsonSchema);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message.slice(0, 500) : String(cause);
      throw new AppError('bad-request', `jsonSchema is no JSON Schema of draft-07: ${why}`);
    }
  }

  /** Throws AppError 'validation' that lists what does not fit. */
  check(form: UserForm, values: JsonMap, isWhole: boolean): void {
    let checks = this.#checks.get(form);
    if (checks === undefined) {
      const { required: _required, minProperties: _least, ...partial } = form.jsonSchema;
      checks = { whole: compile(form.jsonSchema), partial: compile(partial) };
      this.#checks.set(form, checks);
    }
    const validate = isWhole ? checks.whole : checks.partial;
    if (validate(withNumbers(values)) === true) return;
    throw validationFailed((validate.errors ?? []).slice(0, violationsMax).map(toViolation));
  }
}

function compile(schema: JsonMap): ValidateFunction {
  const library = require('ajv') as { Ajv: new (options: Options) => Ajv };
  const formats = require('ajv-formats') as { default: (ajv: Ajv) => void };
  const ajv = new library.Ajv({
    allErrors: true,
    strict: false,
    validateFormats: true,
    code: { regExp: linearPatterns },
  });
  formats.default(ajv);
  return ajv.compile(withNumbers(schema) as object);
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
