// The parameters that a task type takes, declared once: the same table checks what a definition
// says in plain words when it is registered, and the whole input when the task runs. A parameter
// that is missing, or that an expression makes, is looked at when the task runs only (a definition
// of any type of the field can be registered).
import { isMap, type Json, type JsonMap } from '../model/json.js';
import type { ConfiguredInput } from '../model/input-rules.js';
import { taskTypeAndName } from '../model/task-type-and-name.js';
import { FinalFailure } from './final-failure.js';
import { holdsExpression } from '../model/holds-expression.js';
import { textFrom } from '../model/json-text.js';

export interface Parameter {
  /**
   * `text` takes any value: what is no text counts in its JSON form. `list` takes a single value as
   * a list of one.
   */
  readonly kind: 'text' | 'number' | 'integer' | 'flag' | 'map' | 'list';
  readonly isRequired?: boolean;
  /** Of numbers. */
  readonly min?: number;
  readonly max?: number;
  /** Of texts, compared without case. */
  readonly oneOf?: readonly string[];
}

export type Parameters = { readonly [name: string]: Parameter };

export const text: Parameter = { kind: 'text' };
export const requiredText: Parameter = { kind: 'text', isRequired: true };
export const flag: Parameter = { kind: 'flag' };
export const map: Parameter = { kind: 'map' };
export const list: Parameter = { kind: 'list' };

/** A number, or a whole one, within bounds. */
export function numberFrom(min: number, max = Number.MAX_SAFE_INTEGER): Parameter {
  return { kind: 'number', min, max };
}

export function integerFrom(min: number, max = Number.MAX_SAFE_INTEGER): Parameter {
  return { kind: 'integer', min, max };
}

/** Checks the parameters that a configuration gives in plain words. */
export function checkParameters(parameters: Parameters): (config: ConfiguredInput) => string[] {
  return (config) =>
    troublesOf(parameters, config.inputParameters).map(
      (trouble) => `inputParameters.${trouble} for ${taskTypeAndName(config)}`,
    );
}

/** The same for those inside the parameter `name`, when it is an object. */
export function checkInner(
  config: ConfiguredInput,
  name: string,
  parameters: Parameters,
): string[] {
  const inner = config.inputParameters[name];
  if (!isMap(inner)) return [];
  return troublesOf(parameters, inner).map(
    (trouble) => `inputParameters.${name}.${trouble} for ${taskTypeAndName(config)}`,
  );
}

/** The first parameter that does not fit, with its rule. */
export function parameterTrouble(parameters: Parameters, input: JsonMap): string | undefined {
  return troublesOf(parameters, input)[0];
}

function troublesOf(parameters: Parameters, input: JsonMap): string[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    const value = Object.hasOwn(input, name) ? (input[name] ?? null) : null;
    if (value === null || value === '' || holdsExpression(value)) return [];
    const trouble = troubleOf(parameter, value);
    return trouble === undefined ? [] : [`${name} ${trouble}`];
  });
}

/** The input of a run, read by the declared parameters. */
export class TaskInput {
  readonly #values: JsonMap;

  /** Throws FinalFailure that names the parameter and the rule. */
  constructor(parameters: Parameters, input: JsonMap) {
    const values = Object.create(null) as JsonMap;
    for (const [name, parameter] of Object.entries(parameters)) {
      const value = Object.hasOwn(input, name) ? (input[name] ?? null) : null;
      if (value === null || value === '') {
        if (parameter.isRequired === true)
          throw new FinalFailure(`inputParameters.${name} is required`);
        continue;
      }
      const trouble = troubleOf(parameter, value);
      if (trouble !== undefined) throw new FinalFailure(`inputParameters.${name} ${trouble}`);
      values[name] = converted(parameter, value);
    }
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  /** Empty when absent. */
  text(name: string): string {
    return (this.#values[name] as string | undefined) ?? '';
  }

  number(name: string): number | undefined {
    return this.#values[name] as number | undefined;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Empty when absent. */
  map(name: string): JsonMap {
    return (this.#values[name] as JsonMap | undefined) ?? {};
  }

  /** Empty when absent. */
  list(name: string): readonly Json[] {
    return (this.#values[name] as Json[] | undefined) ?? [];
  }

  /** Texts of a list; throws FinalFailure for an item that is none. */
  texts(name: string): string[] {
    return this.list(name).map((item, index) => {
      if (typeof item === 'string') return item;
      throw new FinalFailure(`inputParameters.${name}[${index}] must be a text`);
    });
  }

  /** Numbers of a list; throws FinalFailure for an item that is none. */
  numbers(name: string): number[] {
    return this.list(name).map((item, index) => {
      if (typeof item === 'number') return item;
      throw new FinalFailure(`inputParameters.${name}[${index}] must be a number`);
    });
  }

  /** Texts of a map; other values in their JSON form. */
  textMap(name: string): { [key: string]: string } {
    return Object.fromEntries(
      Object.entries(this.map(name)).map(([key, value]) => [key, textFrom(value)]),
    );
  }
}

function troubleOf(parameter: Parameter, value: Json): string | undefined {
  switch (parameter.kind) {
    case 'text':
      return choiceTrouble(parameter, value);
    case 'number':
    case 'integer':
      return numberTrouble(parameter, value);
    case 'flag':
      return [true, false, 'true', 'false'].includes(value as never)
        ? undefined
        : 'must be true or false';
    case 'map':
      return isMap(value) ? undefined : 'must be an object';
    case 'list':
      return isMap(value) ? 'must be a list' : undefined;
  }
}

function choiceTrouble({ oneOf }: Parameter, value: Json): string | undefined {
  if (oneOf === undefined) return undefined;
  const sent = textFrom(value).toLowerCase();
  if (oneOf.some((each) => each.toLowerCase() === sent)) return undefined;
  return `must be one of ${oneOf.join(', ')}`;
}

function numberTrouble({ kind, min, max }: Parameter, value: Json): string | undefined {
  const number = toNumber(value);
  if (number === undefined) return 'must be a number';
  if (kind === 'integer' && !Number.isInteger(number)) return 'must be a whole number';
  if (number < (min ?? -Infinity) || number > (max ?? Infinity)) {
    return max === Number.MAX_SAFE_INTEGER ? `must be ${min} or more` : `must be ${min} to ${max}`;
  }
  return undefined;
}

function toNumber(value: Json): number | undefined {
  const isNumeric = typeof value === 'string' && value.trim() !== '';
  const number = isNumeric ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function converted(parameter: Parameter, value: Json): Json {
  switch (parameter.kind) {
    case 'text':
      return textFrom(value);
    case 'number':
    case 'integer':
      return toNumber(value) as number;
    case 'flag':
      return value === true || value === 'true';
    case 'map':
      return value;
    case 'list':
      return Array.isArray(value) ? value : [value];
  }
}
