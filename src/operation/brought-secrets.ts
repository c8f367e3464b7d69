// Names of secrets in what comes from outside (docs/access.md, "Secrets"): the server would put the
// values in place of them with the rights of the owner of the webhook or the event handler.
import { secretNamesIn, secretsNamedIn } from '../engine/expression/secrets.js';
import type { Json } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';

/** A secret that `brought` names and `own` does not; undefined: there is none. */
export function broughtSecret(brought: Json, own: Json): string | undefined {
  const named = secretsNamedIn(toJsonText(brought));
  if (named.length === 0) return undefined;
  const given = new Set(secretNamesIn(toJsonText(own)));
  return named.find((name) => !given.has(name));
}
