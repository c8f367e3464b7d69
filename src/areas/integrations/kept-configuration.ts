// When the secrets of integrations may be kept (docs/access.md, Kept secrets). Every field of a
// configuration decides where its secrets go, but those listed here and other bare secrets. The
// configuration of a model stands over that of its provider, so each also decides for the secrets
// of the other.
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { changedFields, checkKeptSecrets, isBareSecret } from '../../model/kept-secrets.js';

/** Fields that say nothing of where or how a provider is reached. */
const harmlessFields: ReadonlySet<string> = new Set([
  ...['description', 'model', 'temperature', 'topP', 'top_p', 'maxTokens', 'max_tokens'],
  ...['dimensions', 'distance_metric', 'indexing_method', 'inverted_list_count'],
  ...['prefetch', 'startFrom', 'groupId'],
]);

/** One configuration before and after; a kept secret is the same text in both. */
export interface FieldsChange {
  readonly before: JsonMap;
  readonly after: JsonMap;
  /** Names of the secrets that it keeps. */
  readonly kept: readonly string[];
}

/** A model of the provider that is saved. */
export interface ModelFields {
  readonly api: string;
  readonly fields: JsonMap;
  /** Names of its own secrets. */
  readonly secrets: readonly string[];
}

/** `others`: changed fields beside the configuration. Throws AppError 'bad-request'. */
export function checkProviderSecrets(
  provider: FieldsChange & Record<'secretsBefore' | 'secretsAfter', readonly string[]>,
  others: readonly string[],
  models: readonly ModelFields[],
): void {
  const { before, after, kept, secretsBefore, secretsAfter } = provider;
  checkKeptSecrets({
    kept: kept.map(pathOf),
    changed: [...others, ...decidingChanges(before, after).map(pathOf)],
  });
  for (const { api, fields, secrets } of models) {
    const changed = decidingChanges({ ...before, ...fields }, { ...after, ...fields });
    checkKeptSecrets({
      kept: secrets.map((name) => `model ${api}: ${pathOf(name)}`),
      changed: [...others, ...changed.map(pathOf)],
    });
    refuseNew(takenBy(fields, secretsAfter), takenBy(fields, secretsBefore), { api, fields });
  }
}

/**
 * `provider`: every field of the provider's configuration, `secrets`: the names of its secrets.
 * Throws AppError 'bad-request'.
 */
export function checkModelSecrets(
  model: FieldsChange & { readonly api: string },
  provider: { readonly fields: JsonMap; readonly secrets: readonly string[] },
): void {
  const { api, before, after, kept } = model;
  const taken = takenBy(after, provider.secrets);
  refuseNew(taken, takenBy(before, provider.secrets), { api, fields: after });
  checkKeptSecrets({
    kept: [...kept, ...taken].map(pathOf),
    changed: decidingChanges(
      { ...provider.fields, ...before },
      { ...provider.fields, ...after },
    ).map(pathOf),
  });
}

/** Secrets of the provider that go where the fields of a model say. */
function takenBy(model: JsonMap, secrets: readonly string[]): string[] {
  const setByModel = changedFields({}, model);
  return decides(model).length === 0 ? [] : secrets.filter((name) => !setByModel.includes(name));
}

/** Throws AppError 'bad-request' where a model takes a secret that it did not take before. */
function refuseNew(
  taken: readonly string[],
  takenBefore: readonly string[],
  { api, fields }: { readonly api: string; readonly fields: JsonMap },
): void {
  const names = taken.filter((name) => !takenBefore.includes(name));
  if (names.length === 0) return;
  throw new AppError(
    'bad-request',
    `${names.map(pathOf).join(', ')} of the provider would go where the model ${api.slice(0, 255)} says by ` +
      `${decides(fields).map(pathOf).join(', ')}: give the model a value of its own`,
  );
}

/** Names of the fields by which a configuration decides where secrets go. */
function decides(fields: JsonMap): string[] {
  return decidingChanges({}, fields);
}

/** Names of the fields that differ and decide where secrets go. */
function decidingChanges(before: JsonMap, after: JsonMap): string[] {
  return changedFields(before, after).filter(
    (name) => !harmlessFields.has(name) && !isBareSecret(name),
  );
}

function pathOf(name: string): string {
  return `configuration.${name}`;
}
