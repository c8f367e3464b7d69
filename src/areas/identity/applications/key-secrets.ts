// Secrets of access keys: drawn here, shown once, kept as a digest. They have 256 bits of
// randomness, so a plain digest is enough; a slow one protects what people make up.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export function drawKeySecret(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in base64. */
export function hashKeySecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}

export function isKeySecret(secret: string, storedHash: string): boolean {
  const given = createHash('sha256').update(secret).digest();
  const right = Buffer.from(storedHash, 'base64');
  return given.length === right.length && timingSafeEqual(given, right);
}
