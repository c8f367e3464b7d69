// Signatures and their comparison in constant time.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA-256 of the parts one after the other. */
export function hmac(key: string | Buffer, ...parts: readonly (string | Buffer)[]): Buffer {
  const digest = createHmac('sha256', key);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** Takes the same time wherever two texts of one length differ. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
