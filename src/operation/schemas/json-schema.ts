// Checks values against JSON Schemas of users (contract-admin 16.3, semantics 3.9). The library is
// loaded at first use. A schema is foreign: its patterns run on an expression engine of linear
// time, and compiling and checking end after a time limit.
import { createRequire } from 'node:module';
import vm from 'node:vm';
import type { Ajv, AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';

const require = createRequire(import.meta.url);
const compiledMax = 1000;
const violationsShown = 5;
const errorCharsShown = 500;
type Draft = '7' | '2020';
const draft7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;

class SlowSchema extends Error {
  constructor(timeMsMax: number) {
    super(`it took more than ${timeMsMax} ms to read`);
  }
}

export class JsonSchemas {
  /** By schema object: a stored record is never changed in place. An error: no JSON Schema. */
  #compiled = new Map<JsonMap, ValidateFunction | Error>();
  /** Where work runs under the time limit; making one costs a millisecond. */
  #context: vm.Context | undefined;

  /** `timeMsMax`: for compiling a schema, and for one check. */
  constructor(private readonly timeMsMax: number) {}

  /** Throws AppError 'bad-request' that names `path` when `schema` is no JSON Schema. */
  check(schema: JsonMap, path: string): void {
    const compiled = this.#compile(schema);
    if (!(compiled instanceof Error)) return;
    throw new AppError('bad-request', `${path} is no JSON Schema: ${textOf(compiled)}`);
  }

  /** Throws AppError 'bad-request' that names `path` when `schema` takes too long to read. */
  checkTime(schema: JsonMap, path: string): void {
    const compiled = this.#compile(schema);
    if (!(compiled instanceof SlowSchema)) return;
    throw new AppError('bad-request', `${path} is no JSON Schema: ${compiled.message}`);
  }

  /** The first violation by `value`, in a sentence; undefined when it is valid. */
  violation(schema: JsonMap, value: unknown): string | undefined {
    try {
      const validate = this.#validatorOf(schema);
      if (validate instanceof Error) return `it is no JSON Schema: ${textOf(validate)}`;
      const isValid = this.#inTime(() => validate(value));
      return isValid === true ? undefined : told(validate.errors ?? []);
    } catch (error) {
      return `the check failed: ${textOf(error)}`;
    }
  }

  #validatorOf(schema: JsonMap): ValidateFunction | Error {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const validate = this.#compile(schema);
    // A machine that stands still for a second says nothing of the schema.
    if (validate instanceof SlowSchema) return validate;
    if (this.#compiled.size >= compiledMax) this.#compiled = new Map();
    this.#compiled.set(schema, validate);
    return validate;
  }

  #compile(schema: JsonMap): ValidateFunction | Error {
    const { $schema, ...rest } = schema;
    const draft = typeof $schema === 'string' && draft7.test($schema) ? '7' : '2020';
    const schemas = schemasOf(draft);
    // A schema sees no other one, so each has a validator of its own.
    const ajv = createAjv(draft, false);
    try {
      return this.#inTime(() => {
        void schemas.validateSchema(rest as AnySchemaObject, true);
        return ajv.compile(rest as AnySchemaObject);
      });
    } catch (error) {
      // The error of the watchdog belongs to the context, not to this realm.
      const { code } = error as { code?: unknown };
      if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return new SlowSchema(this.timeMsMax);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** The watchdog of the virtual machine ends functions of this context too. */
  #inTime<T>(work: () => T): T {
    const context = (this.#context ??= vm.createContext({ work }));
    context['work'] = work;
    try {
      return vm.runInContext('work()', context, { timeout: this.timeMsMax }) as T;
    } finally {
      delete context['work'];
    }
  }
}

/** By draft: checks schemas by the schema of schemas, which takes 20 ms to compile. */
const schemasByDraft = new Map<Draft, Ajv>();

function schemasOf(draft: Draft): Ajv {
  const known = schemasByDraft.get(draft);
  if (known !== undefined) return known;
  const ajv = createAjv(draft, true);
  // Compiles it here, outside the time limit of foreign ones.
  void ajv.validateSchema({});
  schemasByDraft.set(draft, ajv);
  return ajv;
}

function createAjv(draft: Draft, validateSchema: boolean): Ajv {
  const options = {
    strict: false,
    logger: false as const,
    allErrors: false,
    validateFormats: true,
    validateSchema,
    code: { regExp: Object.assign(linearExpression, { code: 'linearExpression' }) },
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
function linearExpression(pattern: string): {
  test: (text: string) => boolean;
  toString: () => string;
} {
  const expression = RE2JS.compile(pattern);
  return { test: (text) => expression.matcher(text).find(), toString: () => pattern };
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
