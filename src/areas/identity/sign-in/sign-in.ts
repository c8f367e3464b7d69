// Issues tokens: for access keys (contract-admin 1.1), for persons with a password, and for persons
// whom an identity provider has vouched for. Attempts are limited per account and per client
// address before they are made; while a limit is reached, right credentials are refused too.
import { randomUUID } from 'node:crypto';
import { applicationSubject, type Person } from '../identities.js';
import { isKeySecret } from '../applications/key-secrets.js';
import { isPassword } from './passwords.js';
import type { Attempt, SignInAttempts } from './sign-in-attempts.js';
import type { TokenClaims, TokenSigner } from './tokens.js';
import { AppError } from '../../../model/errors.js';
import type { TokenRequest } from './token.js';
import type { Clock } from '../../../std/clock.js';
import type { Lane } from '../../../std/fair-lanes.js';
import type { SessionKind } from '../sessions/session.js';
import type { IdentityTables } from '../identity-tables.js';
import type { SecondFactors } from '../account/second-factors.js';
import type { Sessions } from '../sessions/sessions.js';
import { personIdOf } from '../../../model/person-id.js';

export interface SignInParts {
  readonly identities: IdentityTables;
  readonly tokens: TokenSigner;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
  readonly attempts: SignInAttempts;
  readonly clock: Clock;
  /** Life of a token unless it is asked for otherwise, ms. */
  readonly tokenLifeMs: number;
  /** Longest life that may be asked for, ms; 0: any, also for ever. */
  readonly tokenLifeMsMax: number;
}

export interface IssuedToken {
  readonly token: string;
  /** Subject id. */
  readonly subject: string;
  readonly lifeMs: number | undefined;
}

/** Where a token goes: how its session is shown, and who may end it for want of use. */
export interface Opening {
  readonly kind: SessionKind;
  /** Of the client. */
  readonly address: string;
}

export class SignIn {
  constructor(private readonly parts: SignInParts) {}

  /**
   * Rejects with AppError 'bad-request' without credentials, 'unauthenticated', 'too-many'. Right
   * credentials without the code of the second factor are told so and count as no failure.
   */
  async issue(request: TokenRequest, opening: Opening): Promise<IssuedToken> {
    const { keyId, keySecret, email, password, expiration } = request;
    const { address } = opening;
    const byKey = keyId !== undefined && keySecret !== undefined;
    if (!byKey && (email === undefined || password === undefined)) {
      throw new AppError(
        'bad-request',
        'keyId and keySecret, or email and password, must be given',
      );
    }
    const account = byKey ? `key:${keyId}` : `user:${personIdOf(email ?? '')}`;
    const attempt = this.#begin(account, address);
    const found = await this.#identified(request, attempt, address);
    if (found !== undefined) {
      attempt.succeeded();
      return await this.#token(found, opening, expiration);
    }
    throw new AppError('unauthenticated', 'The credentials are wrong or not active', {
      tokenError: 'INVALID_TOKEN',
    });
  }

  /** undefined: something of it is wrong. A call that throws was no attempt. */
  async #identified(
    { keyId, keySecret, email, password, code }: TokenRequest,
    attempt: Attempt,
    address: string,
  ): Promise<Identified | undefined> {
    try {
      const found =
        keyId !== undefined && keySecret !== undefined
          ? this.#byKey(keyId, keySecret)
          : await this.#byPassword(email ?? '', password ?? '', laneOf(attempt, address));
      if (found === undefined || (await this.#showsSecondFactor(found, code))) return found;
      return undefined;
    } catch (error) {
      attempt.untried();
      throw error;
    }
  }

  /**
   * The person whose password it is, for changes of what protects the account. Attempts are limited
   * as those to sign in. Rejects with AppError 'forbidden' for a wrong password, 'too-many'.
   */
  async confirm(personId: string, password: string, address: string): Promise<Person> {
    const attempt = this.#begin(`user:${personId}`, address);
    const person = this.parts.identities.person(personId);
    try {
      const lane = laneOf(attempt, address);
      if ((await isPassword(password, person?.passwordHash, lane)) && person !== undefined) {
        attempt.succeeded();
        return person;
      }
    } catch (error) {
      attempt.untried();
      throw error;
    }
    throw new AppError('forbidden', 'The password is wrong');
  }

  /** Counts a failure of a person, as of an attempt to sign in. */
  failed(personId: string, address: string): void {
    const { attempts, clock } = this.parts;
    attempts.begin(`user:${personId}`, address, clock.monotonic());
  }

  async #showsSecondFactor({ gen, sub }: Identified, code: string | undefined): Promise<boolean> {
    const { secondFactors } = this.parts;
    if (gen === undefined || !secondFactors.isOn(sub)) return true;
    if (code !== undefined && code !== '') return await secondFactors.isRight(sub, code);
    throw new AppError(
      'unauthenticated',
      'The code of the second factor is missing: send it as code',
      {
        tokenError: 'SECOND_FACTOR',
      },
    );
  }

  /** For a person whom an identity provider has vouched for. */
  async issueFor(person: Person, opening: Opening): Promise<IssuedToken> {
    return await this.#token({ sub: person.id, gen: person.generation }, opening, undefined);
  }

  #begin(account: string, address: string): Attempt {
    const { attempts, clock } = this.parts;
    const attempt = attempts.begin(account, address, clock.monotonic());
    if (typeof attempt !== 'number') return attempt;
    throw new AppError('too-many', 'Too many failed attempts to sign in, wait before the next', {
      retryAfterSeconds: Math.ceil(attempt / 1000),
    });
  }

  #byKey(keyId: string, secret: string): Identified | undefined {
    const key = this.parts.identities.accessKey(keyId);
    if (key === undefined || !isKeySecret(secret, key.secretHash)) return undefined;
    if (key.status !== 'ACTIVE' || (key.expiresAt ?? Infinity) <= this.parts.clock.now()) {
      return undefined;
    }
    return { sub: applicationSubject(key.applicationId), key: key.id };
  }

  async #byPassword(email: string, password: string, lane: Lane): Promise<Identified | undefined> {
    const person = this.parts.identities.person(personIdOf(email));
    if (!(await isPassword(password, person?.passwordHash, lane)) || person === undefined) {
      return undefined;
    }
    return { sub: person.id, gen: person.generation };
  }

  /** A person's has a session, which is durable when it resolves. */
  async #token(
    identified: Identified,
    opening: Opening,
    expiration: number | undefined,
  ): Promise<IssuedToken> {
    const { clock, tokens, sessions } = this.parts;
    const lifeMs = this.#lifeMs(expiration);
    const iat = Math.floor(clock.now() / 1000);
    const exp = lifeMs === undefined ? undefined : iat + Math.ceil(lifeMs / 1000);
    const jti = randomUUID();
    const token = tokens.sign({ ...identified, iat, ...(exp === undefined ? {} : { exp }), jti });
    if (identified.gen !== undefined) {
      const until = exp === undefined ? {} : { until: exp * 1000 };
      const { sub: person, gen: generation } = identified;
      await sessions.opened({ id: jti, person, generation, ...opening, ...until });
    }
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

/** An attempt from an address that the account knows does not wait behind strangers. */
function laneOf({ isKnown }: Attempt, address: string): Lane {
  return { name: address, isKnown };
}

type Identified = Pick<TokenClaims, 'sub' | 'key' | 'gen'>;
