// Configurations of integrations at rest (contract-admin 14.3): what is secret is encrypted, and
// so is what no known kind of integration has; answers show a mask in its place.
import type { SecretBox } from '../../access/secret-box.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { maskedSecret, type SealedConfiguration } from '../../model/registry/integration.js';
import { isSealed } from '../../model/registry/provider-types.js';

/** `owner` says what the configuration belongs to. A masked secret keeps the one of `known`. */
export async function sealConfiguration(
  box: SecretBox,
  owner: string,
  given: JsonMap,
  known: SealedConfiguration | undefined,
): Promise<SealedConfiguration> {
  const configuration: { [key: string]: Json } = {};
  const secrets: { [key: string]: Json } = {};
  const before = known === undefined ? {} : await openSecrets(box, owner, known);
  for (const [key, value] of Object.entries(given)) {
    if (!isSealed(key, value)) configuration[key] = value;
    else if (value !== maskedSecret) secrets[key] = value;
    else if (before[key] !== undefined) secrets[key] = before[key];
  }
  if (Object.keys(secrets).length === 0) return { configuration };
  return { configuration, sealed: await box.seal(toJsonText(secrets), owner) };
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

async function openSecrets(
  box: SecretBox,
  owner: string,
  { sealed }: SealedConfiguration,
): Promise<JsonMap> {
  return sealed === undefined ? {} : (parseJson(await box.open(sealed, owner)) as JsonMap);
}
