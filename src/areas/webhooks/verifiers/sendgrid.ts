// SENDGRID: an ECDSA signature (P-256, SHA-256, DER in base64) of moment and body. The public key
// is no secret; it stands in secretKey, or in secretValue as the platform's documentation has it.
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { onlyValue, refused, type Verifier } from './contract.js';

export const sendgrid: Verifier = {
  verify({ secretKey = '', secretValue = '' }, call) {
    const key = publicKeyOf(secretKey === '' ? secretValue : secretKey);
    if (key === undefined) return refused('the webhook has no public key that can be read');
    const given = onlyValue(call, 'x-twilio-email-event-webhook-signature');
    const moment = onlyValue(call, 'x-twilio-email-event-webhook-timestamp');
    if (given === undefined || moment === undefined) {
      return refused('the signature or timestamp header is missing or repeated');
    }
    const signed = Buffer.concat([Buffer.from(moment), call.body]);
    if (!verify('sha256', signed, key, Buffer.from(given, 'base64'))) {
      return refused('the signature is wrong');
    }
    return { kind: 'verified' };
  },
};

function publicKeyOf(text: string): KeyObject | undefined {
  if (text === '') return undefined;
  try {
    const key = Buffer.from(text.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    return createPublicKey({ key, format: 'der', type: 'spki' });
  } catch {
    // The sentence of the refusal says it.
    return undefined;
  }
}
