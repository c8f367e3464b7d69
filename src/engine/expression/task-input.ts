// Input of a task from its configuration and the inputTemplate of its task definition (semantics
// 3.8).
import { isMap, type Json, type JsonMap, setOwn } from '../../model/json.js';
import type { ExpressionDocument } from './document.js';
import { defaultValueLimits } from '../../model/value-limits.js';
import { assertWithin } from './bounds.js';
import { compileTemplate, evaluateUnbounded, type Template } from './template.js';

/**
 * Evaluates the compiled inputParameters. Keys that are absent or literally null there are taken
 * from `inputTemplate`, whose texts may hold expressions; a key whose value turns out null takes
 * the raw template value. Nested maps are not merged. Treat the result as frozen. Throws
 * OversizeError beyond the document's `charsMax`.
 */
export function evaluateInput(
  inputTemplate: JsonMap | undefined,
  inputParameters: Template,
  document: ExpressionDocument,
): JsonMap {
  const input = mergedInput(inputTemplate, inputParameters, document);
  const { charsMax, valueLimits = defaultValueLimits } = document;
  if (charsMax !== undefined) assertWithin(input, charsMax, valueLimits);
  return input;
}

function mergedInput(
  inputTemplate: JsonMap | undefined,
  inputParameters: Template,
  document: ExpressionDocument,
): JsonMap {
  const evaluated = asMap(evaluateUnbounded(inputParameters, document));
  if (inputTemplate === undefined) return evaluated;
  const defaults = compiledDefaults(inputTemplate);
  if (defaults.length === 0) return evaluated;
  const input: JsonMap = {};
  for (const key of Object.keys(evaluated)) setOwn(input, key, evaluated[key] as Json);
  for (const { key, template } of defaults) {
    const own = Object.hasOwn(input, key) ? (input[key] as Json) : null;
    if (own !== null) continue;
    const value = isGiven(inputParameters, key) ? null : evaluateUnbounded(template, document);
    setOwn(input, key, value ?? (inputTemplate[key] as Json));
  }
  return input;
}

/** The configuration has the key with anything but a literal null. */
function isGiven(inputParameters: Template, key: string): boolean {
  if (inputParameters.kind === 'static') {
    const own = asMap(inputParameters.value);
    return Object.hasOwn(own, key) && own[key] !== null;
  }
  if (inputParameters.kind !== 'map') return false;
  const value = inputParameters.values[inputParameters.keys.indexOf(key)];
  return value !== undefined && !(value.kind === 'static' && value.value === null);
}

function asMap(value: Json): JsonMap {
  return isMap(value) ? value : {};
}

interface Default {
  readonly key: string;
  readonly template: Template;
}

/** Task definitions are shared objects of a snapshot: each template is compiled once. */
const defaultsOf = new WeakMap<JsonMap, readonly Default[]>();

function compiledDefaults(inputTemplate: JsonMap): readonly Default[] {
  let defaults = defaultsOf.get(inputTemplate);
  if (defaults === undefined) {
    defaults = Object.keys(inputTemplate).map((key) => ({
      key,
      template: compileTemplate(inputTemplate[key] as Json),
    }));
    defaultsOf.set(inputTemplate, defaults);
  }
  return defaults;
}
