// SLACK_BASED: `v0=` and the hexadecimal HMAC of version, moment and body. The platform first sends
// a challenge to learn whether the address is ours; without a signing secret only that is answered.
import { isRecent, onlyValue, refused, type IncomingCall, type Verifier } from './contract.js';
import { hmac, isSame } from './signatures.js';

export const slackBased: Verifier = {
  verify({ secretValue = '' }, call) {
    const challenge = challengeOf(call);
    if (secretValue === '') {
      return challenge ?? refused('the webhook has no secretValue: only challenges are answered');
    }
    const given = onlyValue(call, 'x-slack-signature');
    const seconds = onlyValue(call, 'x-slack-request-timestamp');
    if (given === undefined || seconds === undefined) {
      return refused('X-Slack-Signature or X-Slack-Request-Timestamp is missing or repeated');
    }
    if (!isRecent(seconds, call)) return refused('X-Slack-Request-Timestamp is too far from now');
    const expected = `v0=${hmac(secretValue, `v0:${seconds}:`, call.body).toString('hex')}`;
    if (!isSame(given, expected)) return refused('the signature is wrong');
    return challenge ?? { kind: 'verified', signature: given };
  },
};

function challengeOf(call: IncomingCall):
  | {
      kind: 'challenge';
      answer: string;
      contentType: 'text/plain;charset=UTF-8';
    }
  | undefined {
  try {
    const body = JSON.parse(call.body.toString('utf8')) as { challenge?: unknown } | null;
    const challenge = body?.challenge;
    if (typeof challenge !== 'string') return undefined;
    return { kind: 'challenge', answer: challenge, contentType: 'text/plain;charset=UTF-8' };
  } catch {
    // No JSON: no challenge either.
    return undefined;
  }
}
