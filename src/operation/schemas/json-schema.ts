// Checks values against JSON Schemas of users (contract-admin 16.3, semantics 3.9). The library is
// loaded at first use. A schema is foreign: its patterns run on an expression engine of linear
// time, and compiling and checking end after a time limit.
import { createRequire } from 'node:module';
import vm from 'node:vm';
import type { Ajv, AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { AppError } from '../../model/errors.js';
import { isMap, type JsonMap } from '../../model/json.js';

const require = createRequire(import.meta.url);
const compiledMax = 1000;
const violationsShown = 5;
const draft7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;

export class JsonSchemas {
  /** By schema object: a stored record is never changed in place. */
  #compiled = new Map<JsonMap, ValidateFunction>();
  /** Where work runs under the time limit; making one costs a millisecond. */
  #context: vm.Context | undefined;

  /** `timeMsMax`: for compiling a schema, and for one check. */
  constructor(private readonly timeMsMax: number) {}

  /** Throws AppError 'bad-request' that names `path` when `schema` is no JSON Schema. */
  check(schema: JsonMap, path: string): void {
    try {
      this.#compile(schema);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new AppError('bad-request', `${path} is no JSON Schema: ${why.slice(0, 500)}`);
    }
  }

  /** What is wrong with `value`, in a sentence; undefined when it is valid. */
  violation(schema: JsonMap, value: unknown): string | undefined {
    try {
      const validate = this.#validatorOf(schema);
      const isValid = this.#inTime(() => validate(value));
      return isValid === true ? undefined : told(validate.errors ?? []);
    } catch (error) {
      return `the check failed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #validatorOf(schema: JsonMap): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const validate = this.#compile(schema);
    if (this.#compiled.size >= compiledMax) this.#compiled = new Map();
    this.#compiled.set(schema, validate);
    return validate;
  }

  #compile(schema: JsonMap): ValidateFunction {
    const { $schema, ...rest } = documentOf(schema);
    const ajv = createAjv(typeof $schema === 'string' && draft7.test($schema));
    return this.#inTime(() => ajv.compile(rest as AnySchemaObject));
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

/**
 * The JSON Schema of a registered document. Clients also send a whole schema record as the data of
 * one (the Python SDK's own tests do); its data is meant. `JSON` is no type of JSON Schema.
 */
function documentOf(schema: JsonMap): JsonMap {
  const { type, data } = schema;
  const isRecord = type === 'JSON' && isMap(data);
  return isRecord ? data : schema;
}

/** A schema sees no other one, so each has a validator of its own. */
function createAjv(isDraft7: boolean): Ajv {
  const options = {
    strict: false,
    logger: false as const,
    allErrors: false,
    validateFormats: true,
    code: { regExp: Object.assign(linearExpression, { code: 'linearExpression' }) },
  };
  const formats = require('ajv-formats') as { default: (ajv: Ajv) => void };
  const library = (isDraft7 ? require('ajv') : require('ajv/dist/2020.js')) as {
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
