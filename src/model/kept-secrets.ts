// Secrets that an update keeps. Answers show `***` in place of a secret, and who sends that back,
// or leaves the field out where that means "as before", keeps what is stored without knowing it. So
// a secret is kept only while every field that decides where it goes, how, or to whom stays as it
// is; otherwise it has to be sent again (docs/access.md, Kept secrets). Every kind of record with
// secrets that are kept asks here.
import { AppError } from './errors.js';
import { ownValue, type Json, type JsonMap } from './json.js';

/** Stands for a secret in answers; a caller that sends it keeps the stored value. */
export const maskedSecret = '***';

const bareSecret = /(?:password|secret|token|private[_-]?key|api[_-]?key|authorization|cookie)$/i;

/** Whether a field holds a secret and nothing that decides where it, or another one, goes. */
export function isBareSecret(name: string): boolean {
  return bareSecret.test(name);
}

/** The record after an update, by the paths of the request. */
export interface KeptSecrets {
  /** Secrets whose stored value stays. */
  readonly kept: readonly string[];
  /** Fields that decide where they go, and whose value is another one than before. */
  readonly changed: readonly string[];
}

/** Throws AppError 'bad-request' that names both. */
export function checkKeptSecrets({ kept, changed }: KeptSecrets): void {
  if (kept.length === 0 || changed.length === 0) return;
  throw new AppError(
    'bad-request',
    `${listed(kept)} must be sent again, because of a change of ${listed(changed)}: ` +
      `a secret that is kept (${maskedSecret}) stays with the fields that decide where it goes`,
  );
}

/** Names of the fields that differ; one that is absent, null or empty is the same as none. */
export function changedFields(before: JsonMap, after: JsonMap): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSame(ownValue(before, name), ownValue(after, name))).sort();
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [{ ...a } as JsonMap, { ...b } as JsonMap];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(ownValue(one, name), ownValue(other, name)));
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

const shownMax = 20;

function listed(names: readonly string[]): string {
  const more = names.length - shownMax;
  const shown = names.slice(0, shownMax).map((name) => name.slice(0, 200));
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
