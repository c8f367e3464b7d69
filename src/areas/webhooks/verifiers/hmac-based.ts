// HMAC_BASED (Microsoft Teams): `HMAC` and the base64 HMAC of the body under a key that is itself
// base64.
import { onlyValue, refused, type Verifier } from './contract.js';
import { hmac, isSame } from './signatures.js';

export const hmacBased: Verifier = {
  verify({ headerKey = '', secretValue = '' }, call) {
    if (secretValue === '') return refused('the webhook has no secretValue');
    const given = onlyValue(call, headerKey);
    if (given === undefined) return refused(`the header ${headerKey} is missing or repeated`);
    const signature = given.replace(/^HMAC/, '').trim();
    const expected = hmac(Buffer.from(secretValue, 'base64'), call.body).toString('base64');
    if (!isSame(signature, expected)) return refused('the signature is wrong');
    return { kind: 'verified', signature };
  },
};
