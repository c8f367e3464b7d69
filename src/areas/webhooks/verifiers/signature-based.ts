// SIGNATURE_BASED (GitHub): `sha256=` and the hexadecimal HMAC of the body.
import { onlyValue, refused, type Verifier } from './contract.js';
import { hmac, isSame } from './signatures.js';

export const signatureBased: Verifier = {
  verify({ headerKey = '', secretValue = '' }, call) {
    if (secretValue === '') return refused('the webhook has no secretValue');
    const given = onlyValue(call, headerKey);
    if (given === undefined) return refused(`the header ${headerKey} is missing or repeated`);
    const expected = `sha256=${hmac(secretValue, call.body).toString('hex')}`;
    if (!isSame(given, expected)) return refused('the signature is wrong');
    return { kind: 'verified', signature: given };
  },
};
