// HEADER_BASED (Custom): the call carries every configured header exactly once, with exactly that
// value.
import { onlyValue, refused, type Verifier } from './contract.js';
import { isSame } from './signatures.js';

export const headerBased: Verifier = {
  verify({ headers = {} }, call) {
    const expected = Object.entries(headers);
    if (expected.length === 0) return refused('the webhook has no headers to compare');
    // All of them, whatever the first says: the answer must not tell which one is wrong.
    const wrong = expected.filter(([name, value]) => {
      const given = onlyValue(call, name);
      return given === undefined || !isSame(given, value);
    });
    if (wrong.length > 0) return refused('a header is missing, repeated or has another value');
    return { kind: 'verified' };
  },
};
