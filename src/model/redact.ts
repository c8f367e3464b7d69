// Keeps secrets out of what is stored (invariants S6): values that a run was given in place of
// `${workflow.secrets.NAME}` are replaced in whatever it reports, because remote services echo what
// they were sent.
import type { Json, JsonMap } from '../model/json.js';

const shown = '***';
const depthMax = 256;

/** A copy of `value` without the given texts; `value` itself when there is nothing to replace. */
export function redactMap(value: JsonMap, secrets: readonly string[]): JsonMap {
  return secrets.length === 0 ? value : (redact(value, secrets, 0) as JsonMap);
}

export function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (left, secret) => (secret.length > left.length ? left : left.replaceAll(secret, shown)),
    text,
  );
}

function redact(value: Json, secrets: readonly string[], depth: number): Json {
  if (typeof value === 'string') return redactText(value, secrets);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= depthMax) return shown;
  if (Array.isArray(value)) return value.map((item) => redact(item, secrets, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key, secrets),
      redact(item, secrets, depth + 1),
    ]),
  );
}
