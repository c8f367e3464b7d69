// Fields of an event handler's action (semantics 6.3): `${path}` is read from the root of the
// message. `${workflow.env.NAME}` is the environment's value, `${workflow.secrets.NAME}` stays as
// it is for the tasks of what is started. A path that leads nowhere is null.
import { toTextForm } from '../../../engine/expression/text-form.js';
import { evaluatePath, parseJsonPath, rootOf } from '@downbeat/json-path';
import {
  expressionNestingMax,
  findExpressions,
  unescapeExpressions,
} from '../../../model/expression-syntax.js';
import { type Json, type JsonMap, setOwn } from '../../../model/json.js';
import { isDeeperThan } from '../../../model/json-depth.js';
import { defaultValueLimits } from '../../../model/value-limits.js';

export interface FieldSource {
  /** The message; a text when it is no JSON object. */
  readonly message: Json;
  /** Value of an environment name; undefined when unknown or not to be read. */
  readonly environment: (name: string) => string | undefined;
}

const secretPath = /^(?:\$\.)?workflow\.secrets\./;
const environmentPath = /^(?:\$\.)?workflow\.env\.(.+)$/s;
/** Deeper values stay as they are. */
const depthMax = 100;

/** A map with all expressions in its texts resolved, at any depth. */
export function resolveFields(fields: JsonMap, source: FieldSource): JsonMap {
  return resolveMap(fields, source, 0);
}

function resolve(value: Json, source: FieldSource, depth: number): Json {
  if (typeof value === 'string') return resolveText(value, source, 0);
  if (value === null || typeof value !== 'object' || depth >= depthMax) return value;
  if (Array.isArray(value)) return value.map((item) => resolve(item, source, depth + 1));
  return resolveMap(value, source, depth);
}

function resolveMap(map: JsonMap, source: FieldSource, depth: number): JsonMap {
  const resolved: JsonMap = {};
  for (const key of Object.keys(map)) {
    setOwn(resolved, key, resolve(map[key] as Json, source, depth + 1));
  }
  return resolved;
}

/** A text that is one expression becomes that value, whatever its type. */
function resolveText(text: string, source: FieldSource, nesting: number): Json {
  const spans = findExpressions(text);
  const [first] = spans;
  if (first === undefined) return unescapeExpressions(text);
  if (spans.length === 1 && first.start === 0 && first.end === text.length) {
    return valueOf(first.path, source, nesting);
  }
  let result = '';
  let from = 0;
  for (const { start, end, path } of spans) {
    result += text.slice(from, start) + toTextForm(valueOf(path, source, nesting), 'json');
    from = end;
  }
  return unescapeExpressions(result + text.slice(from));
}

function valueOf(path: string, source: FieldSource, nesting: number): Json {
  if (path.includes('${')) {
    if (nesting >= expressionNestingMax) return null;
    const inner = resolveText(path, source, nesting + 1);
    return typeof inner === 'string' && !inner.includes('${')
      ? valueOf(inner, source, nesting + 1)
      : null;
  }
  if (secretPath.test(path)) return `\${${path}}`;
  const name = environmentPath.exec(path)?.[1];
  if (name !== undefined) return source.environment(name) ?? null;
  const parsed = parseJsonPath(path);
  return parsed === undefined ? null : evaluatePath(parsed, rootOf(source.message));
}

/**
 * Replaces texts that hold a JSON object or list by what they hold, in maps to any depth; texts
 * directly in a list stay, and so do those in what a text held (semantics 6.2).
 */
export function expandInlineJson(value: Json, parse: (text: string) => Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return value.map((item) => (typeof item === 'object' ? expandInlineJson(item, parse) : item));
  }
  const expanded: JsonMap = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as Json;
    setOwn(
      expanded,
      key,
      typeof member === 'string' ? parsed(member, parse) : expandInlineJson(member, parse),
    );
  }
  return expanded;
}

/** Deeper texts stay texts. */
const inlineDepthMax = defaultValueLimits.valueDepthMax;

function parsed(text: string, parse: (text: string) => Json): Json {
  if (!/^\s*[{[]/.test(text) || isDeeperThan(text, inlineDepthMax)) return text;
  try {
    return parse(text);
  } catch {
    return text; // It only began like JSON.
  }
}
