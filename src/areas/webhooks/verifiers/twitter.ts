// TWITTER (X): `sha256=` and the base64 HMAC of the body. A GET with `crc_token` asks for the HMAC
// of the token.
import { onlyValue, refused, type Verifier } from './contract.js';
import { hmac, isSame } from './signatures.js';

export const twitter: Verifier = {
  verify({ headerKey = '', secretValue = '' }, call) {
    if (secretValue === '') return refused('the webhook has no secretValue');
    const [token] = call.query.get('crc_token') ?? [];
    if (call.method === 'GET' && token !== undefined) {
      const answer = { response_token: `sha256=${hmac(secretValue, token).toString('base64')}` };
      return {
        kind: 'challenge',
        answer: JSON.stringify(answer),
        contentType: 'application/json',
      };
    }
    const given = onlyValue(call, headerKey);
    if (given === undefined) return refused(`the header ${headerKey} is missing or repeated`);
    const expected = `sha256=${hmac(secretValue, call.body).toString('base64')}`;
    if (!isSame(given, expected)) return refused('the signature is wrong');
    return { kind: 'verified', signature: given };
  },
};
