// Names of users inside keys: encoded, so that they cannot carry a separator or a hash tag
// (invariants S14).
import { createHash } from 'node:crypto';

/** Stands in all keys that hold what users have named. */
export const namespace = 'default';
/** Digests replace longer encoded names: no key is longer than a few hundred bytes. */
const encodedNameMax = 200;

/** Encodes a user's name for use inside a key: letters, digits and `-_.!~*'()%` only. */
export function encodeName(name: string): string {
  const encoded = encodeURIComponent(Buffer.from(name).toString());
  if (encoded.length <= encodedNameMax) return encoded;
  return `~${createHash('sha256').update(name).digest('hex')}`;
}

/** The name that `encodeName` made the text of; undefined for a digest. */
export function decodeName(encoded: string): string | undefined {
  return /^~[0-9a-f]{64}$/.test(encoded) ? undefined : decodeURIComponent(encoded);
}
