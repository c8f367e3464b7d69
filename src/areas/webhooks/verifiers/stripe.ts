// STRIPE: the header holds `t=<seconds>` and one or more `v1=<hexadecimal HMAC>` of moment and
// body; several while a secret is being replaced.
import { isRecent, onlyValue, refused, type Verifier } from './contract.js';
import { hmac, isSame } from './signatures.js';

const headerName = 'stripe-signature';
const partsMax = 20;

export const stripe: Verifier = {
  verify({ secretValue = '', headerKey = '' }, call) {
    if (secretValue === '') return refused('the webhook has no secretValue');
    const header = onlyValue(call, headerKey === '' ? headerName : headerKey);
    if (header === undefined) return refused('the signature header is missing or repeated');
    const parts = header.split(',', partsMax).map((part) => part.trim().split('=', 2));
    const moments = parts.filter(([name]) => name === 't').map(([, value]) => value ?? '');
    const [seconds] = moments;
    if (seconds === undefined || moments.length > 1) {
      return refused('the signature header does not hold exactly one moment t');
    }
    if (!isRecent(seconds, call)) return refused('the moment t is too far from now');
    const expected = hmac(secretValue, `${seconds}.`, call.body).toString('hex');
    const given = parts.filter(([name]) => name === 'v1').map(([, value]) => value ?? '');
    if (given.filter((signature) => isSame(signature, expected)).length === 0) {
      return refused('the signature is wrong');
    }
    return { kind: 'verified', signature: header };
  },
};
