// Templates: JSON in which texts may hold expressions `${...}` (semantics 3.1 to 3.7). A template
// is compiled once per definition and evaluated for each task. Parts without expressions are
// compiled to one frozen value, so that they cost nothing; paths are parsed at compile time unless
// another expression is nested inside them. Nothing here fails a task: what cannot be read is null.
import { type Json, type JsonMap, setOwn } from '../../model/json.js';
import {
  environmentNames,
  expressionNestingMax,
  findExpressions,
  unescapeExpressions,
} from '../../model/expression-syntax.js';
import { evaluatePath, parseJsonPath, rootOf, type JsonPath } from '@downbeat/json-path';
import { parseJson } from '../../model/json-text.js';
import { TextTable } from '../../std/text-table.js';
import { defaultValueLimits } from '../../model/value-limits.js';
import { assertWithin, excessOf, OversizeError } from './bounds.js';
import { type ExpressionDocument, pathRootOf } from './document.js';
import { foundInText, toTextForm } from './text-form.js';

export type Template =
  /** No expression inside; the value is deeply frozen and shared by all evaluations. */
  | { readonly kind: 'static'; readonly value: Json }
  | {
      readonly kind: 'map';
      readonly keys: readonly string[];
      readonly values: readonly Template[];
    }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  /** A text that is exactly one expression: gives the value with its type. */
  | { readonly kind: 'whole'; readonly expression: Expression }
  | { readonly kind: 'text'; readonly parts: readonly TextPart[] };

type TextPart = string | Expression;

type Expression =
  /** `${ref.field.key[0]...}`, by far the most frequent form. */
  | {
      readonly kind: 'field';
      readonly head: string;
      readonly field: string;
      readonly keys: readonly (string | number)[];
    }
  | { readonly kind: 'path'; readonly path: JsonPath }
  /** A single name: an environment variable, if it may be read, else a path of one step. */
  | { readonly kind: 'name'; readonly name: string; readonly path: JsonPath }
  /** Stays as it is: secrets, and names without a value (semantics 3.5, 3.7). */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'task-id' }
  | { readonly kind: 'environment'; readonly name: string; readonly path: JsonPath | undefined }
  /** Blank gives the empty text, a malformed path null. */
  | { readonly kind: 'constant'; readonly value: '' | null }
  /** Its path has expressions inside and is known only when those are. */
  | { readonly kind: 'nested'; readonly parts: readonly TextPart[] };

/**
 * Levels of maps and lists that are searched for expressions; what lies deeper is taken as it is.
 */
const templateDepthMax = 256;
/** Parsed paths of nested expressions kept. */
const nestedPathsMax = 1024;

/** Compiles `template`, which is not changed. Map keys are never evaluated. */
export function compileTemplate(template: Json): Template {
  return compileValue(template, 0);
}

/**
 * The value of the template. Maps and lists that come from the document or hold no expression are
 * shared, not copied: treat the result as frozen. Throws OversizeError beyond the document's
 * `charsMax`.
 */
export function evaluateTemplate(template: Template, document: ExpressionDocument): Json {
  const value = evaluateUnbounded(template, document);
  if (template.kind !== 'static' && document.charsMax !== undefined) {
    assertWithin(value, document.charsMax, document.valueLimits ?? defaultValueLimits);
  }
  return value;
}

/** As `evaluateTemplate`, without measuring the result: the caller does. */
export function evaluateUnbounded(template: Template, document: ExpressionDocument): Json {
  switch (template.kind) {
    case 'static':
      return template.value;
    case 'map':
      return evaluateMap(template.keys, template.values, document);
    case 'list':
      return template.items.map((item) => evaluateUnbounded(item, document));
    case 'whole':
      return evaluateExpression(template.expression, document);
    case 'text':
      return evaluateText(template.parts, document);
  }
}

function evaluateMap(
  keys: readonly string[],
  values: readonly Template[],
  document: ExpressionDocument,
): JsonMap {
  const map: JsonMap = {};
  for (let i = 0; i < keys.length; i++) {
    setOwn(map, keys[i] as string, evaluateUnbounded(values[i] as Template, document));
  }
  return map;
}

function compileValue(value: Json, depth: number): Template {
  if (typeof value === 'string') return compileText(value);
  if (value === null || typeof value !== 'object' || depth >= templateDepthMax) {
    return { kind: 'static', value };
  }
  return Array.isArray(value) ? compileList(value, depth) : compileMap(value, depth);
}

function compileList(list: Json[], depth: number): Template {
  const items = list.map((item) => compileValue(item, depth + 1));
  const values: Json[] = [];
  for (const item of items) {
    if (item.kind !== 'static') return { kind: 'list', items };
    values.push(item.value);
  }
  return { kind: 'static', value: Object.freeze(values) as Json[] };
}

function compileMap(map: JsonMap, depth: number): Template {
  const keys = Object.keys(map);
  const values = keys.map((key) => compileValue(map[key] as Json, depth + 1));
  const plain: JsonMap = {};
  for (const [i, value] of values.entries()) {
    if (value.kind !== 'static') return { kind: 'map', keys, values };
    setOwn(plain, keys[i] as string, value.value);
  }
  return { kind: 'static', value: Object.freeze(plain) };
}

function compileText(text: string): Template {
  const parts = compileParts(text, 0);
  if (parts === undefined) return { kind: 'static', value: unescapeExpressions(text) };
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object') return { kind: 'whole', expression: first };
  return { kind: 'text', parts };
}

/** The text cut at its expressions; undefined when it has none. */
function compileParts(text: string, depth: number): TextPart[] | undefined {
  const spans = findExpressions(text);
  if (spans.length === 0) return undefined;
  const parts: TextPart[] = [];
  let from = 0;
  for (const span of spans) {
    if (span.start > from) parts.push(text.slice(from, span.start));
    parts.push(compileExpression(span.path, depth));
    from = span.end;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function compileExpression(path: string, depth: number): Expression {
  if (path.includes('${')) {
    if (depth >= expressionNestingMax) return { kind: 'constant', value: null };
    const parts = compileParts(path, depth + 1);
    return parts === undefined
      ? compileReference(unescapeExpressions(path))
      : { kind: 'nested', parts };
  }
  return compileReference(path);
}

const singleName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const secretPath = /^(?:\$\.)?workflow\.secrets\./;
const environmentPath = /^(?:\$\.)?workflow\.env\.([^.]+)(?:\.(?:\$\.)?(.+))?$/s;

/** `text` stands between the braces and holds no further expressions. */
function compileReference(text: string): Expression {
  if (text.trim() === '') return { kind: 'constant', value: '' };
  if (text === 'CPEWF_TASK_ID') return { kind: 'task-id' };
  if (environmentNames.has(text) || secretPath.test(text)) {
    return { kind: 'literal', text: `\${${text}}` };
  }
  const environment = environmentPath.exec(text);
  if (environment !== null) return compileEnvironment(environment[1] as string, environment[2]);
  const path = parseJsonPath(text);
  if (path === undefined) return { kind: 'constant', value: null };
  if (singleName.test(text)) return { kind: 'name', name: text, path };
  return toFieldExpression(path) ?? { kind: 'path', path };
}

function compileEnvironment(name: string, pathText: string | undefined): Expression {
  if (pathText === undefined) return { kind: 'environment', name, path: undefined };
  const path = parseJsonPath(pathText);
  if (path === undefined) return { kind: 'constant', value: null };
  return { kind: 'environment', name, path };
}

function toFieldExpression(path: JsonPath): Expression | undefined {
  const [head, field] = path.steps;
  if (path.steps.length < 2 || head?.kind !== 'key' || field?.kind !== 'key') return undefined;
  const keys: (string | number)[] = [];
  for (const step of path.steps.slice(2)) {
    if (step.kind === 'key') keys.push(step.key);
    else if (step.kind === 'index') keys.push(step.index);
    else return undefined;
  }
  return { kind: 'field', head: head.key, field: field.key, keys };
}

function evaluateExpression(expression: Expression, document: ExpressionDocument): Json {
  switch (expression.kind) {
    case 'field':
      return evaluateField(expression.head, expression.field, expression.keys, document);
    case 'path':
      return followPath(expression.path, document);
    case 'name': // Before the document is tried (semantics 3.5).
      return document.environment(expression.name) ?? followPath(expression.path, document);
    case 'literal':
      return expression.text;
    case 'task-id':
      return document.taskId ?? '${CPEWF_TASK_ID}';
    case 'environment':
      return evaluateEnvironment(expression.name, expression.path, document);
    case 'constant':
      return expression.value;
    case 'nested':
      return evaluateExpression(resolved(expression, document), document);
  }
}

function followPath(path: JsonPath, document: ExpressionDocument): Json {
  return evaluatePath(path, pathRootOf(document), (values) => document.visited?.(values));
}

function evaluateField(
  head: string,
  field: string,
  keys: readonly (string | number)[],
  document: ExpressionDocument,
): Json {
  const [first] = keys;
  const view = head === 'workflow' ? undefined : document.task(head);
  const member = typeof first === 'string' ? view?.member?.(field, first) : undefined;
  let value = member;
  if (member === undefined) {
    value = head === 'workflow' ? document.workflow(field) : view?.field(field);
  }
  for (let i = member === undefined ? 0 : 1; i < keys.length; i++) {
    if (typeof value !== 'object' || value === null) return null;
    const key = keys[i] as string | number;
    if (typeof key === 'string') {
      if (Array.isArray(value) || !Object.hasOwn(value, key)) return null;
      value = value[key];
    } else {
      if (!Array.isArray(value)) return null;
      value = value[key < 0 ? value.length + key : key];
    }
  }
  return value ?? null;
}

function evaluateEnvironment(
  name: string,
  path: JsonPath | undefined,
  document: ExpressionDocument,
): Json {
  const text = document.environmentVariable(name);
  if (text === undefined) return null;
  if (path === undefined) return text;
  try {
    return evaluatePath(path, rootOf(parseJson(text)), (values) => document.visited?.(values));
  } catch (error) {
    // A value that is no JSON has no path inside (semantics 3.6).
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const nestedReferences = new TextTable<Expression>({
  wholeKeys: true,
  entriesMax: nestedPathsMax,
  bytesMax: 8 * 1024 * 1024,
  bytesOf: (_reference, text) => 10 * text.length,
});

function nestedReference(text: string): Expression {
  const known = nestedReferences.get(text);
  if (known !== undefined) return known;
  const reference = compileReference(text);
  nestedReferences.set(text, reference);
  return reference;
}

/** A nested expression becomes one whose inner ones are known. */
function resolved(expression: Expression, document: ExpressionDocument): Expression {
  return expression.kind === 'nested'
    ? nestedReference(evaluateText(expression.parts, document))
    : expression;
}

function evaluateText(parts: readonly TextPart[], document: ExpressionDocument): string {
  const {
    objectsInText = 'json',
    charsMax = Infinity,
    valueLimits = defaultValueLimits,
  } = document;
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      const reference = resolved(part, document);
      const value = evaluateExpression(reference, document);
      // Before it is written out: the text as a whole may not be longer either.
      if (charsMax !== Infinity) {
        const excess = excessOf(value, charsMax - text.length, valueLimits);
        if (excess !== undefined) throw new OversizeError(inWhole(excess, charsMax));
      }
      const isFound = reference.kind === 'path' && !reference.path.definite;
      text += isFound ? foundInText(value, objectsInText) : toTextForm(value, objectsInText);
    }
  }
  return unescapeExpressions(text);
}

/** Only the characters that the rest of the text leaves were measured. */
function inWhole(excess: string, charsMax: number): string {
  return excess.startsWith('larger') ? `larger than ${charsMax} bytes` : excess;
}
