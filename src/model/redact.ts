// Keeps secrets out of what is stored (invariants S6): values that a run was given in place of
// `${workflow.secrets.NAME}` are replaced in whatever it reports, because remote services echo what
// they were sent.
import type { Json, JsonMap } from '../model/json.js';

const shown = '***';
const depthMax = 256;
/** So much of a secret is found where a text was cut. */
const cutCharsMin = 16;

/** A copy of `value` without the given texts; `value` itself when there is nothing to replace. */
export function redactMap(value: JsonMap, secrets: readonly string[]): JsonMap {
  return secrets.length === 0 ? value : (redact(value, secrets, 0) as JsonMap);
}

/**
 * For texts that people read, such as reasons, which were cut to a length before they came here: of
 * a secret that stands in part, what is there of its beginning goes too.
 */
export function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce(withoutBeginnings, redactWhole(text, secrets));
}

/** An error as a log may show it: message and stack, because other fields may hold anything. */
export function redactError(error: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0 || !(error instanceof Error)) return error;
  const { name, message, stack = '' } = error;
  return Object.assign(new Error(redactText(message, secrets)), {
    name,
    stack: redactText(stack, secrets),
  });
}

function redactWhole(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (left, secret) => (secret.length > left.length ? left : left.replaceAll(secret, shown)),
    text,
  );
}

function withoutBeginnings(text: string, secret: string): string {
  if (secret.length <= cutCharsMin) return text;
  const beginning = secret.slice(0, cutCharsMin);
  let result = '';
  let from = 0;
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, from)) {
    let end = cutCharsMin;
    while (at + end < text.length && text[at + end] === secret[end]) end++;
    result += text.slice(from, at) + shown;
    from = at + end;
  }
  return result + text.slice(from);
}

function redact(value: Json, secrets: readonly string[], depth: number): Json {
  if (typeof value === 'string') return redactWhole(value, secrets);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= depthMax) return shown;
  if (Array.isArray(value)) return value.map((item) => redact(item, secrets, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactWhole(key, secrets),
      redact(item, secrets, depth + 1),
    ]),
  );
}
