// Codes of a second factor: time-based one-time passwords (RFC 6238) of six digits, SHA-1 and steps
// of 30 s, which is what authenticator applications know, and recovery codes for who has lost the
// device. A code counts for its step and the one before and after it, because clocks differ, and
// each step counts once (RFC 6238 5.2).
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const stepMs = 30_000;
/** Steps before and after now that count. */
const driftSteps = 1;
const digits = 6;
/** RFC 4226 4 recommends 160 bits. */
const secretBytes = 20;
const recoveryCodes = 10;
/** 80 bits: a plain digest of it is enough. */
const recoveryBytes = 10;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32, as people type it into an application. */
export function drawCodeSecret(): string {
  return toBase32(randomBytes(secretBytes));
}

/** Ten codes of sixteen letters and digits. */
export function drawRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => toBase32(randomBytes(recoveryBytes)));
}

/**
 * The address in the QR code that an application reads (the format of Google Authenticator's key
 * URIs).
 */
export function otpauthUri(account: string, secret: string): string {
  const label = `${encodeURIComponent('Downbeat')}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=Downbeat&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}

/**
 * The step whose code this is and that comes after `lastStep`; undefined for a wrong or used code.
 * `secret` in base32, `now` in epoch ms.
 */
export function stepOfCode(
  code: string,
  secret: string,
  now: number,
  lastStep: number,
): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const key = fromBase32(secret);
  const current = Math.floor(now / stepMs);
  for (let step = current - driftSteps; step <= current + driftSteps; step++) {
    const isSame = timingSafeEqual(Buffer.from(codeOfStep(key, step)), Buffer.from(code));
    if (isSame && step > lastStep) return step;
  }
  return undefined;
}

/** RFC 4226 5.3. */
function codeOfStep(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** RFC 4648 6, without padding. */
function toBase32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet.charAt((value >> (bits - 5)) & 31);
  }
  return bits === 0 ? text : text + alphabet.charAt((value << (5 - bits)) & 31);
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    value = ((value << 5) | alphabet.indexOf(letter)) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
