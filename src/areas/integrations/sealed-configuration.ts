// Configurations of integrations at rest (contract-admin 14.3): what is secret is encrypted, and
// so is what no known kind of integration has; answers show a mask in its place.
import type { SecretBox } from '../../access/secret-box.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import type { Json, JsonMap } from '../../model/json.js';
import { maskedSecret } from '../../model/kept-secrets.js';
import { isSealed } from './provider-types.js';

export interface SealedConfiguration {
  /** The values that are no secrets. */
  readonly configuration: JsonMap;
  /** The secrets as JSON text, encrypted; absent without any. */
  readonly sealed?: string;
}

/** A configuration that is to be stored, and what it shares with the one before. */
export interface ConfigurationChange {
  readonly stored: SealedConfiguration;
  /** Every field by its name; a kept secret as its ciphertext (`keptFields`). */
  readonly fields: JsonMap;
  /** Names of the secrets that it keeps. */
  readonly kept: readonly string[];
}

/**
 * `owner` says what the configuration belongs to. A masked secret keeps the one of `known`; an
 * absent configuration keeps all of it.
 */
export async function sealConfiguration(
  box: SecretBox,
  owner: string,
  given: JsonMap | undefined,
  known: SealedConfiguration | undefined,
): Promise<ConfigurationChange> {
  const before = known === undefined ? {} : await openSecrets(box, owner, known);
  if (given === undefined) {
    const { configuration = {}, sealed } = known ?? {};
    const stored = sealed === undefined ? { configuration } : { configuration, sealed };
    const fields = { ...configuration, ...keptFields(before, stored) };
    return { stored, fields, kept: filled(before) };
  }
  const configuration: { [key: string]: Json } = {};
  const secrets: { [key: string]: Json } = {};
  const kept: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(given)) {
    if (!isSealed(key, value)) configuration[key] = value;
    else if (value !== maskedSecret) secrets[key] = value;
    else if (before[key] !== undefined) kept[key] = before[key];
  }
  const fields = { ...configuration, ...secrets, ...keptFields(kept, known) };
  const all = { ...secrets, ...kept };
  const stored =
    Object.keys(all).length === 0
      ? { configuration }
      : { configuration, sealed: await box.seal(toJsonText(all), owner) };
  return { stored, fields, kept: filled(kept) };
}

/** Every field of a stored configuration, as `ConfigurationChange.fields` has what is kept. */
export async function configurationFields(
  box: SecretBox,
  owner: string,
  stored: SealedConfiguration,
): Promise<JsonMap> {
  const secrets = await openSecrets(box, owner, stored);
  return { ...stored.configuration, ...keptFields(secrets, stored) };
}

/** The whole configuration, for the call that uses it. */
export async function openConfiguration(
  box: SecretBox,
  owner: string,
  sealed: SealedConfiguration,
): Promise<JsonMap> {
  return { ...sealed.configuration, ...(await openSecrets(box, owner, sealed)) };
}

/** The whole configuration with every secret masked. */
export async function maskedConfiguration(
  box: SecretBox,
  owner: string,
  sealed: SealedConfiguration,
): Promise<JsonMap> {
  const names = Object.keys(await openSecrets(box, owner, sealed));
  const masks = Object.fromEntries(names.map((name) => [name, maskedSecret]));
  return { ...sealed.configuration, ...masks };
}

/** Names of what is encrypted and not empty. */
export async function secretNames(
  box: SecretBox,
  owner: string,
  sealed: SealedConfiguration,
): Promise<string[]> {
  return filled(await openSecrets(box, owner, sealed));
}

/**
 * Stands for kept secrets: their ciphertext, which no caller knows. So a new value never passes for
 * a kept one, whatever it is, and a guess of a value is not confirmed.
 */
function keptFields(secrets: JsonMap, known: SealedConfiguration | undefined): JsonMap {
  const text = known?.sealed ?? '';
  return Object.fromEntries(filled(secrets).map((name) => [name, text]));
}

function filled(secrets: JsonMap): string[] {
  return Object.keys(secrets).filter((name) => secrets[name] !== '' && secrets[name] !== null);
}

async function openSecrets(
  box: SecretBox,
  owner: string,
  { sealed }: SealedConfiguration,
): Promise<JsonMap> {
  return sealed === undefined ? {} : (parseJson(await box.open(sealed, owner)) as JsonMap);
}
