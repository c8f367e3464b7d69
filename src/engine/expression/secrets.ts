// Secrets in task inputs (semantics 3.7). The stored input keeps `${workflow.secrets.NAME}` as it
// is; only the copy that is handed out gets the value, through `resolveSecrets`.
import { type Json, setOwn } from '../../model/json.js';
import { type ExpressionSpan, findExpressions } from '../../model/expression-syntax.js';
import { evaluatePath, parseJsonPath, rootOf } from '@downbeat/json-path';
import { parseJson } from '../../model/json-text.js';
import { toTextForm } from './text-form.js';

/** The value of a secret; undefined when there is none of that name. */
export type SecretLookup = (name: string) => string | undefined;

/** Levels of the input that are searched; deeper ones are handed out unresolved. */
const secretDepthMax = 256;

const secretPath = /^(?:\$\.)?workflow\.secrets\.([^.]+)(?:\.(?:\$\.)?(.+))?$/s;

/**
 * True when JSON text `text` may refer to a secret: a cheap test before anything is parsed or
 * walked.
 */
export function mayHoldSecrets(text: string): boolean {
  return text.includes('workflow.secrets.');
}

const namesIn = /workflow\.secrets\.([\w-]{1,256})/g;

/** Names of the secrets that the text may refer to. */
export function secretNamesIn(text: string): string[] {
  return [...new Set([...text.matchAll(namesIn)].map((match) => match[1] as string))];
}

/** Names of the secrets that expressions in the JSON text get the values of. */
export function secretsNamedIn(text: string): string[] {
  const spans = findExpressions(text);
  return spans.flatMap(({ path }) => secretPath.exec(path)?.[1] ?? []);
}

/**
 * A copy of `value` with every secret in it: alone in a text its value (null when unknown), inside
 * a text its text (empty when unknown). `NAME.path` reads inside a secret that is JSON. Parts
 * without secrets are shared with `value`.
 */
export function resolveSecrets(value: Json, lookup: SecretLookup): Json {
  return resolve(value, lookup, 0);
}

function resolve(value: Json, lookup: SecretLookup, depth: number): Json {
  if (typeof value === 'string') {
    return mayHoldSecrets(value) ? resolveText(value, lookup) : value;
  }
  if (value === null || typeof value !== 'object' || depth >= secretDepthMax) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => resolve(item, lookup, depth + 1));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  let changed = false;
  const map: { [key: string]: Json } = {};
  for (const [key, item] of Object.entries(value)) {
    const resolved = resolve(item, lookup, depth + 1);
    changed ||= resolved !== item;
    setOwn(map, key, resolved);
  }
  return changed ? map : value;
}

function resolveText(text: string, lookup: SecretLookup): Json {
  const spans = findExpressions(text).filter((span) => secretPath.test(span.path));
  const [first] = spans;
  if (first === undefined) return text;
  if (first.start === 0 && first.end === text.length) return secretOf(first, lookup);
  let result = '';
  let from = 0;
  for (const span of spans) {
    const secret = secretOf(span, lookup);
    result += text.slice(from, span.start) + (secret === null ? '' : toTextForm(secret, 'json'));
    from = span.end;
  }
  return result + text.slice(from);
}

function secretOf(span: ExpressionSpan, lookup: SecretLookup): Json {
  const match = secretPath.exec(span.path);
  const secret = match === null ? undefined : lookup(match[1] as string);
  if (secret === undefined) return null;
  const pathText = match?.[2];
  if (pathText === undefined) return secret;
  const path = parseJsonPath(pathText);
  if (path === undefined) return null;
  try {
    return evaluatePath(path, rootOf(parseJson(secret)));
  } catch (error) {
    if (error instanceof SyntaxError) return null; // No JSON, so nothing stands under a path.
    throw error;
  }
}
