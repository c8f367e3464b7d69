// Values that rest encrypted (AES-256-GCM): `s1.<key id>.<nonce>.<ciphertext and tag>`, the last
// two in base64url. The owner of the value is authenticated with it, so that a sealed value cannot
// be put in another's place.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealingKey } from './sealing-keys.js';

const format = 's1';
const nonceBytes = 12;
const tagBytes = 16;

/** `owner` says what the value belongs to, for example `secret:NAME`. */
export function seal(plain: string, owner: string, key: SealingKey): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce);
  cipher.setAAD(Buffer.from(owner));
  const sealed = [cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return [
    format,
    key.id,
    nonce.toString('base64url'),
    Buffer.concat(sealed).toString('base64url'),
  ].join('.');
}

/** Id of the key that a sealed value needs. Throws when the text is no sealed value. */
export function keyIdOf(sealed: string): string {
  const [found, keyId = '', nonce, bytes] = sealed.split('.');
  if (found !== format || nonce === undefined || bytes === undefined) {
    throw new Error('A stored value has no known sealed form');
  }
  return keyId;
}

/** Throws when the key is the wrong one or the value was changed. */
export function unseal(sealed: string, owner: string, key: SealingKey): string {
  const [, , nonce = '', text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, Buffer.from(nonce, 'base64url'));
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  const plain = decipher.update(bytes.subarray(0, bytes.length - tagBytes));
  return Buffer.concat([plain, decipher.final()]).toString('utf8');
}
