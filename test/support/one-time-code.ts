// The one-time code that a person's application shows (RFC 6238), computed apart from the server's.
import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** `secret` in base32, `at` in epoch ms. */
export function oneTimeCode(secret: string, at: number): string {
  const bits = [...secret].map((each) => alphabet.indexOf(each).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const key = Buffer.from(bytes.map((each) => Number.parseInt(each, 2)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) as number) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}
