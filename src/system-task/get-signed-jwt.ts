// GET_SIGNED_JWT (semantics 4.23): signs a JSON Web Token with RS256. The token stands under
// `_secrets` of the output, which readers see masked.
import { reachesNothing } from '../engine/reaches.js';
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Json, JsonMap } from '../model/json.js';
import { numberFrom, textFrom } from '../model/json-text.js';
import { missingInputs } from '../engine/task-types/checks.js';
import { failed, runningTask, type SystemTaskType } from './system-task.js';

const signAsync = promisify(
  (data: Buffer, key: KeyObject, done: (error: Error | null, signature?: Buffer) => void): void =>
    sign('RSA-SHA256', data, key, done),
);

const needed = ['subject', 'issuer', 'privateKey', 'privateKeyId', 'audience', 'scopes'];

export const getSignedJwtTask: SystemTaskType = runningTask({
  name: 'GET_SIGNED_JWT',
  reaches: reachesNothing,
  check: (config, rules) => missingInputs(config, ['privateKey'], rules),
  needs: ['clock'],
  async run({ clock }, { input }) {
    const missing = needed.filter((name) => isAbsent(input[name]));
    if (missing.length > 0) return failed(`Missing input ${missing.join(', ')}`);
    const algorithm = input['algorithm'] ?? 'RS256';
    if (algorithm !== 'RS256') return failed('algorithm must be RS256');
    const seconds = numberFrom(input['ttlInSeconds'] ?? input['ttlInSecond'] ?? Number.NaN);
    if (!(seconds >= 1 && seconds <= secondsMax)) {
      return failed(`ttlInSeconds must be a number from 1 to ${secondsMax}`);
    }
    const key = privateKeyOf(input['privateKey']);
    if (key === undefined) return failed('privateKey is no RSA key in PKCS#8 form');
    const token = await signedToken(input, key, { now: clock.now(), seconds });
    return { status: 'COMPLETED', output: { _secrets: { token } } };
  },
});

/** Ten years. A number without a bound would become a token that never ends. */
const secondsMax = 10 * 366 * 86_400;

async function signedToken(
  input: JsonMap,
  key: KeyObject,
  { now, seconds }: { now: number; seconds: number },
): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  const { scopes } = input;
  const header = { alg: 'RS256', typ: 'JWT', kid: textFrom(input['privateKeyId']) };
  const claims = {
    iss: input['issuer'],
    sub: input['subject'],
    aud: input['audience'],
    scope: Array.isArray(scopes) ? scopes.map(textFrom).join(' ') : scopes,
    iat: issuedAt,
    exp: issuedAt + Math.floor(seconds),
  };
  const signed = [header, claims].map((part) => encoded(JSON.stringify(part))).join('.');
  const signature = await signAsync(Buffer.from(signed), key);
  return `${signed}.${(signature as Buffer).toString('base64url')}`;
}

/** Accepts a key without its first and last line, and with `\\n` for its line breaks. */
function privateKeyOf(given: Json | undefined): KeyObject | undefined {
  const text = textFrom(given).replaceAll('\\n', '\n').trim();
  try {
    const key = text.startsWith('-----')
      ? createPrivateKey(text)
      : createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined; // The error may show parts of the key.
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}
