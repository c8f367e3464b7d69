// Issues tokens: for access keys (contract-admin 1.1), for persons with a password, and for persons
// whom an identity provider has vouched for. Failed attempts are limited per account and per client
// address; while the limit is reached, right credentials are refused too.
import { randomUUID } from 'node:crypto';
import { applicationSubject, type Person } from '../../access/identities.js';
import { isKeySecret } from '../../access/key-secrets.js';
import { isPassword } from '../../access/passwords.js';
import type { RequestRates } from '../../access/request-rates.js';
import type { TokenClaims, TokenSigner } from '../../access/tokens.js';
import { AppError } from '../../model/errors.js';
import { RecordReader } from '../../model/record-reader.js';
import type { Clock } from '../../std/clock.js';
import type { IdentityTables } from './identity-tables.js';

export interface SignInParts {
  readonly identities: IdentityTables;
  readonly tokens: TokenSigner;
  /** Failed attempts per account, and per client address, behind which many accounts may be. */
  readonly failures: { readonly account: RequestRates; readonly address: RequestRates };
  readonly clock: Clock;
  /** Life of a token unless it is asked for otherwise, ms. */
  readonly tokenLifeMs: number;
  /** Longest life that may be asked for, ms; 0: any, also for ever. */
  readonly tokenLifeMsMax: number;
}

export interface TokenRequest {
  readonly keyId: string | undefined;
  readonly keySecret: string | undefined;
  readonly email: string | undefined;
  readonly password: string | undefined;
  /** ms; negative: never expires. */
  readonly expiration: number | undefined;
}

export interface IssuedToken {
  readonly token: string;
  /** Subject id. */
  readonly subject: string;
  readonly lifeMs: number | undefined;
}

/** Ended sessions cleared away with one sign-out. */
const clearedAtOnceMax = 100;

export class SignIn {
  constructor(private readonly parts: SignInParts) {}

  /**
   * `address`: the client's. Rejects with AppError 'bad-request' without credentials,
   * 'unauthenticated', 'too-many'.
   */
  async issue(request: TokenRequest, address: string): Promise<IssuedToken> {
    const { keyId, keySecret, email, password, expiration } = request;
    const byKey = keyId !== undefined && keySecret !== undefined;
    if (!byKey && (email === undefined || password === undefined)) {
      throw new AppError(
        'bad-request',
        'keyId and keySecret, or email and password, must be given',
      );
    }
    const account = byKey ? `key:${keyId}` : `user:${email?.toLowerCase()}`;
    this.#refuseBeyondLimit(account, address);
    const found = byKey
      ? this.#byKey(keyId, keySecret)
      : await this.#byPassword(email as string, password as string);
    if (found !== undefined) return this.#token(found, expiration);
    const { failures, clock } = this.parts;
    failures.account.take(account, clock.monotonic());
    failures.address.take(address, clock.monotonic());
    throw new AppError('unauthenticated', 'The credentials are wrong or not active', {
      tokenError: 'INVALID_TOKEN',
    });
  }

  /** For a person whom an identity provider has vouched for. */
  issueFor(person: Person): IssuedToken {
    return this.#token({ sub: person.id, gen: person.generation }, undefined);
  }

  /** Ends one token before its time, on every node. */
  async end(claims: TokenClaims): Promise<void> {
    const { endedSessions } = this.parts.identities;
    const now = this.parts.clock.now();
    const until = (claims.exp ?? Number.MAX_SAFE_INTEGER / 1000) * 1000;
    const over = [...endedSessions.values()].filter((session) => session.until < now);
    await endedSessions.write([
      endedSessions.writeOf({ tokenId: claims.jti, until }),
      ...over.slice(0, clearedAtOnceMax).map(({ tokenId }) => ({
        kind: 'ended-session' as const,
        id: tokenId,
        text: undefined,
      })),
    ]);
  }

  #refuseBeyondLimit(account: string, address: string): void {
    const { failures, clock } = this.parts;
    const now = clock.monotonic();
    const waitMs = failures.account.waitMs(account, now) ?? failures.address.waitMs(address, now);
    if (waitMs === undefined) return;
    throw new AppError('too-many', 'Too many failed attempts to sign in, wait before the next', {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }

  #byKey(keyId: string, secret: string): Identified | undefined {
    const key = this.parts.identities.accessKey(keyId);
    if (key === undefined || !isKeySecret(secret, key.secretHash)) return undefined;
    if (key.status !== 'ACTIVE') return undefined;
    return { sub: applicationSubject(key.applicationId), key: key.id };
  }

  async #byPassword(email: string, password: string): Promise<Identified | undefined> {
    const person = this.parts.identities.person(email.toLowerCase());
    if (!(await isPassword(password, person?.passwordHash)) || person === undefined) {
      return undefined;
    }
    return { sub: person.id, gen: person.generation };
  }

  #token(identified: Identified, expiration: number | undefined): IssuedToken {
    const { clock, tokens } = this.parts;
    const lifeMs = this.#lifeMs(expiration);
    const iat = Math.floor(clock.now() / 1000);
    const exp = lifeMs === undefined ? {} : { exp: iat + Math.ceil(lifeMs / 1000) };
    const token = tokens.sign({ ...identified, iat, ...exp, jti: randomUUID() });
    return { token, subject: identified.sub, lifeMs };
  }

  /** undefined: for ever. */
  #lifeMs(asked: number | undefined): number | undefined {
    const { tokenLifeMs, tokenLifeMsMax } = this.parts;
    const lifeMs = asked === undefined || asked === 0 ? tokenLifeMs : asked;
    if (tokenLifeMsMax > 0) return lifeMs < 0 ? tokenLifeMsMax : Math.min(lifeMs, tokenLifeMsMax);
    return lifeMs < 0 ? undefined : lifeMs;
  }
}

type Identified = Pick<TokenClaims, 'sub' | 'key' | 'gen'>;

/** Throws AppError 'bad-request'. */
export function parseTokenRequest(input: unknown): TokenRequest {
  const reader = new RecordReader(input, '');
  return {
    keyId: reader.text('keyId'),
    keySecret: reader.text('keySecret'),
    email: reader.text('email'),
    password: reader.text('password'),
    expiration: reader.has('expiration') ? reader.long('expiration', 0) : undefined,
  };
}
